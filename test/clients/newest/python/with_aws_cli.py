"""aws-cli: `mb`, `cp` in parts, `sync`, `ls`, `presign`, `rm` and `rb`."""

import json

from place import aws_keys, bucket, endpoint, http, run, same, same_files, small, source_folder


def aws(*arguments):
    return run("aws", *arguments, AWS_ENDPOINT_URL=endpoint, **aws_keys)


root = f"s3://{bucket}"
aws("s3", "mb", root)
aws("s3", "sync", source_folder(), f"{root}/set")
aws("s3", "sync", f"{root}/set", "copy")
same_files("copy")
same(http("GET", aws("s3", "presign", f"{root}/set/small one.bin").strip()), small)
assert "small one.bin" in aws("s3", "ls", f"{root}/set/")
aws("s3api", "delete-object", "--bucket", bucket, "--key", "absent")
aws("s3api", "create-multipart-upload", "--bucket", bucket, "--key", "open.bin")
tagged = ("--bucket", bucket, "--key", "tagged.bin")
aws("s3", "cp", "--storage-class", "STANDARD_IA", "copy/small one.bin", f"{root}/tagged.bin")
aws("s3api", "put-object-tagging", *tagged, "--tagging", "TagSet=[{Key=a,Value=1}]")
assert json.loads(aws("s3api", "get-object-tagging", *tagged))["TagSet"] == [{"Key": "a", "Value": "1"}]
head = json.loads(aws("s3api", "head-object", *tagged))
assert (head["StorageClass"], head["TagCount"]) == ("STANDARD_IA", 1), head
aws("s3", "cp", f"{root}/tagged.bin", f"{root}/copied.bin")
assert json.loads(aws("s3api", "get-object-tagging", *tagged[:3], "copied.bin"))["TagSet"] != []
upload = aws(
    *("s3api", "list-multipart-uploads", "--bucket", bucket),
    *("--query", "Uploads[0].UploadId", "--output", "text"),
).strip()
aws("s3api", "abort-multipart-upload", "--bucket", bucket, "--key", "open.bin", "--upload-id", upload)
aws("s3", "rm", "--recursive", root)
aws("s3", "rb", root)
