"""Speaks to the local CloudFormation with the botocore of its own environment: one JSON request a line, one answer a line.

A newer botocore speaks a protocol to CloudWatch that this version of the local cloud does not know, so this file runs with
the Python of .venv-localstack/ and imports nothing of the project.
"""

import json
import sys
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError

ENDPOINT = sys.argv[1]


def client(service: str, where: dict[str, str]) -> Any:
    """Return a client whose access key is the account id: that is how the local cloud tells accounts apart."""
    return boto3.client(
        service,
        endpoint_url=ENDPOINT,
        region_name=where["region"],
        aws_access_key_id=where["account"],
        aws_secret_access_key="local",
        config=Config(retries={"max_attempts": 1}, proxies={}, s3={"addressing_style": "path"}),
    )


def upload(where: dict[str, str], name: str, template: str) -> str:
    """Store a template, as a bootstrapped account does: inline templates end at 51,200 bytes."""
    s3 = client("s3", where)
    bucket = f"templates-{where['account']}-{where['region']}"
    if bucket not in {known["Name"] for known in s3.list_buckets()["Buckets"]}:
        place = {} if where["region"] == "us-east-1" else {"LocationConstraint": where["region"]}
        s3.create_bucket(Bucket=bucket, **({"CreateBucketConfiguration": place} if place else {}))
    s3.put_object(Bucket=bucket, Key=f"{name}.json", Body=template.encode())
    return f"{ENDPOINT}/{bucket}/{name}.json"


def deploy(where: dict[str, str], *, name: str, template: str) -> dict[str, Any]:
    """Create or update a stack and wait; an update without changes is fine."""
    cloudformation = client("cloudformation", where)
    known = {stack["StackName"] for stack in cloudformation.describe_stacks()["Stacks"]}
    arguments = {"StackName": name, "TemplateURL": upload(where, name, template), "Capabilities": ["CAPABILITY_IAM"]}
    try:
        if name in known:
            cloudformation.update_stack(**arguments)
            waiter = cloudformation.get_waiter("stack_update_complete")
        else:
            cloudformation.create_stack(**arguments)
            waiter = cloudformation.get_waiter("stack_create_complete")
        waiter.wait(StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    except ClientError as error:
        if "No updates" not in str(error):
            raise
    except WaiterError:
        events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        return {"failed": [event for event in events if "FAILED" in event["ResourceStatus"]]}
    return {"status": cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]}


def delete(where: dict[str, str], *, name: str) -> dict[str, Any]:
    """Delete a stack and wait."""
    cloudformation = client("cloudformation", where)
    cloudformation.delete_stack(StackName=name)
    cloudformation.get_waiter("stack_delete_complete").wait(
        StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    return {}


def alarms(where: dict[str, str]) -> dict[str, Any]:
    """Return DescribeAlarms, all pages, both kinds."""
    pages = client("cloudwatch", where).get_paginator("describe_alarms")
    out: dict[str, Any] = {"MetricAlarms": [], "CompositeAlarms": []}
    for page in pages.paginate(AlarmTypes=["MetricAlarm", "CompositeAlarm"]):
        for kind in out:
            out[kind] += page.get(kind, [])
    return out


def bootstrap(where: dict[str, str], *, qualifier: str) -> dict[str, Any]:
    """Store the version that a bootstrapped account has."""
    client("ssm", where).put_parameter(
        Name=f"/cdk-bootstrap/{qualifier}/version", Value="30", Type="String", Overwrite=True
    )
    return {}


def topics(where: dict[str, str]) -> dict[str, Any]:
    """Return the ARNs of all topics and of the keys that encrypt them."""
    sns = client("sns", where)
    arns = [topic["TopicArn"] for topic in sns.list_topics()["Topics"]]
    return {arn: sns.get_topic_attributes(TopicArn=arn)["Attributes"].get("KmsMasterKeyId", "") for arn in arns}


def secret(where: dict[str, str], *, name: str, value: str) -> dict[str, Any]:
    """Store a secret that a dynamic reference can resolve."""
    client("secretsmanager", where).create_secret(Name=name, SecretString=value)
    return {}


CALLS = {
    "deploy": deploy,
    "delete": delete,
    "alarms": alarms,
    "bootstrap": bootstrap,
    "topics": topics,
    "secret": secret,
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer: dict[str, Any] = {"ok": CALLS[request["call"]](request["where"], **request.get("arguments", {}))}
    except Exception as error:  # noqa: BLE001 - the other side of the pipe raises it
        answer = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(answer, default=str) + "\n")
    sys.stdout.flush()
