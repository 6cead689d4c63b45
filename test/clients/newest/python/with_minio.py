"""minio-py: a stream of unknown length in parts, presigned URLs, removal of many objects."""

import io
import urllib.parse

from minio import Minio
from minio.deleteobjects import DeleteObject
from place import access_key, bucket, endpoint, http, large, same, secret_key, small

client = Minio(
    endpoint=urllib.parse.urlsplit(endpoint).netloc,
    access_key=access_key,
    secret_key=secret_key,
    secure=False,
)
if not client.bucket_exists(bucket_name=bucket):
    client.make_bucket(bucket_name=bucket)


def put(key, data, length):
    client.put_object(
        bucket_name=bucket,
        object_name=key,
        data=io.BytesIO(data),
        length=length,
        part_size=5 * 1024 * 1024,
    )


put("large.bin", large, -1)
put("small one.bin", small, len(small))
same(client.get_object(bucket_name=bucket, object_name="large.bin").read(), large)
http("PUT", client.presigned_put_object(bucket_name=bucket, object_name="presigned.bin"), small)
url = client.presigned_get_object(bucket_name=bucket, object_name="presigned.bin")
same(http("GET", url), small)
keys = [one.object_name for one in client.list_objects(bucket_name=bucket, recursive=True)]
assert keys == ["large.bin", "presigned.bin", "small one.bin"], keys
client.remove_object(bucket_name=bucket, object_name="absent.bin")
doomed = [DeleteObject(name=key) for key in keys]
assert not list(client.remove_objects(bucket_name=bucket, delete_object_list=doomed))
client.remove_bucket(bucket_name=bucket)
