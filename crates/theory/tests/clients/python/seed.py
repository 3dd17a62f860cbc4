"""Workers that follow the seeds to the letter: the request record of SEED-003, the pointer of recipe B."""

import time

from . import isr
from .claim import equal, holds, refused


def begin(store, page, key, request_hash):
    """Begins a request as SEED-003 does: no owner, no end."""
    row = store.key(page, f"REQ#{key}") | {
        "request_hash": {"S": request_hash},
        "status": {"S": "STARTED"},
        "ttl": {"N": str(int(time.time()) + 86400)},
    }
    store.client.put_item(TableName=store.table, Item=row, ConditionExpression="attribute_not_exists(pk)")


def complete(store, page, key, lease, pointer):
    """Publishes and completes in one transaction."""
    now = int(time.time())
    store.store(pointer, f"python {key}")
    meta = store.key(page, "META") | {
        "s3_key": {"S": pointer},
        "generated_at": {"N": str(now)},
        "revalidate_seconds": {"N": "600"},
    }
    update = {
        "TableName": store.table,
        "Key": store.key(page, f"REQ#{key}"),
        "UpdateExpression": "SET #status = :done, result_s3_key = :body",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":done": {"S": "COMPLETED"}, ":body": {"S": pointer}},
    }
    return [{"Put": {"TableName": store.table, "Item": meta}}, {"Update": update}, store.still_mine(page, lease)]


def write(store, page):
    """What the Rust test finds: requests that were begun and left, one that is done, and a pointer without anything else."""
    begin(store, page, "left", "hash-1")
    begin(store, page, "done", "hash-1")
    lease = store.try_acquire(page, 30000)
    publish = complete(store, page, "done", lease, "isr/done.html")
    check = publish[2]["Delete"]
    literal = publish[:2] + [{"ConditionCheck": check}, {"Delete": {"TableName": store.table, "Key": check["Key"]}}]
    call = store.client.transact_write_items
    refused("the literal sketch names LOCK twice", "ValidationException", call, TransactItems=literal)
    call(TransactItems=publish)
    equal("the request is done", store.get(page, "REQ#done")["status"], {"S": "COMPLETED"})

    now = int(time.time())
    lease = store.try_acquire(f"{page}/pointer", 30000)
    store.store("isr/version.html", "python by pointer")
    version = store.key(f"{page}/pointer", "VER#1") | {
        "s3_key": {"S": "isr/version.html"},
        "generated_at": {"N": str(now)},
        "revalidate_seconds": {"N": "600"},
        "etag": {"S": '"version"'},
    }
    swap = {
        "TableName": store.table,
        "Key": store.key(f"{page}/pointer", "META"),
        "UpdateExpression": "SET current_sk = :sk",
        "ExpressionAttributeValues": {":sk": {"S": "VER#1"}},
    }
    put = {"TableName": store.table, "Item": version, "ConditionExpression": "attribute_not_exists(pk)"}
    call(TransactItems=[{"Put": put}, {"Update": swap}, store.still_mine(f"{page}/pointer", lease)])
    pointer = store.get(f"{page}/pointer")
    equal("the pointer has nothing else", sorted(pointer), ["current_sk", "pk", "sk"])


def read(store, page):
    """What Rust has left: its requests stop this worker as its own would."""
    refusal = {"store": store, "page": page, "request_hash": "hash-1"}
    for key in ("left", "rust"):
        refused("a request that Rust has done is not begun again", isr.LOST, begin, key=key, **refusal)
        row = store.get(page, f"REQ#{key}")
        equal("it is done", row["status"], {"S": "COMPLETED"})
        equal("its inputs are known", row["request_hash"], {"S": "hash-1"})
        holds("and its result", row["result_s3_key"]["S"], row)
