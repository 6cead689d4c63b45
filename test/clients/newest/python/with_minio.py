"""minio-py: a stream of unknown length in parts, presigned URLs, notifications, removal of many objects."""

import io
import json
import urllib.parse

from minio import Minio
from minio.deleteobjects import DeleteObject
from minio.notificationconfig import NotificationConfig, PrefixFilterRule, QueueConfig, SuffixFilterRule
from place import access_key, bucket, endpoint, expect_events, http, is_refused, large, same, secret_key, small

client = Minio(
    endpoint=urllib.parse.urlsplit(endpoint).netloc,
    access_key=access_key,
    secret_key=secret_key,
    secure=False,
)
if not client.bucket_exists(bucket_name=bucket):
    client.make_bucket(bucket_name=bucket)


def put(key, data, length):
    client.put_object(
        bucket_name=bucket,
        object_name=key,
        data=io.BytesIO(data),
        length=length,
        part_size=5 * 1024 * 1024,
    )


put("large.bin", large, -1)
put("small one.bin", small, len(small))
same(client.get_object(bucket_name=bucket, object_name="large.bin").read(), large)
http("PUT", client.presigned_put_object(bucket_name=bucket, object_name="presigned.bin"), small)
url = client.presigned_get_object(bucket_name=bucket, object_name="presigned.bin")
same(http("GET", url), small)
statement = {"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["s3:GetObject"]}
policy = json.dumps({"Version": "2012-10-17", "Statement": [{**statement, "Resource": [f"arn:aws:s3:::{bucket}/*"]}]})
client.set_bucket_policy(bucket_name=bucket, policy=policy)
assert client.get_bucket_policy(bucket_name=bucket) == policy
same(http("GET", f"{endpoint}/{bucket}/large.bin"), large)
client.delete_bucket_policy(bucket_name=bucket)
assert is_refused(f"{endpoint}/{bucket}/large.bin")
arn, events = "arn:minio:sqs::1:webhook", ["s3:ObjectCreated:*"]
filters = {"prefix_filter_rule": PrefixFilterRule("in/"), "suffix_filter_rule": SuffixFilterRule(".txt")}
configuration = NotificationConfig(queue_config_list=[QueueConfig(queue=arn, events=events, config_id="one", **filters)])
client.set_bucket_notification(bucket_name=bucket, config=configuration)
kept = client.get_bucket_notification(bucket_name=bucket).queue_config_list
assert [(one.queue, one.events, one.config_id) for one in kept] == [(arn, events, "one")], kept
assert (kept[0].prefix_filter_rule.value, kept[0].suffix_filter_rule.value) == ("in/", ".txt")
put("in/é.txt", small, len(small))
put("in/é.png", small, len(small))
client.delete_bucket_notification(bucket_name=bucket)
assert not client.get_bucket_notification(bucket_name=bucket).queue_config_list
for name in ("in/é.txt", "in/é.png"):
    client.remove_object(bucket_name=bucket, object_name=name)
expect_events("ObjectCreated:Put in/%C3%A9.txt")
keys = [one.object_name for one in client.list_objects(bucket_name=bucket, recursive=True)]
assert keys == ["large.bin", "presigned.bin", "small one.bin"], keys
client.remove_object(bucket_name=bucket, object_name="absent.bin")
doomed = [DeleteObject(name=key) for key in keys]
assert not list(client.remove_objects(bucket_name=bucket, delete_object_list=doomed))
client.remove_bucket(bucket_name=bucket)
