"""django-storages: a media storage at its defaults, with presigned URLs, and one of a public web site."""

import json

import django
from django.conf import settings
from django.core.files.base import ContentFile
from place import access_key, bucket, endpoint, http, is_refused, large, same, secret_key, small

settings.configure()
django.setup()
from storages.backends.s3 import S3Storage  # noqa: E402

place = {"bucket_name": bucket, "endpoint_url": endpoint, "access_key": access_key, "secret_key": secret_key}
storage = S3Storage(**place)
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

# The ACL opens nothing, as on AWS since buckets have none: a policy does.
assets = {"default_acl": "public-read", "location": "static", "object_parameters": {"CacheControl": "max-age=60"}}
signed = S3Storage(**place, **assets)
site = S3Storage(**place, **assets, querystring_auth=False)
site.save("site.css", ContentFile(small))
same(http("GET", signed.url("site.css")), small)
assert site.url("site.css") == f"{endpoint}/{bucket}/static/site.css", site.url("site.css")
assert is_refused(site.url("site.css"))
statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}
policy = json.dumps({"Statement": [{**statement, "Resource": f"arn:aws:s3:::{bucket}/static/*"}]})
owner.put_bucket_policy(Bucket=bucket, Policy=policy)
same(http("GET", site.url("site.css")), small)
storage.save("private.css", ContentFile(small))
assert is_refused(f"{endpoint}/{bucket}/private.css")
for one, key in ((site, "site.css"), (storage, "private.css")):
    one.delete(key)
owner.delete_bucket(Bucket=bucket)
