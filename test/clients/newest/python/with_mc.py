"""mc: `alias set`, `mb -p`, `mirror`, a pipe in parts, a part of a file, `mv`, `share`, `tag`,
`anonymous`, `event`, `ls`, `rm` and `rb`."""

import json

from place import access_key, bucket, endpoint, expect_events, failure, fails, http, is_refused, large, read, run, same, same_files
from place import secret_key, small, source_folder

root = f"gw/{bucket}"


def mc(*arguments):
    return [json.loads(line) for line in run("mc", "--json", *arguments).splitlines()]


mc("alias", "set", "gw", endpoint, access_key, secret_key)
mc("mb", "-p", root)
mc("mb", "-p", root)
mc("mirror", source_folder(), f"{root}/set")
mc("mirror", f"{root}/set", "copy")
same_files("copy")
read("mc", "pipe", f"{root}/piped.bin", data=large)
same(read("mc", "cat", f"{root}/piped.bin"), large)
same(read("mc", "cat", "--offset", "9000", f"{root}/set/small one.bin"), small[9_000:])
mc("mv", f"{root}/set/small one.bin", f"{root}/moved.bin")
same(http("GET", mc("share", "download", f"{root}/moved.bin")[0]["share"]), small)
keys = [one["key"] for one in mc("ls", "--recursive", root)]
assert keys == ["moved.bin", "piped.bin", "set/large.bin"], keys
mc("tag", "set", f"{root}/moved.bin", "colour=blue&size=a b")
assert mc("tag", "list", f"{root}/moved.bin")[0]["tagset"] == {"colour": "blue", "size": "a b"}
mc("tag", "remove", f"{root}/moved.bin")
assert not mc("tag", "list", f"{root}/moved.bin")[0].get("tagset")
mc("cp", "--tags", "a=1", "--storage-class", "STANDARD_IA", "copy/small one.bin", f"{root}/tagged.bin")
assert mc("tag", "list", f"{root}/tagged.bin")[0]["tagset"] == {"a": "1"}
mc("rm", f"{root}/tagged.bin")
mc("anonymous", "set", "download", f"{root}/set")
assert mc("anonymous", "get", f"{root}/set")[0]["permission"] == "download"
same(http("GET", f"{endpoint}/{bucket}/set/large.bin"), large)
assert is_refused(f"{endpoint}/{bucket}/moved.bin")
mc("anonymous", "set", "none", f"{root}/set")
assert is_refused(f"{endpoint}/{bucket}/set/large.bin")
mc("anonymous", "set", "download", root)
same(http("GET", f"{endpoint}/{bucket}/moved.bin"), small)
mc("anonymous", "set", "private", root)
assert is_refused(f"{endpoint}/{bucket}/moved.bin")
for access in ("public", "upload"):
    mc("anonymous", "set", access, root)
    assert mc("anonymous", "get", root)[0]["permission"] == access
    http("PUT", f"{endpoint}/{bucket}/by-everyone.bin", small)
    same(read("mc", "cat", f"{root}/by-everyone.bin"), small)
    assert is_refused(f"{endpoint}/{bucket}/moved.bin") == (access == "upload")
mc("rm", f"{root}/by-everyone.bin")
mc("anonymous", "set", "none", root)
assert is_refused(f"{endpoint}/{bucket}/moved.bin")
mc("mb", "--ignore-existing", root)
mc("cp", "--attr", "Cache-Control=max-age=60;colour=blue", "copy/small one.bin", f"{root}/attributes.bin")
kept = mc("stat", f"{root}/attributes.bin")[0]["metadata"]
assert (kept["Cache-Control"], kept["X-Amz-Meta-Colour"]) == ("max-age=60", "blue"), kept
mc("rm", f"{root}/attributes.bin")
mc("ilm", "rule", "add", "--expire-days", "30", "--prefix", "tmp/", root)
rules = mc("ilm", "rule", "list", root)[0]["config"]["Rules"]
assert [rule["Expiration"]["Days"] for rule in rules] == [30], rules
assert "bucketry keys" in failure("mc", "--json", "admin", "user", "add", "gw", "app", "a-secret-of-app")
assert "There is no admin API" in failure("mc", "--json", "quota", "set", root, "--size", "1GB")
arn = "arn:minio:sqs::1:webhook"
mc("event", "add", root, arn, "--event", "put,delete", "--prefix", "in box/", "--suffix", ".txt")
rule = mc("event", "list", root)[0]
assert (rule["arn"], rule["prefix"], rule["suffix"]) == (arn, "in box/", ".txt"), rule
assert rule["event"] == ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"], rule
assert fails("mc", "event", "add", root, "arn:minio:sqs::1:kafka", "--event", "put")
mc("cp", "copy/small one.bin", f"{root}/in box/a+b.txt")
mc("cp", "copy/small one.bin", f"{root}/in box/picture.png")
mc("mv", f"{root}/in box/a+b.txt", f"{root}/in box/c.txt")
created, removed = "ObjectCreated", "ObjectRemoved:Delete"
changes = (f"{created}:Put in+box/a%2Bb.txt", f"{created}:Copy in+box/c.txt", f"{removed} in+box/a%2Bb.txt")
expect_events(*changes)
mc("event", "remove", root, arn, "--event", "put,delete", "--prefix", "in box/", "--suffix", ".txt")
assert mc("event", "list", root) == []
mc("event", "add", root, arn, "--event", "put")
mc("event", "remove", root, "--force")
mc("rm", "--recursive", "--force", f"{root}/in box")
expect_events(*changes)
assert fails("mc", "stat", f"{root}/absent.bin")
mc("rm", "--recursive", "--force", f"{root}/set")
mc("rb", "--force", root)
