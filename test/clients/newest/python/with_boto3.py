"""boto3 as an application uses it: its bucket, objects, a transfer in parts, presigned URLs, a form of its default
version, and documents of the bucket."""

import io
import json

import boto3
import urllib3
from botocore.exceptions import ClientError
from place import access_key, bucket, endpoint, expect_events, http, is_refused, large, other_endpoint, same
from place import secret_key, small

own_keys = {"aws_access_key_id": access_key, "aws_secret_access_key": secret_key}
s3 = boto3.client("s3", endpoint_url=endpoint, **own_keys)
try:
    s3.head_bucket(Bucket=bucket)
except ClientError:
    s3.create_bucket(Bucket=bucket)

s3.put_object(Bucket=bucket, Key="a b+c.bin", Body=small, Metadata={"colour": "blue"})
got = s3.get_object(Bucket=bucket, Key="a b+c.bin")
same(got["Body"].read(), small)
assert got["Metadata"] == {"colour": "blue"}

s3.upload_fileobj(io.BytesIO(large), bucket, "large.bin")
copy = io.BytesIO()
s3.download_fileobj(bucket, "large.bin", copy)
same(copy.getvalue(), large)

tagged = {"Bucket": bucket, "Key": "tagged.bin"}


def tags_of(key):
    found = s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
    return {one["Key"]: one["Value"] for one in found}


s3.put_object(**tagged, Body=small, Tagging="colour=dark%20blue&empty=", StorageClass="STANDARD_IA")
before = s3.head_object(**tagged)
assert (before["StorageClass"], before["TagCount"]) == ("STANDARD_IA", 2), before
assert tags_of("tagged.bin") == {"colour": "dark blue", "empty": ""}
s3.put_object_tagging(**tagged, Tagging={"TagSet": [{"Key": "größe", "Value": "1"}]})
after = s3.head_object(**tagged)
assert tags_of("tagged.bin") == {"größe": "1"}
assert (after["ETag"], after["LastModified"]) == (before["ETag"], before["LastModified"])
s3.copy_object(**tagged, CopySource=tagged, StorageClass="GLACIER_IR")
assert tags_of("tagged.bin") == {"größe": "1"}
classes = [one["StorageClass"] for one in s3.list_objects_v2(Bucket=bucket, Prefix="tag")["Contents"]]
assert classes == ["GLACIER_IR"], classes
s3.copy_object(**tagged, CopySource=f"{bucket}/large.bin", TaggingDirective="REPLACE", Tagging="a=b")
assert tags_of("tagged.bin") == {"a": "b"}
s3.delete_object_tagging(**tagged)
assert tags_of("tagged.bin") == {} and "TagCount" not in s3.head_object(**tagged)
in_parts = {"Tagging": "parts=yes", "StorageClass": "STANDARD_IA"}
s3.upload_fileobj(io.BytesIO(large), bucket, "tagged.bin", ExtraArgs=in_parts)
assert tags_of("tagged.bin") == {"parts": "yes"}
s3.delete_object(**tagged)

parameters = {"Bucket": bucket, "Key": "presigned.bin"}
http("PUT", s3.generate_presigned_url("put_object", Params=parameters), small)
same(http("GET", s3.generate_presigned_url("get_object", Params=parameters)), small)

form = s3.generate_presigned_post(bucket, "form.bin", Conditions=[["content-length-range", 1, 100_000]])
fields = {**form["fields"], "file": ("form.bin", small)}
posted = urllib3.PoolManager().request("POST", form["url"], fields=fields)
assert posted.status == 204, posted.data
same(s3.get_object(Bucket=bucket, Key="form.bin")["Body"].read(), small)

upload = s3.create_multipart_upload(Bucket=bucket, Key="open.bin")
listed = s3.list_multipart_uploads(Bucket=bucket)["Uploads"]
assert [one["UploadId"] for one in listed] == [upload["UploadId"]]
s3.abort_multipart_upload(Bucket=bucket, Key="open.bin", UploadId=upload["UploadId"])
assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket)

statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}
policy = json.dumps({"Statement": [{**statement, "Resource": f"arn:aws:s3:::{bucket}/form*"}]})
s3.put_bucket_policy(Bucket=bucket, Policy=policy)
assert s3.get_bucket_policy(Bucket=bucket)["Policy"] == policy
assert s3.get_bucket_policy_status(Bucket=bucket)["PolicyStatus"]["IsPublic"]
same(http("GET", f"{endpoint}/{bucket}/form.bin"), small)
assert is_refused(f"{endpoint}/{bucket}/large.bin")
s3.delete_bucket_policy(Bucket=bucket)
assert is_refused(f"{endpoint}/{bucket}/form.bin")
s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": [{"Key": "team", "Value": "web"}]})
assert s3.get_bucket_tagging(Bucket=bucket)["TagSet"] == [{"Key": "team", "Value": "web"}]
block = {"BlockPublicAcls": True, "IgnorePublicAcls": True, "BlockPublicPolicy": True, "RestrictPublicBuckets": True}
s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=block)
assert s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"] == block
rules = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls=rules)
assert s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"] == rules
# A topic, a queue and a function of AWS: the last part names the target of the gateway.
arn = "arn:aws:%s:us-east-1:000000000000:webhook"
by_prefix = {"Key": {"FilterRules": [{"Name": "prefix", "Value": "queue/"}]}}
queue = {"Id": "q", "QueueArn": arn % "sqs", "Events": ["s3:ObjectCreated:*"], "Filter": by_prefix}
removals = {"Id": "t", "TopicArn": arn % "sns", "Events": ["s3:ObjectRemoved:Delete"]}
wanted = {"QueueConfigurations": [queue], "TopicConfigurations": [removals]}
s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=wanted)
kept = s3.get_bucket_notification_configuration(Bucket=bucket)
assert {name: kept[name] for name in wanted} == wanted, kept
s3.upload_fileobj(io.BytesIO(large), bucket, "queue/large.bin")
s3.copy_object(Bucket=bucket, Key="queue/copy.bin", CopySource=f"{bucket}/form.bin")
queued = [{"Key": "queue/large.bin"}, {"Key": "queue/copy.bin"}]
s3.delete_objects(Bucket=bucket, Delete={"Objects": queued})
created, removed = "ObjectCreated", "ObjectRemoved:Delete"
expect_events(
    *(f"{created}:CompleteMultipartUpload queue/large.bin", f"{created}:Copy queue/copy.bin"),
    *(f"{removed} queue/large.bin", f"{removed} queue/copy.bin"),
)
s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})
kept = s3.get_bucket_notification_configuration(Bucket=bucket)
assert not any(name.endswith("Configurations") for name in kept), kept
s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Suspended"

keys = [one["Key"] for one in s3.list_objects_v2(Bucket=bucket)["Contents"]]
assert keys == ["a b+c.bin", "form.bin", "large.bin", "presigned.bin"], keys
s3.delete_object(Bucket=bucket, Key="absent.bin")
s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
s3.delete_bucket(Bucket=bucket)

# ACLs that open the bucket, and encryption by the disk.
s3 = boto3.client("s3", endpoint_url=other_endpoint, **own_keys)
s3.create_bucket(Bucket=bucket, ACL="public-read")
encrypted = {"ServerSideEncryption": "AES256"}
assert s3.put_object(Bucket=bucket, Key="one.bin", Body=small, **encrypted)["ServerSideEncryption"] == "AES256"
s3.upload_fileobj(io.BytesIO(large), bucket, "large.bin", ExtraArgs={**encrypted, "ACL": "public-read"})
assert s3.head_object(Bucket=bucket, Key="large.bin")["ServerSideEncryption"] == "AES256"
rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": [rule]})
rules = s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]["Rules"]
assert rules[0]["ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}, rules
same(http("GET", f"{other_endpoint}/{bucket}/large.bin"), large)
everyone = "http://acs.amazonaws.com/groups/global/AllUsers"
for canned in ("private", "public-read"):
    s3.put_bucket_acl(Bucket=bucket, ACL=canned)
    for acl in (s3.get_bucket_acl(Bucket=bucket), s3.get_object_acl(Bucket=bucket, Key="one.bin")):
        public = [one["Permission"] for one in acl["Grants"] if one["Grantee"].get("URI") == everyone]
        assert public == (["READ"] if canned == "public-read" else []), acl
    assert is_refused(f"{other_endpoint}/{bucket}/one.bin") == (canned == "private")
try:
    s3.put_bucket_acl(Bucket=bucket, ACL="public-read-write")
    raise AssertionError("nobody may write without a key")
except ClientError as error:
    assert error.response["Error"]["Code"] == "AccessControlListNotSupported", error
