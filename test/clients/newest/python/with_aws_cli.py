"""aws-cli: `mb`, `cp` in parts, `sync`, `ls`, `presign`, `rm` and `rb`."""

import os
import pathlib
import subprocess
import sys

from place import access_key, bucket, endpoint, http, large, same, secret_key, small

environment = {
    **os.environ,
    "AWS_ENDPOINT_URL": endpoint,
    "AWS_ACCESS_KEY_ID": access_key,
    "AWS_SECRET_ACCESS_KEY": secret_key,
}
program = pathlib.Path(sys.executable).with_name("aws")


def aws(*arguments):
    command = [sys.executable, program, *arguments]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


root = f"s3://{bucket}"
aws("s3", "mb", root)
folder = pathlib.Path("aws-cli")
folder.mkdir()
(folder / "small one.bin").write_bytes(small)
(folder / "large.bin").write_bytes(large)
aws("s3", "sync", str(folder), f"{root}/set")
aws("s3", "cp", f"{root}/set/large.bin", "large.copy")
same(pathlib.Path("large.copy").read_bytes(), large)
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
