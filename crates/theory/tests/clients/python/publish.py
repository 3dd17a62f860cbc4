"""Publishing a page: META and LOCK change together or not at all, in place (recipe A) and by pointer (recipe B)."""

from . import lease
from .claim import equal, holds, refused

NOW = lease.NOW
CANCELED = "TransactionCanceledException"


def still_mine(table, pk, token, now):
    """The lease goes with the publication, if it is still ours."""
    return {
        "Delete": {
            "TableName": table.name,
            "Key": {"pk": pk, "sk": "LOCK"},
            "ConditionExpression": "#tok = :tok AND #exp > :now",
            "ExpressionAttributeNames": {"#tok": "lease_token", "#exp": "lease_expires_at"},
            "ExpressionAttributeValues": {":tok": token, ":now": now},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


def publication(table, pk, token, now, body):
    """Recipe A."""
    meta = {"pk": pk, "sk": "META", "s3_key": body, "generated_at": now, "revalidate_seconds": 60, "etag": f'"{body}"'}
    return [{"Put": {"TableName": table.name, "Item": meta}}, still_mine(table, pk, token, now)]


def swap(table, pk, token, now, version, expected):
    """Recipe B: a new version row, and the pointer to it."""
    row = {"pk": pk, "sk": f"VER#{version}", "s3_key": f"pages/{version}.html", "generated_at": now}
    fresh = "attribute_not_exists(pk)"
    pointer = {
        "TableName": table.name,
        "Key": {"pk": pk, "sk": "META"},
        "UpdateExpression": "SET current_sk = :ver, generated_at = :at ADD version :one",
        "ConditionExpression": "attribute_not_exists(pk) OR (version = :seen AND generated_at < :at)",
        "ExpressionAttributeValues": {":ver": row["sk"], ":at": now, ":one": 1, ":seen": expected},
    }
    put = {"TableName": table.name, "Item": row, "ConditionExpression": fresh}
    return [{"Put": put}, {"Update": pointer}, still_mine(table, pk, token, now)]


def read(table, pk, sk="META"):
    return table.get_item(Key={"pk": pk, "sk": sk}, ConsistentRead=True).get("Item")


def codes(error):
    return [reason["Code"] for reason in error.response["CancellationReasons"]]


def recipe(world):
    table = world.table("publish")
    write = world.resource.meta.client.transact_write_items
    lease.acquire(table, "P", "one", NOW)
    write(TransactItems=publication(table, "P", "one", NOW + 5, "body-1"))
    equal("the holder publishes", read(table, "P")["s3_key"], "body-1")
    equal("and the lease is gone with it", lease.read(table, "P"), None)

    lease.acquire(table, "P", "slow", NOW + 10)
    lease.acquire(table, "P", "quick", NOW + 40)
    late = publication(table, "P", "slow", NOW + 41, "body-late")
    error = refused("a holder that was overtaken publishes nothing", CANCELED, write, TransactItems=late)
    equal("the reasons say which operation failed", codes(error), ["None", "ConditionalCheckFailed"])
    reasons = error.response["CancellationReasons"]
    equal("and show who holds the lease", reasons[1]["Item"]["lease_token"], {"S": "quick"})
    holds("boto3 knows the class", isinstance(error, world.client.exceptions.TransactionCanceledException), error)
    equal("the page is as it was", read(table, "P")["s3_key"], "body-1")
    expired = publication(table, "P", "quick", NOW + 70, "body-late")
    refused("a lease that has run out publishes nothing either", CANCELED, write, TransactItems=expired)
    write(TransactItems=publication(table, "P", "quick", NOW + 69, "body-2"))
    equal("the second holder publishes in time", read(table, "P")["s3_key"], "body-2")


def versions(world):
    table = world.table("versions")
    write = world.resource.meta.client.transact_write_items
    for number, version in enumerate(["a", "b"]):
        at = NOW + 100 * number
        lease.acquire(table, "P", version, at)
        write(TransactItems=swap(table, "P", version, at + 1, version, number))
    equal("the pointer names the newest version", read(table, "P")["current_sk"], "VER#b")
    equal("and counts", read(table, "P")["version"], 2)
    equal("the older version stays", read(table, "P", "VER#a")["s3_key"], "pages/a.html")

    lease.acquire(table, "P", "c", NOW + 300)
    again = swap(table, "P", "c", NOW + 301, "b", 2)
    error = refused("a version is written once", CANCELED, write, TransactItems=again)
    equal("so the whole swap is refused", codes(error), ["ConditionalCheckFailed", "None", "None"])
    error = refused(
        "an unseen change of the pointer is noticed",
        CANCELED,
        write,
        TransactItems=swap(table, "P", "c", NOW + 301, "c", 1),
    )
    equal("by its own condition", codes(error), ["None", "ConditionalCheckFailed", "None"])
    equal("no version row was left behind", read(table, "P", "VER#c"), None)
    equal("and the lease is still held", lease.read(table, "P")["lease_token"], "c")

    asked = {"Get": {"TableName": table.name, "Key": {"pk": "P", "sk": "META"}}}
    missing = {"Get": {"TableName": table.name, "Key": {"pk": "P", "sk": "VER#c"}}}
    found = world.resource.meta.client.transact_get_items(TransactItems=[asked, missing])["Responses"]
    equal("a transaction reads what is there", found[0]["Item"]["current_sk"], "VER#b")
    holds("and what is not", "Item" not in found[1], found)


def token(world):
    table = world.table("token")

    def count(amount):
        return world.resource.meta.client.transact_write_items(
            ClientRequestToken=f"{world.prefix}-publish-1",
            TransactItems=[
                {
                    "Update": {
                        "TableName": table.name,
                        "Key": {"pk": "P", "sk": "META"},
                        "UpdateExpression": "ADD generation :n",
                        "ExpressionAttributeValues": {":n": amount},
                    }
                }
            ],
        )

    count(1)
    count(1)
    equal("the same token sent again changes nothing", read(table, "P")["generation"], 1)
    refused("with another content it is refused", "IdempotentParameterMismatchException", count, amount=2)
    equal("and still changes nothing", read(table, "P")["generation"], 1)
