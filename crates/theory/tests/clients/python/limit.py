"""A counter of one window: one UpdateItem decides and counts, for the first request as for the last."""

from boto3.dynamodb.conditions import Key

from .claim import equal, holds, refused
from .lease import LOST

LIMIT = 5
INDEX = {
    "IndexName": "gsi-tenant",
    "KeySchema": [{"AttributeName": "TenantID", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def hit(table, identifier, **more):
    """Counts one request, if the budget allows."""
    return table.update_item(
        Key={"pk": identifier, "sk": "2027-01-15T08:00:00Z"},
        UpdateExpression="SET TenantID = if_not_exists(TenantID, :tenant), #ttl = if_not_exists(#ttl, :ttl) ADD #n :one",
        ConditionExpression="attribute_not_exists(#n) OR #n < :limit",
        ExpressionAttributeNames={"#n": "Count", "#ttl": "ttl"},
        ExpressionAttributeValues={":one": 1, ":limit": LIMIT, ":tenant": "t1", ":ttl": 1_800_007_200},
        ReturnValues="UPDATED_NEW",
        **more,
    )


def recipe(world):
    table = world.table("limit", attributes=["TenantID"], GlobalSecondaryIndexes=[INDEX])
    counts = [int(hit(table, "ip:192.0.2.1")["Attributes"]["Count"]) for _ in range(LIMIT)]
    equal("each answer carries the new count", counts, [1, 2, 3, 4, 5])
    refused("the next request is refused", LOST, hit, table=table, identifier="ip:192.0.2.1")
    first = hit(table, "ip:192.0.2.2")["Attributes"]
    equal("another address has its own budget", first["Count"], 1)
    holds("the answer has what was changed and no key", set(first) == {"Count", "TenantID", "ttl"}, first)
    found = table.query(IndexName="gsi-tenant", KeyConditionExpression=Key("TenantID").eq("t1"))["Items"]
    equal("an index finds both by tenant", sorted(int(item["Count"]) for item in found), [1, LIMIT])


def denial(world):
    table = world.table("denial")
    show = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    for _ in range(LIMIT):
        hit(table, "ip:192.0.2.1", **show)
    error = refused("the budget is spent", LOST, hit, table=table, identifier="ip:192.0.2.1", **show)
    equal("and the refusal carries the count", error.response.get("Item", {}).get("Count"), {"N": str(LIMIT)})
