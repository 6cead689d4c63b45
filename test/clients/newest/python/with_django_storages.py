"""django-storages: a media storage at its defaults, with presigned URLs."""

import django
from django.conf import settings
from django.core.files.base import ContentFile
from place import access_key, bucket, endpoint, http, large, same, secret_key, small

settings.configure()
django.setup()
from storages.backends.s3 import S3Storage  # noqa: E402

storage = S3Storage(
    bucket_name=bucket, endpoint_url=endpoint, access_key=access_key, secret_key=secret_key
)
owner = storage.connection.meta.client
owner.create_bucket(Bucket=bucket)
name = storage.save("uploads/large one.bin", ContentFile(large))
same(storage.open(name).read(), large)
storage.save("uploads/small.bin", ContentFile(small))
same(http("GET", storage.url("uploads/small.bin")), small)
assert storage.listdir("uploads")[1] == ["large one.bin", "small.bin"]
assert storage.exists("uploads/small.bin") and not storage.exists("uploads/absent.bin")
for key in (name, "uploads/small.bin", "uploads/absent.bin"):
    storage.delete(key)
owner.delete_bucket(Bucket=bucket)
