"""aws-cli: `mb`, `cp` in parts, `sync`, `ls`, `presign`, `rm` and `rb`."""

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
upload = aws(
    *("s3api", "list-multipart-uploads", "--bucket", bucket),
    *("--query", "Uploads[0].UploadId", "--output", "text"),
).strip()
aws("s3api", "abort-multipart-upload", "--bucket", bucket, "--key", "open.bin", "--upload-id", upload)
aws("s3", "rm", "--recursive", root)
aws("s3", "rb", root)
