"""s3fs-fuse: a mounted bucket in which files are written, read, changed, renamed and removed."""

import pathlib
import shutil

from place import access_key, bucket, endpoint, large, run, same, same_files, secret_key, source_folder

source = source_folder()
password = pathlib.Path("password")
password.write_text(f"{access_key}:{secret_key}")
password.chmod(0o600)
drive = pathlib.Path("drive")
drive.mkdir()
options = [f"url={endpoint}", "use_path_request_style", f"passwd_file={password.absolute()}", "use_cache="]


def mounted(work):
    run("s3fs", bucket, drive.absolute(), *(part for option in options for part in ("-o", option)))
    try:
        work()
    finally:
        # It has uploaded a file when this returns.
        run("fusermount", "-u", drive.absolute())


def write():
    shutil.copytree(source, drive / "copied")
    (drive / "copied/changed.txt").write_text("first")
    with open(drive / "copied/changed.txt", "a") as file:
        file.write(" and second")
    (drive / "copied/large.bin").rename(drive / "copied/renamed.bin")


def read():
    same((drive / "copied/renamed.bin").read_bytes(), large)
    assert (drive / "copied/changed.txt").read_text() == "first and second"
    (drive / "copied/renamed.bin").rename(drive / "copied/large.bin")
    same_files(drive / "copied")
    shutil.rmtree(drive / "copied")
    assert list(drive.iterdir()) == []


mounted(write)
# Mounted again: nothing comes from memory.
mounted(read)
