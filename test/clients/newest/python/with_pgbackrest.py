"""pgBackRest: PostgreSQL archived, backed up in full and incrementally, checked, restored and expired."""

import pathlib

from database import database
from place import access_key, bucket, endpoint, secret_key
from tls import tls_in_front_of

# It speaks TLS only.
port = tls_in_front_of(endpoint)


def archiving(folder):
    pathlib.Path(folder, "pgbackrest.conf").write_text(f"""[global]
repo1-type=s3
repo1-path=/pgbackrest
repo1-s3-bucket={bucket}
repo1-s3-endpoint=127.0.0.1
repo1-storage-port={port}
repo1-storage-verify-tls=n
repo1-s3-uri-style=path
repo1-s3-region=us-east-1
repo1-s3-key={access_key}
repo1-s3-key-secret={secret_key}
repo1-bundle=y
repo1-retention-full=1
process-max=4
start-fast=y
log-path={folder}
lock-path={folder}/lock
spool-path={folder}/spool
[server]
pg1-path={folder}/data
pg1-socket-path={folder}
""")
    return f"""archive_mode = on
wal_level = replica
archive_command = 'pgbackrest --config={folder}/pgbackrest.conf --stanza=server archive-push %p'
"""


with database(archiving) as server:

    def pgbackrest(*arguments):
        return server.run("pgbackrest", f"--config={server.folder}/pgbackrest.conf", "--stanza=server", *arguments)

    pgbackrest("stanza-create")
    pgbackrest("check")
    server.sql("CREATE TABLE numbers AS SELECT generate_series(1, 200000) AS number")
    pgbackrest("--type=full", "backup")
    server.sql("INSERT INTO numbers SELECT generate_series(200001, 300000)")
    pgbackrest("--type=incr", "backup")
    pgbackrest("verify")
    server.stop()
    pgbackrest("--delta", "--type=immediate", "--target-action=promote", "restore")
    server.recover()
    assert server.sql("SELECT count(*), max(number) FROM numbers") == "300000|300000"
    pgbackrest("--type=full", "backup")
    pgbackrest("expire")
    assert pgbackrest("info").count("full backup") == 1
