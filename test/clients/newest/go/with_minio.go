// minio-go: a stream of unknown length in parts, presigned URLs, tags, notifications, removal of many objects.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/notification"
	"github.com/minio/minio-go/v7/pkg/tags"
)

func main() {
	ctx := context.Background()
	address := must(url.Parse(endpoint))
	client := must(minio.New(address.Host, &minio.Options{
		Creds: credentials.NewStaticV4(accessKey, secretKey, ""),
	}))
	list := func() (found []string) {
		for one := range client.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true}) {
			check(one.Err)
			found = append(found, one.Key)
		}
		return found
	}

	if !must(client.BucketExists(ctx, bucket)) {
		check(client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}))
	}
	stream := io.MultiReader(bytes.NewReader(large))
	must(client.PutObject(ctx, bucket, "large.bin", stream, -1, minio.PutObjectOptions{PartSize: 5 << 20}))
	must(client.PutObject(ctx, bucket, "small one.bin", bytes.NewReader(small), int64(len(small)), minio.PutObjectOptions{}))
	object := must(client.GetObject(ctx, bucket, "large.bin", minio.GetObjectOptions{}))
	same(contentOf(object), large)
	piece := make([]byte, 1000)
	must(object.ReadAt(piece, 9000))
	same(piece, large[9000:10000])

	source := minio.CopySrcOptions{Bucket: bucket, Object: "small one.bin"}
	must(client.CopyObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "copy.bin"}, source))
	put := must(client.PresignedPutObject(ctx, bucket, "presigned.bin", time.Minute))
	send("PUT", put.String(), small)
	get := must(client.PresignedGetObject(ctx, bucket, "copy.bin", time.Minute, nil))
	same(send("GET", get.String(), nil), small)

	labels := must(tags.NewTags(map[string]string{"colour": "dark blue"}, true))
	check(client.PutObjectTagging(ctx, bucket, "copy.bin", labels, minio.PutObjectTaggingOptions{}))
	found := must(client.GetObjectTagging(ctx, bucket, "copy.bin", minio.GetObjectTaggingOptions{}))
	if found.ToMap()["colour"] != "dark blue" {
		panic(found.String())
	}
	check(client.RemoveObjectTagging(ctx, bucket, "copy.bin", minio.RemoveObjectTaggingOptions{}))

	arn := must(notification.NewArnFromString("arn:minio:sqs::1:webhook"))
	events := notification.NewConfig(arn)
	events.AddEvents(notification.ObjectCreatedAll, notification.ObjectRemovedAll)
	events.AddFilterPrefix("in/")
	var configuration notification.Configuration
	configuration.AddQueue(events)
	check(client.SetBucketNotification(ctx, bucket, configuration))
	kept := must(client.GetBucketNotification(ctx, bucket))
	if len(kept.QueueConfigs) != 1 || kept.QueueConfigs[0].Queue != arn.String() {
		panic(fmt.Sprintf("%+v", kept))
	}
	check(client.RemoveAllBucketNotification(ctx, bucket))

	// As mc watch does: there is nothing to listen to, and the client learns what to do instead.
	for told := range client.ListenBucketNotification(ctx, bucket, "", "", []string{
		"s3:ObjectCreated:*", "s3:ObjectRemoved:*", "s3:ObjectAccessed:*",
	}) {
		if told.Err == nil || !strings.Contains(told.Err.Error(), "NOTIFY_WEBHOOK") {
			panic(told.Err)
		}
		break
	}

	sameKeys(list(), "copy.bin", "large.bin", "presigned.bin", "small one.bin")
	_, err := client.StatObject(ctx, bucket, "absent.bin", minio.StatObjectOptions{})
	if minio.ToErrorResponse(err).Code != "NoSuchKey" {
		panic(err)
	}
	check(client.RemoveObject(ctx, bucket, "absent.bin", minio.RemoveObjectOptions{}))
	doomed := client.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true})
	for failure := range client.RemoveObjects(ctx, bucket, doomed, minio.RemoveObjectsOptions{}) {
		check(failure.Err)
	}
	sameKeys(list())
	check(client.RemoveBucket(ctx, bucket))
}
