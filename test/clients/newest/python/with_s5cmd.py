"""s5cmd: `mb`, `cp` in parts, `mv`, `sync`, `ls`, `rm` and `rb`."""

from place import aws_keys, bucket, endpoint, fails, run, same_files, source_folder

root = f"s3://{bucket}"
settings = {"S3_ENDPOINT_URL": endpoint, **aws_keys}


def s5cmd(*arguments):
    return run("s5cmd", *arguments, **settings)


s5cmd("mb", root)
# Less than its part size of 50 MiB is one request.
s5cmd("cp", "--part-size", "5", f"{source_folder()}/", f"{root}/set/")
s5cmd("mv", f"{root}/set/*", f"{root}/moved/")
s5cmd("sync", f"{root}/moved/*", "copy/")
same_files("copy")
keys = [line.split(maxsplit=3)[3] for line in s5cmd("ls", f"{root}/*").splitlines()]
assert keys == ["moved/large.bin", "moved/small one.bin"], keys
assert fails("s5cmd", "cat", f"{root}/absent.bin", **settings)
s5cmd("rm", f"{root}/absent.bin")
s5cmd("rm", f"{root}/*")
s5cmd("rb", root)
