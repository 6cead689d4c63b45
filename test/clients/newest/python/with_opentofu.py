"""OpenTofu: its state in the bucket, with a lock file, changed by two runs, in a workspace of its own and removed."""

import json
import pathlib

import boto3
from place import aws_keys, bucket, endpoint, fails, run

pathlib.Path("main.tf").write_text("""
terraform {
  backend "s3" {
    bucket         = "%s"
    key            = "project/state.json"
    region         = "us-east-1"
    use_path_style = true
    use_lockfile   = true
    endpoints      = { s3 = "%s" }
    skip_requesting_account_id  = true
    skip_credentials_validation = true
    skip_metadata_api_check     = true
  }
}
variable "value" { default = "first" }
resource "terraform_data" "one" { input = var.value }
output "value" { value = terraform_data.one.output }
""" % (bucket, endpoint))


def tofu(*arguments):
    return run("tofu", *arguments, TF_IN_AUTOMATION="1", **aws_keys)


locked = boto3.client(
    "s3",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id=aws_keys["AWS_ACCESS_KEY_ID"],
    aws_secret_access_key=aws_keys["AWS_SECRET_ACCESS_KEY"],
)
tofu("init", "-input=false")
tofu("apply", "-auto-approve", "-input=false")
tofu("apply", "-auto-approve", "-input=false", "-var", "value=second")
assert json.loads(tofu("output", "-json"))["value"]["value"] == "second"
# What another run that holds the lock has written.
lock = {"ID": "other", "Operation": "apply", "Who": "someone", "Version": "1", "Created": "2026-01-01T00:00:00Z"}
locked.put_object(Bucket=bucket, Key="project/state.json.tflock", Body=json.dumps(lock))
assert fails("tofu", "apply", "-auto-approve", "-input=false", **aws_keys)
locked.delete_object(Bucket=bucket, Key="project/state.json.tflock")
tofu("workspace", "new", "other")
assert "other" in tofu("workspace", "list")
tofu("workspace", "select", "default")
tofu("workspace", "delete", "other")
tofu("destroy", "-auto-approve", "-input=false")
assert json.loads(tofu("output", "-json")) == {}
