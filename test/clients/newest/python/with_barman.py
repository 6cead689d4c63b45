"""barman-cloud: WAL segments and backups of PostgreSQL with tags, listed, restored, read again and deleted."""

import json
import pathlib
import sys

from database import database, programs
from place import aws_keys, bucket, endpoint

tools = pathlib.Path(sys.executable).parent
store = ("--endpoint-url", endpoint)
url = f"s3://{bucket}/barman"


def archiving(_folder):
    keys = " ".join(f"{name}={value}" for name, value in aws_keys.items())
    command = f"{keys} {tools}/barman-cloud-wal-archive --endpoint-url {endpoint} --tags kind,wal -- {url} server %p"
    return f"archive_mode = on\narchive_command = '{command}'\nwal_level = replica\n"


with database(archiving) as server:

    def barman(tool, *arguments):
        return server.run(tools / f"barman-cloud-{tool}", *store, *arguments, **aws_keys)

    server.sql("CREATE TABLE numbers AS SELECT generate_series(1, 200000) AS number")
    barman("backup", "--tags", "kind,base", "-h", server.folder, "-d", "postgres", url, "server")
    (backup,) = json.loads(barman("backup-list", "--format", "json", url, "server"))["backups_list"]
    server.stop()
    restored = server.folder / "restored"
    barman("restore", url, "server", backup["backup_id"], restored)
    server.data = restored
    with open(restored / "postgresql.auto.conf", "a") as file:
        keys = " ".join(f"{name}={value}" for name, value in aws_keys.items())
        command = f"{keys} {tools}/barman-cloud-wal-restore --endpoint-url {endpoint} {url} server %f %p"
        file.write(f"archive_mode = off\nrestore_command = '{command}'\n")
    (restored / "recovery.signal").touch()
    server.recover()
    assert server.sql("SELECT count(*), sum(number) FROM numbers") == "200000|20000100000"
    barman("backup-delete", "--backup-id", backup["backup_id"], url, "server")
    assert json.loads(barman("backup-list", "--format", "json", url, "server"))["backups_list"] == []
