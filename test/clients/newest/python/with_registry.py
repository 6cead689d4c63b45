"""The container registry: an image pushed, its layer in two pieces, pulled and deleted by HTTP; garbage collected."""

import contextlib
import hashlib
import json
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

from place import access_key, bucket, endpoint, large, run, same, secret_key, small

with socket.create_server(("127.0.0.1", 0)) as free:
    address = f"127.0.0.1:{free.getsockname()[1]}"
store = {
    "accesskey": access_key,
    "secretkey": secret_key,
    "region": "us-east-1",
    "regionendpoint": endpoint,
    "forcepathstyle": True,
    "bucket": bucket,
}
# JSON is YAML.
configuration = pathlib.Path("registry.yml")
storage = {"delete": {"enabled": True}, "s3": store}
configuration.write_text(json.dumps({"version": 0.1, "http": {"addr": address}, "storage": storage}))
manifest_type = "application/vnd.oci.image.manifest.v1+json"


def send(method, url, body=None, kind="application/octet-stream"):
    """Returns the reply's headers and body. It follows a redirection, as to the layer in the bucket."""
    headers = {"Content-Type": kind} if body else {"Accept": manifest_type}
    request = urllib.request.Request(url, data=body, method=method, headers=headers)
    with urllib.request.urlopen(request) as reply:
        return reply.headers, reply.read()


def status(method, path):
    try:
        send(method, images + path)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def push(content, *pieces):
    location = send("POST", f"{images}/blobs/uploads/")[0]["Location"]
    for piece in pieces:
        location = send("PATCH", location, piece)[0]["Location"]
    send("PUT", f"{location}&digest={digest(content)}")


def described(content, kind):
    return {"mediaType": kind, "digest": digest(content), "size": len(content)}


@contextlib.contextmanager
def registry():
    server = subprocess.Popen(["registry", "serve", configuration])
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(ConnectionError), socket.create_connection(address.split(":")):
                break
            assert server.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


images = f"http://{address}/v2/team/image"
manifest = json.dumps(
    {
        "schemaVersion": 2,
        "mediaType": manifest_type,
        "config": described(small, "application/vnd.oci.image.config.v1+json"),
        "layers": [described(large, "application/vnd.oci.image.layer.v1.tar")],
    }
).encode()
with registry():
    assert status("GET", "/manifests/absent") == 404
    push(small, small)
    push(large, large[: len(large) // 2], large[len(large) // 2 :])
    send("PUT", f"{images}/manifests/1.0", manifest, manifest_type)
    same(send("GET", f"{images}/manifests/1.0")[1], manifest)
    same(send("GET", f"{images}/blobs/{digest(large)}")[1], large)
    assert json.loads(send("GET", f"{images}/tags/list")[1])["tags"] == ["1.0"]
    assert json.loads(send("GET", f"http://{address}/v2/_catalog")[1])["repositories"] == ["team/image"]
    send("DELETE", f"{images}/manifests/{digest(manifest)}")
    assert status("GET", "/manifests/1.0") == 404
run("registry", "garbage-collect", "--delete-untagged", configuration)
with registry():
    assert status("HEAD", f"/blobs/{digest(large)}") == 404
