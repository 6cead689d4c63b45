"""rclone: files and folders in parts, a part of a file, a link, `moveto`, `lsf`, ACLs, `sync` and `purge`."""

from place import access_key, bucket, endpoint, fails, http, is_refused, large, read, run, same, same_files
from place import other_endpoint, secret_key, small, source_folder

root = f"gw:{bucket}"
settings = {
    "RCLONE_CONFIG_GW_TYPE": "s3",
    "RCLONE_CONFIG_GW_PROVIDER": "Other",
    "RCLONE_CONFIG_GW_ENDPOINT": endpoint,
    "RCLONE_CONFIG_GW_ACCESS_KEY_ID": access_key,
    "RCLONE_CONFIG_GW_SECRET_ACCESS_KEY": secret_key,
}


def rclone(*arguments):
    return run("rclone", *arguments, **settings)


source = source_folder()
# It makes the bucket.
rclone("copyto", f"{source}/small one.bin", f"{root}/one.bin")
# Less than 200 MiB is one request otherwise.
rclone("copy", "--s3-upload-cutoff", "5Mi", source, f"{root}/set")
rclone("check", "--download", source, f"{root}/set")
rclone("copy", f"{root}/set", "copy")
same_files("copy")
piece = ("cat", "--offset", "9000", "--count", "1000", f"{root}/set/large.bin")
same(read("rclone", *piece, **settings), large[9_000:10_000])
read("rclone", "rcat", f"{root}/piped.bin", data=large, **settings)
same(read("rclone", "cat", f"{root}/piped.bin", **settings), large)
rclone("moveto", f"{root}/one.bin", f"{root}/moved.bin")
same(http("GET", rclone("link", f"{root}/moved.bin").strip()), small)
keys = sorted(rclone("lsf", "--recursive", "--files-only", root).splitlines())
assert keys == ["moved.bin", "piped.bin", "set/large.bin", "set/small one.bin"], keys
# Accepted without effect.
public = ("--s3-acl", "public-read")
rclone("copyto", *public, f"{source}/small one.bin", f"{root}/public/one.bin")
read("rclone", "rcat", *public, f"{root}/public/piped.bin", data=large, **settings)
rclone("sync", *public, "--s3-upload-cutoff", "5Mi", source, f"{root}/public")
rclone("check", "--download", source, f"{root}/public")
rclone("moveto", *public, f"{root}/public/large.bin", f"{root}/public/moved.bin")
assert is_refused(f"{endpoint}/{bucket}/public/moved.bin")
assert is_refused(f"{endpoint}/{bucket}/public/small%20one.bin")
rclone("mkdir", "--s3-bucket-acl", "public-read", f"{root}-acl")
assert is_refused(f"{endpoint}/{bucket}-acl")
rclone("rmdir", f"{root}-acl")
assert fails("rclone", "deletefile", f"{root}/absent.bin", **settings)
rclone("purge", root)

# An ACL that opens the bucket, and encryption by the disk.
settings["RCLONE_CONFIG_GW_ENDPOINT"] = other_endpoint
rclone("mkdir", "--s3-bucket-acl", "public-read", root)
encrypted = ("--s3-server-side-encryption", "AES256", "--s3-upload-cutoff", "5Mi")
rclone("copy", *encrypted, "--s3-acl", "public-read", source, root)
rclone("check", "--download", source, root)
same(http("GET", f"{other_endpoint}/{bucket}/large.bin"), large)
rclone("purge", root)
