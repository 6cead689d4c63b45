"""What applications that use boto3 do at their start and at their main use, one function for each."""

import io
import os
import urllib.error
import urllib.request
import uuid

import boto3
import botocore
from botocore.client import Config
from botocore.exceptions import ClientError

from place import access_key, bucket, endpoint, http, is_refused, large, same, secret_key, small

page = "https://app.example.com"
keys = {"aws_access_key_id": access_key, "aws_secret_access_key": secret_key}


def code_of(call, *arguments, **options):
    """The code of the error that a call raises, or None."""
    try:
        call(*arguments, **options)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


def from_page(method, url, data=None, headers=None):
    """Sends a request as a script of a page of another origin does; the browser hides replies without this header."""
    request = urllib.request.Request(url, data=data, method=method, headers={"Origin": page, **(headers or {})})
    with urllib.request.urlopen(request) as reply:
        assert reply.headers["Access-Control-Allow-Origin"] in ("*", page), dict(reply.headers)
        return reply.status, reply.read(), reply.headers


def post_from_page(form, content, filename="a b.png"):
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in form["fields"].items()
    ]
    head = "".join(parts) + f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
    body = head.encode() + b"Content-Type: image/png\r\n\r\n" + content + f"\r\n--{boundary}--\r\n".encode()
    return from_page("POST", form["url"], body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})


def plane():
    config = boto3.session.Config(signature_version="s3v4")
    s3 = boto3.client("s3", endpoint_url=endpoint, region_name=None or "us-east-1", config=config, **keys)
    key = "5f4/asset-sea.png"
    form = s3.generate_presigned_post(
        Bucket=bucket,
        Key=key,
        Fields={"Content-Type": "image/png", "key": key},
        Conditions=[
            {"bucket": bucket},
            ["content-length-range", 1, len(small)],
            {"Content-Type": "image/png"},
            {"key": key},
        ],
        ExpiresIn=3600,
    )
    status, _, _ = post_from_page(form, small)
    assert status == 204, status
    try:
        post_from_page(form, small + b"more")
        raise AssertionError("a file over the limit was taken")
    except urllib.error.HTTPError as error:
        assert error.code == 400 and b"EntityTooLarge" in error.read()
    head = s3.head_object(Bucket=bucket, Key=key)
    assert (head["ContentType"], head["ContentLength"]) == ("image/png", len(small)), head
    url = s3.generate_presigned_url(
        "get_object",
        Params={"Bucket": bucket, "Key": key, "ResponseContentDisposition": "inline; filename*=UTF-8''a%20b.png"},
        ExpiresIn=3600,
        HttpMethod="GET",
    )
    _, content, headers = from_page("GET", url)
    same(content, small)
    assert headers["Content-Disposition"] == "inline; filename*=UTF-8''a%20b.png"
    s3.copy_object(Bucket=bucket, CopySource={"Bucket": bucket, "Key": key}, Key="copied.png")
    s3.upload_fileobj(io.BytesIO(large), bucket, "export.zip", ExtraArgs={"ContentType": "application/zip"})
    # Its web server passes requests for the bucket on without a signature.
    same(http("GET", f"{endpoint}/{bucket}/copied.png"), small)
    deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key}, {"Key": "copied.png"}]})
    assert len(deleted["Deleted"]) == 2, deleted


def dify():
    s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", config=Config(s3={"addressing_style": "auto"}), **keys)
    assert code_of(s3.head_bucket, Bucket=bucket) == "404"
    s3.create_bucket(Bucket=bucket)
    s3.head_bucket(Bucket=bucket)
    key = "upload_files/tenant/report.pdf"
    s3.put_object(Bucket=bucket, Key=key, Body=large)
    same(b"".join(s3.get_object(Bucket=bucket, Key=key)["Body"].iter_chunks()), large)
    s3.download_file(bucket, key, "report.pdf")
    with open("report.pdf", "rb") as file:
        same(file.read(), large)
    assert code_of(s3.get_object, Bucket=bucket, Key="absent") == "NoSuchKey"
    assert code_of(s3.head_object, Bucket=bucket, Key="absent") == "404"
    s3.delete_object(Bucket=bucket, Key=key)


def label_studio():
    config = boto3.session.Config(signature_version="s3v4")
    session = boto3.Session(**keys)
    s3 = session.client("s3", config=config, region_name="us-east-1", endpoint_url=endpoint)
    place = session.resource("s3", config=config, region_name="us-east-1", endpoint_url=endpoint).Bucket(bucket)
    for name in ("tasks/1.json", "tasks/2.json", "tasks/deep/3.json", "images/sea one.jpg"):
        s3.put_object(Bucket=bucket, Key=name, Body=small)
    s3.list_objects_v2(Bucket=bucket, Prefix="tasks/", MaxKeys=1)
    found = [one.key for one in place.objects.filter(Prefix="tasks/", Delimiter="/").page_size(1).all()]
    assert found == ["tasks/1.json", "tasks/2.json"], found
    url = s3.generate_presigned_url(
        ClientMethod="get_object", Params={"Bucket": bucket, "Key": "images/sea one.jpg"}, ExpiresIn=3600
    )
    # The labels of audio and of large images are drawn over ranges of the file.
    status, content, _ = from_page("GET", url, headers={"Range": "bytes=100-199"})
    assert status == 206
    same(content, small[100:200])
    place.Object("annotations/1").put(Body=b"{}")
    assert place.Object("annotations/1").get()["Body"].read() == b"{}"
    assert code_of(s3.head_bucket, Bucket="no-such-bucket") == "404"


def zulip():
    def bucket_of(name, signature=None):
        config = Config(signature_version=signature, s3={"addressing_style": "auto"})
        return boto3.resource("s3", region_name=None, endpoint_url=endpoint, config=config, **keys).Bucket(name)

    os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
    uploads, avatars = bucket_of(bucket), bucket_of("zulip-avatars")
    key = "2/aGk/letter — é.pdf"
    uploads.Object(key).put(
        Body=small,
        Metadata={"user_profile_id": "7", "realm_id": "2"},
        ContentType="application/pdf",
        StorageClass="STANDARD",
        ContentDisposition="attachment; filename=letter.pdf",
    )
    avatars.Object("2/avatar.png").put(Body=small, ContentType="image/png", CacheControl="public, max-age=31536000, immutable")
    url = uploads.meta.client.generate_presigned_url(
        ClientMethod="get_object",
        Params={"Bucket": bucket, "Key": key, "ResponseContentDisposition": "attachment; filename*=utf-8''letter.pdf"},
        ExpiresIn=60,
        HttpMethod="GET",
    )
    same(http("GET", url), small)
    assert uploads.Object(key).metadata == {"user_profile_id": "7", "realm_id": "2"}
    pages = uploads.meta.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="2/")
    assert [one["Key"] for page in pages for one in page["Contents"]] == [key]
    unsigned = boto3.client("s3", endpoint_url=endpoint, config=Config(signature_version=botocore.UNSIGNED))
    public = unsigned.generate_presigned_url("get_object", Params={"Bucket": "zulip-avatars", "Key": "2/avatar.png"}, ExpiresIn=0)
    assert is_refused(public)
    statement = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::zulip-avatars/*"}
    policy = str({"Version": "2012-10-17", "Statement": [statement]}).replace("'", '"')
    avatars.meta.client.put_bucket_policy(Bucket="zulip-avatars", Policy=policy)
    same(http("GET", public), small)
    assert is_refused(f"{endpoint}/zulip-avatars?list-type=2")
    uploads.delete_objects(Delete={"Objects": [{"Key": key}, {"Key": "absent"}]})
    assert code_of(uploads.Object(key).load) == "404"


def la_suite_docs():
    config = Config(signature_version="s3v4")
    s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", config=config, **keys)
    key = "0d8/file"
    for text in (b"first", b"second"):
        s3.put_object(Bucket=bucket, Key=key, Body=text, ContentType="text/plain")
    versions = s3.list_object_versions(Bucket=bucket, Prefix=key, MaxKeys=50)["Versions"]
    assert [one["IsLatest"] for one in versions] == [True, False], versions
    assert all(one["ETag"] and one["VersionId"] and one["Size"] and one["LastModified"] for one in versions)
    old = s3.get_object(Bucket=bucket, Key=key, VersionId=versions[1]["VersionId"])
    assert old["Body"].read() == b"first"
    # Its nginx passes these headers of a subrequest to the store, with the host of the store.
    request = botocore.awsrequest.AWSRequest(method="get", url=f"{endpoint}/{bucket}/{key}")
    credentials = s3._request_signer._credentials.get_frozen_credentials()
    botocore.auth.S3SigV4Auth(credentials, "s3", "us-east-1").add_auth(request)
    names = ("Authorization", "X-Amz-Date", "X-Amz-Content-SHA256")
    passed = urllib.request.Request(request.url, headers={name: request.headers[name] for name in names})
    with urllib.request.urlopen(passed) as reply:
        assert reply.read() == b"second"
    attachment = "0d8/attachments/é.png"
    s3.upload_fileobj(io.BytesIO(small), bucket, attachment, ExtraArgs={"ContentType": "image/png", "Metadata": {"owner": "me"}})
    s3.copy_object(
        Bucket=bucket,
        Key=attachment,
        CopySource={"Bucket": bucket, "Key": attachment},
        Metadata={"owner": "me", "status": "ready"},
        MetadataDirective="REPLACE",
        ContentType="image/png",
    )
    assert s3.head_object(Bucket=bucket, Key=attachment)["Metadata"] == {"owner": "me", "status": "ready"}
    s3.delete_object(Bucket=bucket, Key=key)
    assert code_of(s3.get_object, Bucket=bucket, Key=key) == "NoSuchKey"


globals()[os.environ["APPLICATION"].replace("-", "_")]()
