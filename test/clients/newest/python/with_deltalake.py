"""deltalake: a table written, appended to with conditional writes, read and vacuumed."""

import pyarrow
from deltalake import DeltaTable, write_deltalake
from place import access_key, bucket, endpoint, secret_key

options = {
    "AWS_ENDPOINT_URL": endpoint,
    "AWS_ACCESS_KEY_ID": access_key,
    "AWS_SECRET_ACCESS_KEY": secret_key,
    "AWS_ALLOW_HTTP": "true",
}
uri = f"s3://{bucket}/table"
for turn in range(3):
    rows = pyarrow.table({"number": list(range(turn * 1_000, (turn + 1) * 1_000))})
    write_deltalake(uri, rows, mode="append", storage_options=options)
table = DeltaTable(uri, storage_options=options)
assert table.version() == 2
numbers = pyarrow.table(table.to_pyarrow_table())["number"].to_pylist()
assert sorted(numbers) == list(range(3_000))
table.optimize.compact()
removed = table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
assert len(removed) == 3, removed
