"""obstore (Rust's object_store): multipart, conditional writes, ranges, presigned URLs."""

from datetime import timedelta

import obstore
from obstore.exceptions import AlreadyExistsError
from obstore.store import S3Store
from place import access_key, bucket, endpoint, http, large, same, secret_key, small

store = S3Store(
    bucket,
    endpoint=endpoint,
    access_key_id=access_key,
    secret_access_key=secret_key,
    client_options={"allow_http": True},
)
obstore.put(store, "folder/large.bin", large)
same(bytes(obstore.get(store, "folder/large.bin").bytes()), large)
same(bytes(obstore.get_range(store, "folder/large.bin", start=5, end=900)), large[5:900])
obstore.put(store, "small one.bin", small, mode="create")
try:
    obstore.put(store, "small one.bin", small, mode="create")
    raise AssertionError("the second creation must fail")
except AlreadyExistsError:
    pass
http("PUT", obstore.sign(store, "PUT", "presigned.bin", timedelta(minutes=5)), small)
same(http("GET", obstore.sign(store, "GET", "presigned.bin", timedelta(minutes=5))), small)
keys = sorted(one["path"] for page in obstore.list(store) for one in page)
assert keys == ["folder/large.bin", "presigned.bin", "small one.bin"], keys
obstore.delete(store, "absent.bin")
obstore.delete(store, keys)
assert [one for page in obstore.list(store) for one in page] == []
