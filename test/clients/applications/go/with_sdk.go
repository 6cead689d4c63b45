// GitLab Runner's cache: URLs that the runner presigns and its helper uses, without credentials.
package main

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

var ctx = context.Background()

func statusOf(method, url string, body []byte, headers http.Header) int {
	request := must(http.NewRequest(method, url, bytes.NewReader(body)))
	for name, values := range headers {
		if name != "Host" {
			request.Header[name] = values
		}
	}
	reply := must(http.DefaultClient.Do(request))
	defer reply.Body.Close()
	contentOf(reply.Body)
	return reply.StatusCode
}

func main() {
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(endpoint), Region: region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	})
	presign := s3.NewPresignClient(client)
	expires := s3.WithPresignExpires(time.Hour)
	key := "runner/t1_a/project/7/default protected-1"
	get := must(presign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key}, expires))
	if status := statusOf("GET", get.URL, nil, get.SignedHeader); status != 404 {
		panic(status)
	}
	put := must(presign.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key}, expires))
	headers := put.SignedHeader.Clone()
	headers.Set("Content-Type", "application/octet-stream")
	headers.Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
	if status := statusOf("PUT", put.URL, large, headers); status != 200 {
		panic(status)
	}
	same(send("GET", get.URL, nil), large)
	head := must(presign.PresignHeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key}, expires))
	if status := statusOf("HEAD", head.URL, nil, head.SignedHeader); status != 200 {
		panic(status)
	}
}
