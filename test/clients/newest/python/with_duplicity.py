"""duplicity: a full and an incremental backup in volumes of 5 MB, verified and restored, and an old chain removed."""

from place import aws_keys, bucket, endpoint, run, same_files, source_folder

target = f"boto3+s3://{bucket}/backup"


def duplicity(action, *arguments):
    options = ["--no-encryption", "--volsize", "5", "--s3-endpoint-url", endpoint]
    return run("duplicity", action, *options, *arguments, **aws_keys)


source = source_folder()
duplicity("full", source, target)
(source / "added.txt").write_text("added")
duplicity("incremental", source, target)
duplicity("verify", "--compare-data", target, source)
duplicity("restore", target, "restored")
same_files("restored")
duplicity("full", source, target)
duplicity("remove-all-but-n-full", "1", "--force", target)
assert "Number of contained backup sets: 1" in duplicity("collection-status", target)
