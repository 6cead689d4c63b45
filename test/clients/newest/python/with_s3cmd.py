"""s3cmd: files in parts and folders, a link, tags, and the documents of a bucket."""

import json
import pathlib
import urllib.parse

from place import access_key, bucket, endpoint, expect_events, fails, http, is_refused, large, run, same, same_files
from place import secret_key, small, source_folder

root = f"s3://{bucket}"
host = urllib.parse.urlsplit(endpoint).netloc
keys = ("--access_key", access_key, "--secret_key", secret_key)
place = ("--no-ssl", f"--host={host}", f"--host-bucket={host}", *keys)


def s3cmd(*arguments):
    return run("s3cmd", *place, *arguments)


source = source_folder()
s3cmd("mb", root)
s3cmd("put", "--recursive", "--acl-public", f"{source}/", f"{root}/set/")
s3cmd("sync", f"{root}/set/", "copy/")
same_files("copy")
# Accepted without effect.
s3cmd("setacl", "--acl-public", "--recursive", f"{root}/set/")
assert is_refused(f"{endpoint}/{bucket}/set/large.bin")
same(http("GET", s3cmd("signurl", f"{root}/set/large.bin", "+60").strip()), large)
s3cmd("modify", "--add-header=x-amz-meta-colour:blue", f"{root}/set/small one.bin")
s3cmd("mv", f"{root}/set/small one.bin", f"{root}/moved.bin")
assert "x-amz-meta-colour: blue" in s3cmd("info", f"{root}/moved.bin")
s3cmd("settagging", f"{root}/moved.bin", "colour=blue&size=1")
assert s3cmd("gettagging", f"{root}/moved.bin").split()[-4:] == ["colour:", "blue", "size:", "1"]

statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{bucket}/set/*"}
pathlib.Path("policy.json").write_text(json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
s3cmd("setpolicy", "policy.json", root)
same(http("GET", f"{endpoint}/{bucket}/set/large.bin"), large)
s3cmd("delpolicy", root)
assert is_refused(f"{endpoint}/{bucket}/set/large.bin")
s3cmd("expire", "--expiry-days=3", "--expiry-prefix=old/", root)
assert "<Days>3</Days>" in s3cmd("getlifecycle", root)
s3cmd("dellifecycle", root)
target = "<Queue>arn:aws:sqs:us-east-1:1:webhook</Queue><Event>s3:ObjectCreated:*</Event>"
notification = f"<NotificationConfiguration><QueueConfiguration>{target}</QueueConfiguration></NotificationConfiguration>"
pathlib.Path("notification.xml").write_text(notification)
s3cmd("setnotification", "notification.xml", root)
s3cmd("put", "copy/small one.bin", f"{root}/new.bin")
expect_events("ObjectCreated:Put new.bin")
s3cmd("delnotification", root)
s3cmd("setblockpublicaccess", root, "BlockPublicAcls,BlockPublicPolicy")
assert fails("s3cmd", *place, "setpolicy", "policy.json", root)
s3cmd("setownership", root, "BucketOwnerEnforced")
s3cmd("setversioning", root, "disable")
assert s3cmd("multipart", root).splitlines()[2:] == []
assert s3cmd("du", root).split()[1:3] == ["3", "objects"]
s3cmd("del", "--recursive", "--force", root)
s3cmd("rb", root)
