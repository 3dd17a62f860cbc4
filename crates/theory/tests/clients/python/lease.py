"""LOCK rows: one holder at a time, told apart by a token; the clock is the caller's."""

from boto3.dynamodb.conditions import Attr

from .claim import equal, refused

NOW = 1_800_000_000
LOST = "ConditionalCheckFailedException"


def acquire(table, pk, token, now, term=30, **more):
    """Takes the lease if nobody has it any more."""
    row = {"pk": pk, "sk": "LOCK", "lease_token": token, "lease_expires_at": now + term, "ttl": now + term + 3600}
    free = Attr("pk").not_exists() | Attr("lease_expires_at").lte(now)
    return table.put_item(Item=row, ConditionExpression=free, **more)


def refresh(table, pk, token, now, term=30):
    """Moves the end of a lease that is still ours."""
    return table.update_item(
        Key={"pk": pk, "sk": "LOCK"},
        UpdateExpression="SET #exp = :exp, #ttl = :ttl",
        ConditionExpression="#tok = :tok AND #exp > :now",
        ExpressionAttributeNames={"#exp": "lease_expires_at", "#tok": "lease_token", "#ttl": "ttl"},
        ExpressionAttributeValues={":exp": now + term, ":ttl": now + term + 3600, ":tok": token, ":now": now},
        ReturnValues="ALL_NEW",
    )


def release(table, pk, token):
    """Gives a lease back."""
    mine = Attr("lease_token").eq(token)
    return table.delete_item(Key={"pk": pk, "sk": "LOCK"}, ConditionExpression=mine, ReturnValues="ALL_OLD")


def read(table, pk):
    """The lease as it stands."""
    return table.get_item(Key={"pk": pk, "sk": "LOCK"}, ConsistentRead=True).get("Item")


def recipe(world):
    table = world.table("lease")
    pk = "TENANT#t1#CACHE#abc"
    acquire(table, pk, "one", NOW)
    equal("a free lease is granted", read(table, pk)["lease_token"], "one")
    refused("a held lease is refused", LOST, acquire, table=table, pk=pk, token="two", now=NOW + 29)
    equal("and its holder stays", read(table, pk)["lease_token"], "one")
    renewed = refresh(table, pk, "one", NOW + 20)["Attributes"]
    equal("the holder moves its end", renewed["lease_expires_at"], NOW + 50)
    refused("a stranger does not", LOST, refresh, table=table, pk=pk, token="two", now=NOW + 20)
    refused("the old end no longer counts", LOST, acquire, table=table, pk=pk, token="two", now=NOW + 30)
    acquire(table, pk, "two", NOW + 50)
    equal("an expired lease is taken over", read(table, pk)["lease_token"], "two")
    refused("the late holder cannot refresh", LOST, refresh, table=table, pk=pk, token="one", now=NOW + 51)
    refused("nor release what is no longer its own", LOST, release, table=table, pk=pk, token="one")
    equal("the holder releases", release(table, pk, "two")["Attributes"]["lease_token"], "two")
    equal("and the row is gone", read(table, pk), None)


def holder(world):
    table = world.table("holder")
    acquire(table, "CACHE#1", "one", NOW)
    show = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    error = refused("a held lease is refused", LOST, acquire, table=table, pk="CACHE#1", token="two", now=NOW, **show)
    seen = error.response.get("Item", {})
    equal("and the refusal shows the holder", seen.get("lease_token"), {"S": "one"})
    equal("until when it holds", seen.get("lease_expires_at"), {"N": str(NOW + 30)})
    error = refused("without asking it shows nothing", LOST, acquire, table=table, pk="CACHE#1", token="two", now=NOW)
    equal("as the service does", error.response.get("Item"), None)
