"""Ansible's modules for S3: what a playbook declares is kept and read back, so that a second run changes nothing."""

import json
import pathlib
import re
import sys

from place import access_key, bucket, endpoint, expect_events, http, is_refused, other_endpoint, run, same
from place import secret_key, small

statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}
policy = {"Version": "2012-10-17", "Statement": [{**statement, "Resource": f"arn:aws:s3:::{bucket}/site/*"}]}
block = {"block_public_acls": False, "ignore_public_acls": True, "block_public_policy": False}
declared = {
    **{"name": bucket, "policy": policy, "tags": {"team": "web", "cost": "a b"}, "versioning": False},
    **{"public_access": block, "object_ownership": "BucketOwnerPreferred", "acl": "private"},
}
rule = {"allowed_origins": ["https://example.net"], "allowed_methods": ["GET", "PUT"], "max_age_seconds": 600}
rules = [{**rule, "allowed_headers": ["*"], "expose_headers": ["ETag"]}]
pathlib.Path("small.bin").write_bytes(small)
put = {"bucket": bucket, "mode": "put", "src": "small.bin", "overwrite": "different"}
# It asks for encryption by default (docs/s3-compatibility.md, "Encryption").
plain = {**put, "encrypt": False}
expiry = {"name": bucket, "rule_id": "old", "prefix": "logs/", "expiration_days": 30}
notified = {"bucket_name": bucket, "state": "present", "event_name": "one", "queue_arn": "arn:aws:sqs:us-east-1:000000000000:webhook"}
tasks = [
    {"amazon.aws.s3_bucket": declared},
    {"community.aws.s3_cors": {"name": bucket, "state": "present", "rules": rules}},
    {"community.aws.s3_lifecycle": {**expiry, "abort_incomplete_multipart_upload_days": 7}},
    {"community.aws.s3_bucket_notification": {**notified, "events": ["s3:ObjectCreated:*"], "prefix": "site/"}},
    {"amazon.aws.s3_object": {**plain, "object": "site/a+b é.bin", "tags": {"colour": "dark blue"}}},
    {"amazon.aws.s3_object": {**plain, "object": "private.bin", "permission": "public-read"}},
]


def changes_of(tasks, endpoint=endpoint):
    """Runs tasks, and returns how many of them have changed something."""
    place = {"endpoint_url": endpoint, "access_key": access_key, "secret_key": secret_key, "region": "us-east-1"}
    modules = {name for task in tasks for name in task}
    play = {"hosts": "localhost", "gather_facts": False, "module_defaults": {name: place for name in modules}}
    pathlib.Path("play.json").write_text(json.dumps([{**play, "tasks": tasks}]))
    return int(re.search(r"changed=(\d+)", run(*playbook))[1])


programs = pathlib.Path(sys.executable).parent
interpreter = f"ansible_python_interpreter={sys.executable}"
playbook = (programs / "ansible-playbook", "-i", "localhost,", "-c", "local", "-e", interpreter, "play.json")
assert changes_of(tasks) == len(tasks)
assert changes_of(tasks) == 0
same(http("GET", f"{endpoint}/{bucket}/site/a%2Bb%20%C3%A9.bin"), small)
assert is_refused(f"{endpoint}/{bucket}/private.bin")
expect_events("ObjectCreated:Put site/a%2Bb+%C3%A9.bin")

# What is declared absent is removed, and no more.
gone = {"name": bucket, "policy": {}, "tags": {}, "delete_public_access": True, "delete_object_ownership": True}
removals = [
    {"amazon.aws.s3_bucket": gone},
    {"community.aws.s3_cors": {"name": bucket, "state": "absent"}},
    {"community.aws.s3_lifecycle": {"name": bucket, "state": "absent", "rule_id": "old"}},
    {"community.aws.s3_bucket_notification": {**notified, "state": "absent"}},
]
assert changes_of(removals) == len(removals)
# The module for CORS deletes without a look.
assert changes_of(removals) == 1
assert is_refused(f"{endpoint}/{bucket}/site/a%2Bb%20%C3%A9.bin")
removal = [{"amazon.aws.s3_bucket": {"name": bucket, "state": "absent", "force": True}}]
assert (changes_of(removal), changes_of(removal)) == (1, 0)

# An ACL that opens the bucket, and encryption by the disk.
opened = [
    {"amazon.aws.s3_bucket": {"name": bucket, "acl": "public-read", "encryption": "AES256"}},
    {"amazon.aws.s3_object": {**put, "object": "one.bin", "permission": "public-read"}},
]
assert changes_of(opened, other_endpoint) == len(opened)
assert changes_of(opened, other_endpoint) == 0
same(http("GET", f"{other_endpoint}/{bucket}/one.bin"), small)
