"""s3fs: a file written in blocks, a listing, a presigned URL."""

import s3fs
from place import access_key, bucket, endpoint, http, large, same, secret_key, small

files = s3fs.S3FileSystem(key=access_key, secret=secret_key, endpoint_url=endpoint)
files.mkdir(bucket)
with files.open(f"{bucket}/folder/large.bin", "wb", block_size=5 * 1024 * 1024) as file:
    file.write(large)
files.pipe(f"{bucket}/folder/small.bin", small)
same(files.cat(f"{bucket}/folder/large.bin"), large)
same(files.cat_file(f"{bucket}/folder/large.bin", start=9_000, end=10_000), large[9_000:10_000])
assert files.ls(f"{bucket}/folder") == [f"{bucket}/folder/large.bin", f"{bucket}/folder/small.bin"]
same(http("GET", files.sign(f"{bucket}/folder/small.bin")), small)
files.mv(f"{bucket}/folder/small.bin", f"{bucket}/moved.bin")
same(files.cat(f"{bucket}/moved.bin"), small)
assert files.list_multipart_uploads(bucket) == []
files.rm(bucket, recursive=True)
assert not files.exists(bucket)
