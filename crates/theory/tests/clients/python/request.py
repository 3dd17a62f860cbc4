"""REQ# rows: one piece of work for one idempotency key, whoever asks how often."""

from . import lease
from .claim import equal, refused
from .publish import CANCELED, codes, publication, read

NOW = lease.NOW


def claim(table, key, request_hash):
    """Begins the work, if nobody has."""
    row = {"pk": "P", "sk": f"REQ#{key}", "request_hash": request_hash, "status": "STARTED", "ttl": NOW + 86400}
    return table.put_item(Item=row, ConditionExpression="attribute_not_exists(pk)")


def completion(table, key, request_hash, body):
    """Ends the work, if it was begun with the same inputs."""
    return {
        "Update": {
            "TableName": table.name,
            "Key": {"pk": "P", "sk": f"REQ#{key}"},
            "UpdateExpression": "SET #status = :done, result_s3_key = :body",
            "ConditionExpression": "request_hash = :hash AND #status = :started",
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": {
                ":done": "COMPLETED",
                ":started": "STARTED",
                ":hash": request_hash,
                ":body": body,
            },
        }
    }


def verdict(table, key, request_hash):
    """What a second caller learns."""
    row = read(table, "P", f"REQ#{key}")
    if row["request_hash"] != request_hash:
        return "mismatch"
    return row.get("result_s3_key", "in progress")


def recipe(world):
    table = world.table("request")
    write = world.resource.meta.client.transact_write_items
    claim(table, "k1", "hash-1")
    equal("a claimed request is in progress", verdict(table, "k1", "hash-1"), "in progress")
    refused("a second claim is refused", lease.LOST, claim, table=table, key="k1", request_hash="hash-1")
    equal("the same key with other inputs is a mismatch", verdict(table, "k1", "hash-2"), "mismatch")

    lease.acquire(table, "P", "one", NOW)
    wrong = publication(table, "P", "one", NOW + 1, "body-1") + [completion(table, "k1", "hash-2", "body-1")]
    error = refused("work of other inputs cannot complete it", CANCELED, write, TransactItems=wrong)
    equal("and publishes nothing", (codes(error)[2], read(table, "P")), ("ConditionalCheckFailed", None))
    done = publication(table, "P", "one", NOW + 1, "body-1") + [completion(table, "k1", "hash-1", "body-1")]
    write(TransactItems=done)
    equal("publication, completion and release are one step", read(table, "P")["s3_key"], "body-1")
    equal("a replay gets the recorded result", verdict(table, "k1", "hash-1"), "body-1")
    equal("a mismatch stays one when all is done", verdict(table, "k1", "hash-2"), "mismatch")
    refused("a completed request is not begun again", lease.LOST, claim, table=table, key="k1", request_hash="hash-1")
