"""litestream: a SQLite database replicated twice, with changes between, and restored."""

import contextlib
import sqlite3

from place import aws_keys, bucket, endpoint, fails, run

replica = f"s3://{bucket}/database?endpoint={endpoint}&region=us-east-1"


def numbers(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return [number for (number,) in database.execute("SELECT number FROM numbers ORDER BY number")]


assert fails("litestream", "restore", "-o", "absent.db", replica, **aws_keys)
with contextlib.closing(sqlite3.connect("data.db")) as database:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE numbers (number, filling)")
    for turn in range(2):
        rows = [(number, "x" * 1_000) for number in range(turn * 10_000, (turn + 1) * 10_000)]
        database.executemany("INSERT INTO numbers VALUES (?, ?)", rows)
        database.commit()
        run("litestream", "replicate", "-once", "data.db", replica, **aws_keys)
run("litestream", "restore", "-o", "restored.db", replica, **aws_keys)
assert numbers("restored.db") == list(range(20_000))
run("litestream", "replicate", "-once", "-force-snapshot", "-enforce-retention", "data.db", replica, **aws_keys)
