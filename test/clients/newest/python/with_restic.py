"""restic: a repository made, backed up to, checked, restored, forgotten and pruned."""

from place import aws_keys, bucket, endpoint, run, same_files, source_folder


def restic(*arguments):
    repository = {"RESTIC_REPOSITORY": f"s3:{endpoint}/{bucket}", "RESTIC_PASSWORD": "secret"}
    return run("restic", *arguments, **repository, **aws_keys)


source = source_folder()
restic("init")
restic("backup", source)
restic("check", "--read-data")
restic("restore", "latest", "--target", "restored")
same_files(f"restored/{source}")
(source / "large.bin").unlink()
restic("backup", source)
restic("forget", "--keep-last", "1", "--prune")
restic("check", "--read-data")
assert restic("list", "snapshots").count("\n") == 1
