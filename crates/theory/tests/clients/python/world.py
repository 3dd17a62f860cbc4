"""The endpoint as boto3 sees it: one client for each interface, and the tables of this run."""

import time
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config


@dataclass
class World:
    """What a recipe gets."""

    client: Any
    resource: Any
    streams: Any
    prefix: str

    def name(self, noun):
        """A table's name; two clients can work on one endpoint at the same time."""
        return f"{self.prefix}-{noun}"

    def table(self, noun, sort="sk", stream=False, attributes=(), **more):
        """Makes a table with string keys, waits for it and returns it as a resource."""
        keys = [("pk", "HASH")] + ([(sort, "RANGE")] if sort else [])
        names = [name for name, _ in keys] + list(attributes)
        if stream:
            more["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        self.client.create_table(
            TableName=self.name(noun),
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys],
            BillingMode="PAY_PER_REQUEST",
            **more,
        )
        waiter = self.client.get_waiter("table_exists")
        waiter.wait(TableName=self.name(noun), WaiterConfig={"Delay": 1, "MaxAttempts": 30})
        return self.resource.Table(self.name(noun))


def connect(endpoint, prefix):
    """Keys and region come from the usual environment variables."""
    # The mode `legacy` is boto3's default, and the one that compares the checksum of each answer.
    config = Config(retries={"max_attempts": 2, "mode": "legacy"}, connect_timeout=10, read_timeout=30)
    client, streams = (
        boto3.client(service, endpoint_url=endpoint, config=config) for service in ("dynamodb", "dynamodbstreams")
    )
    resource = boto3.resource("dynamodb", endpoint_url=endpoint, config=config)
    return World(client, resource, streams, prefix)


def patiently(attempt, seconds=30):
    """Asks again until the answer is not empty; the last answer counts."""
    for _ in range(seconds * 5):
        answer = attempt()
        if answer:
            return answer
        time.sleep(0.2)
    return attempt()
