"""pyarrow: its bucket, a table as Parquet, a stream in parts, a folder removed."""

import pyarrow
import pyarrow.parquet
from place import access_key, bucket, endpoint, large, same, secret_key
from pyarrow import fs

files = fs.S3FileSystem(
    access_key=access_key,
    secret_key=secret_key,
    endpoint_override=endpoint,
    allow_bucket_creation=True,
    allow_bucket_deletion=True,
)
files.create_dir(bucket)
with files.open_output_stream(f"{bucket}/folder/large.bin") as stream:
    stream.write(large)
with files.open_input_file(f"{bucket}/folder/large.bin") as stream:
    same(stream.read(), large)
table = pyarrow.table({"number": list(range(10_000))})
pyarrow.parquet.write_table(table, f"{bucket}/folder/table.parquet", filesystem=files)
assert pyarrow.parquet.read_table(f"{bucket}/folder/table.parquet", filesystem=files) == table
found = files.get_file_info(fs.FileSelector(bucket, recursive=True))
names = {one.base_name for one in found if one.is_file}
assert names == {"large.bin", "table.parquet"}, names
files.delete_dir(f"{bucket}/folder")
files.delete_dir(bucket)
