"""obstore (Rust's object_store): multipart, conditional writes, ranges, attributes, presigned URLs."""

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
attributes = {"Content-Type": "text/plain", "Cache-Control": "max-age=60", "colour": "blue"}
for name, content in (("described.bin", small), ("described large.bin", large)):
    obstore.put(store, name, content, attributes=attributes)
    found = obstore.get(store, name)
    same(bytes(found.bytes()), content)
    assert found.attributes == attributes, found.attributes
    obstore.delete(store, name)
# Kept with the object, but obstore cannot read them.
obstore.put(store, "tagged.bin", small, tags={"colour": "blue"})
obstore.put(store, "tagged large.bin", large, tags={"colour": "blue"})
for name in ("tagged.bin", "tagged%20large.bin"):
    url = obstore.sign(store, "GET", name.replace("%20", " "), timedelta(minutes=5))
    same(http("GET", url), small if name == "tagged.bin" else large)
obstore.delete(store, ["tagged.bin", "tagged large.bin"])
http("PUT", obstore.sign(store, "PUT", "presigned.bin", timedelta(minutes=5)), small)
same(http("GET", obstore.sign(store, "GET", "presigned.bin", timedelta(minutes=5))), small)
keys = sorted(one["path"] for page in obstore.list(store) for one in page)
assert keys == ["folder/large.bin", "presigned.bin", "small one.bin"], keys
obstore.delete(store, "absent.bin")
obstore.delete(store, keys)
assert [one for page in obstore.list(store) for one in page] == []
