"""Time to live: switched on, described, and an expired item goes away by itself, marked as the service's deed."""

import time

from .claim import equal, holds
from .stream import records, shards
from .world import patiently


def recipe(world):
    table = world.table("expiry", sort=None, stream=True)
    setting = {"Enabled": True, "AttributeName": "ttl"}
    answer = world.client.update_time_to_live(TableName=table.name, TimeToLiveSpecification=setting)
    equal("time to live is switched on", answer["TimeToLiveSpecification"], setting)
    described = world.client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    holds("and described", described["TimeToLiveStatus"] in ("ENABLED", "ENABLING"), described)
    equal("with its attribute", described["AttributeName"], "ttl")

    now = int(time.time())
    table.put_item(Item={"pk": "gone", "ttl": now - 60, "lease_token": "one"})
    table.put_item(Item={"pk": "later", "ttl": now + 86400})
    table.put_item(Item={"pk": "text", "ttl": str(now - 60)})
    table.put_item(Item={"pk": "never"})
    patiently(lambda: "Item" not in table.get_item(Key={"pk": "gone"}))
    left = sorted(item["pk"] for item in table.scan()["Items"])
    equal("the expired item is gone, the others stay", left, ["later", "never", "text"])

    arn, description = shards(world, table)
    changes = [record for shard in description["Shards"] for record in records(world, arn, shard)]
    removed = [record for record in changes if record["eventName"] == "REMOVE"]
    equal("the stream has the removal", [record["dynamodb"]["Keys"]["pk"]["S"] for record in removed], ["gone"])
    service = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    equal("as the service's own deed", removed[0]["userIdentity"], service)
    equal("with what was there", removed[0]["dynamodb"]["OldImage"]["lease_token"], {"S": "one"})
