"""The gateway that a scenario talks to, and what all scenarios compare."""

import hashlib
import os
import urllib.request

endpoint = os.environ["ENDPOINT"]
access_key = os.environ["ACCESS_KEY"]
secret_key = os.environ["SECRET_KEY"]
bucket = os.environ["BUCKET"]
small = os.urandom(70_000)
# More than the part size of each of the clients.
large = os.urandom(26 * 1024 * 1024 + 5)


def same(got, expected):
    """Compares bytes by their hash, so that a failure does not print them."""
    assert hashlib.sha256(got).hexdigest() == hashlib.sha256(expected).hexdigest()


def http(method, url, body=None):
    """Sends a request as a browser does with a presigned URL, without headers of S3."""
    headers = {} if body is None else {"Content-Type": ""}
    request = urllib.request.Request(url, data=body, method=method, headers=headers)
    with urllib.request.urlopen(request) as response:
        return response.read()
