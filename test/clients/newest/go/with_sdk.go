// The SDK, its transfer manager and its presigner; path style because the gateway's host is an address.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func main() {
	ctx := context.Background()
	client := s3.New(s3.Options{
		BaseEndpoint: &endpoint,
		Region:       region,
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		UsePathStyle: true,
	})
	key := func(name string) *string { return aws.String(name) }
	keys := func() (found []string) {
		pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket})
		for pages.HasMorePages() {
			for _, one := range must(pages.NextPage(ctx)).Contents {
				found = append(found, *one.Key)
			}
		}
		return found
	}

	must(client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket}))
	must(client.PutObject(ctx, &s3.PutObjectInput{
		Bucket:   &bucket,
		Key:      key("a b+c.bin"),
		Body:     bytes.NewReader(small),
		Metadata: map[string]string{"colour": "blue"},
	}))
	got := must(client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: key("a b+c.bin")}))
	same(contentOf(got.Body), small)
	same([]byte(got.Metadata["colour"]), []byte("blue"))

	// One header line for each attribute.
	attributes := must(client.GetObjectAttributes(ctx, &s3.GetObjectAttributesInput{
		Bucket: &bucket, Key: key("a b+c.bin"), ObjectAttributes: types.ObjectAttributes("").Values(),
	}))
	if *attributes.ObjectSize != int64(len(small)) || *attributes.ETag == "" {
		panic(attributes)
	}

	transfers := transfermanager.New(client)
	// A stream of unknown length, in parts.
	stream := io.MultiReader(bytes.NewReader(large))
	must(transfers.UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: &bucket, Key: key("large.bin"), Body: stream,
	}))
	whole := must(transfers.GetObject(ctx, &transfermanager.GetObjectInput{Bucket: &bucket, Key: key("large.bin")}))
	same(contentOf(whole.Body), large)
	piece := must(client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &bucket, Key: key("large.bin"), Range: aws.String("bytes=9000-9999"),
	}))
	same(contentOf(piece.Body), large[9000:10000])

	must(client.CopyObject(ctx, &s3.CopyObjectInput{
		// PathEscape leaves "+", which S3 reads as a space here.
		Bucket: &bucket, Key: key("copy.bin"), CopySource: aws.String(bucket + "/a%20b%2Bc.bin"),
	}))
	presigner := s3.NewPresignClient(client)
	put := must(presigner.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: key("presigned.bin")}))
	send(put.Method, put.URL, small)
	get := must(presigner.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: key("copy.bin")}))
	same(send(get.Method, get.URL, nil), small)

	sameKeys(keys(), "a b+c.bin", "copy.bin", "large.bin", "presigned.bin")
	_, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: key("absent.bin")})
	if absent := new(types.NoSuchKey); !errors.As(err, &absent) {
		panic(err)
	}
	must(client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: key("absent.bin")}))
	var doomed []types.ObjectIdentifier
	for _, name := range keys() {
		doomed = append(doomed, types.ObjectIdentifier{Key: &name})
	}
	must(client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: doomed}}))
	sameKeys(keys())
	must(client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket}))
}
