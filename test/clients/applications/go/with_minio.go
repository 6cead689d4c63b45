// What applications that use minio-go do at their start and at their main use, one function for each.
package main

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

var ctx = context.Background()

func main() {
	options := minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, "")}
	client := must(minio.New(strings.TrimPrefix(endpoint, "http://"), &options))
	map[string]func(*minio.Client){"mattermost": mattermost, "milvus": milvus}[os.Getenv("APPLICATION")](client)
}

func mattermost(client *minio.Client) {
	if must(client.BucketExists(ctx, bucket)) {
		panic("the bucket is there before its time")
	}
	check(client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}))
	// Of unknown length, and in parts of the size that its settings have.
	options := minio.PutObjectOptions{ContentType: "binary/octet-stream", PartSize: 5 << 20}
	must(client.PutObject(ctx, bucket, "2026/a file", bytes.NewReader(large), -1, options))
	must(client.PutObject(ctx, bucket, "2026/more", bytes.NewReader(small), int64(len(small)), options))
	must(client.ComposeObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "2026/a file"},
		minio.CopySrcOptions{Bucket: bucket, Object: "2026/a file"},
		minio.CopySrcOptions{Bucket: bucket, Object: "2026/more"}))
	object := must(client.GetObject(ctx, bucket, "2026/a file", minio.GetObjectOptions{}))
	same(contentOf(object), append(bytes.Clone(large), small...))
	must(object.Seek(1_000, 0))
	part := make([]byte, 500)
	must(object.ReadAt(part, 1_000))
	same(part, large[1_000:1_500])
	must(client.CopyObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "moved"},
		minio.CopySrcOptions{Bucket: bucket, Object: "2026/more"}))
	check(client.RemoveObject(ctx, bucket, "2026/more", minio.RemoveObjectOptions{}))
	_, err := client.StatObject(ctx, bucket, "2026/more", minio.StatObjectOptions{})
	if minio.ToErrorResponse(err).Code != "NoSuchKey" {
		panic(err)
	}
	same(send("GET", must(client.PresignedGetObject(ctx, bucket, "moved", 60e9, nil)).String(), nil), small)
}

func milvus(client *minio.Client) {
	if must(client.BucketExists(ctx, bucket)) {
		panic("the bucket is there before its time")
	}
	check(client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}))
	for _, key := range []string{"files/insert_log/1/2/3", "files/insert_log/1/2/4", "files/stats_log/1"} {
		must(client.PutObject(ctx, bucket, key, bytes.NewReader(large), int64(len(large)), minio.PutObjectOptions{}))
	}
	options := minio.GetObjectOptions{}
	check(options.SetRange(5_000, 5_999))
	same(contentOf(must(client.GetObject(ctx, bucket, "files/stats_log/1", options))), large[5_000:6_000])
	keys := func(prefix string, recursive bool) (found []string) {
		for one := range client.ListObjects(ctx, bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: recursive}) {
			check(one.Err)
			found = append(found, one.Key)
		}
		return
	}
	sameKeys(keys("files/", false), "files/insert_log/", "files/stats_log/")
	sameKeys(keys("files/insert_log/", true), "files/insert_log/1/2/3", "files/insert_log/1/2/4")
	if must(client.StatObject(ctx, bucket, "files/stats_log/1", minio.StatObjectOptions{})).Size != int64(len(large)) {
		panic("another size")
	}
	removed := make(chan minio.ObjectInfo)
	go func() {
		for _, key := range keys("files/insert_log/", true) {
			removed <- minio.ObjectInfo{Key: key}
		}
		close(removed)
	}()
	for failure := range client.RemoveObjects(ctx, bucket, removed, minio.RemoveObjectsOptions{}) {
		panic(failure.Err)
	}
	sameKeys(keys("", true), "files/stats_log/1")
}
