"""OpenTofu: its state in the bucket, with a lock file, changed by two runs, in a workspace of its own, removed and encrypted."""

import json
import pathlib

import boto3
from place import aws_keys, bucket, endpoint, fails, other_endpoint, run

module = """
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
"""
pathlib.Path("main.tf").write_text(module % (bucket, endpoint))


def tofu(*arguments):
    return run("tofu", *arguments, TF_IN_AUTOMATION="1", **aws_keys)


boto3_keys = {name.lower(): value for name, value in aws_keys.items()}
locked = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **boto3_keys)
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

# With encryption, by the disk of another gateway, to which the state moves.
elsewhere = boto3.client("s3", endpoint_url=other_endpoint, region_name="us-east-1", **boto3_keys)
elsewhere.create_bucket(Bucket=bucket)
tofu("apply", "-auto-approve", "-input=false")
encrypted = module.replace("use_path_style = true", "use_path_style = true\n    encrypt = true")
pathlib.Path("main.tf").write_text(encrypted % (bucket, other_endpoint))
tofu("init", "-input=false", "-migrate-state", "-force-copy")
tofu("apply", "-auto-approve", "-input=false", "-var", "value=third")
assert json.loads(tofu("output", "-json"))["value"]["value"] == "third"
state = elsewhere.head_object(Bucket=bucket, Key="project/state.json")
assert state["ServerSideEncryption"] == "AES256", state
