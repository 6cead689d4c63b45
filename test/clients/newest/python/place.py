"""The gateway that a scenario talks to, and what all scenarios compare."""

import hashlib
import os
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

endpoint = os.environ["ENDPOINT"]
# Of a gateway with ACLS=bucket and SERVER_SIDE_ENCRYPTION=claim, with the same keys. It has no bucket.
other_endpoint = os.environ["OTHER_ENDPOINT"]
access_key = os.environ["ACCESS_KEY"]
secret_key = os.environ["SECRET_KEY"]
bucket = os.environ["BUCKET"]
# As most programs take them.
aws_keys = {"AWS_ACCESS_KEY_ID": access_key, "AWS_SECRET_ACCESS_KEY": secret_key}
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


def is_refused(url):
    """Whether a request without a signature gets 403."""
    try:
        http("GET", url)
    except urllib.error.HTTPError as error:
        return error.code == 403
    return False


def expect_events(*expected):
    """Waits until the gateway's webhook has received just these events of the bucket, in any order."""
    for _ in range(300):
        received = http("GET", os.environ["EVENTS"]).decode().splitlines()
        if len(received) >= len(expected):
            break
        time.sleep(0.1)
    assert sorted(received) == sorted(expected), received


def read(*command, data=None, **settings):
    """Runs a program with data as its input and settings in its environment, and returns what it writes."""
    environment = {**os.environ, **settings}
    return subprocess.run(command, env=environment, input=data, check=True, stdout=subprocess.PIPE).stdout


def run(*command, **settings):
    """Runs a program like `read`, and returns the text that it prints."""
    return read(*command, **settings).decode()


def fails(*command, **settings):
    """Whether the program ends with an error."""
    return failure(*command, **settings) is not None


def failure(*command, **settings):
    """What the program prints if it ends with an error; None if it succeeds."""
    try:
        read(*command, **settings)
    except subprocess.CalledProcessError as error:
        return error.stdout.decode()
    return None


def source_folder():
    """A folder with a small file and one that is uploaded in parts."""
    folder = pathlib.Path("source")
    folder.mkdir()
    (folder / "small one.bin").write_bytes(small)
    (folder / "large.bin").write_bytes(large)
    return folder


def same_files(folder):
    """Compares a folder with the source folder."""
    same(pathlib.Path(folder, "small one.bin").read_bytes(), small)
    same(pathlib.Path(folder, "large.bin").read_bytes(), large)
