"""The rows that Rust writes, attribute by attribute: the names, types and units of the seeds, and nothing that is not known."""

import time

from .claim import equal, holds

KEYS = {"pk": "S", "sk": "S"}
META = {"s3_key": "S", "generated_at": "N", "revalidate_seconds": "N", "etag": "S", "ttl": "N"}
# What Rust adds; other readers leave it alone.
PAGE = {
    "generated_at_ms": "N",
    "generation": "N",
    "publisher_token": "S",
    "status": "N",
    "headers": "L",
    "body_sha256": "S",
    "body_len": "N",
}
META_MORE = PAGE | {"version": "N"}
META_SOMETIMES = {"tags": "L", "current_sk": "S", "site_epoch": "N", "stale_since_ms": "N", "gone": "BOOL"}
LOCK = {"lease_token": "S", "lease_expires_at": "N", "ttl": "N"}
LOCK_SOMETIMES = {"fail_count": "N", "next_attempt_ms": "N"}
REQUEST = {"request_hash": "S", "status": "S", "ttl": "N"}
REQUEST_SOMETIMES = {"result_s3_key": "S", "owner": "S", "locked_until": "N", "attempt": "N", "error": "S"}


def types(row):
    return {name: next(iter(value)) for name, value in row.items()}


def whole(what, row, must, may=None):
    """Every attribute that must be there is, nothing else but what may be, all of their types."""
    found = types(row)
    missing = {name: kind for name, kind in must.items() if found.get(name) != kind}
    equal(f"{what} has its attributes", missing, {})
    allowed = must | (may or {})
    strange = {name: kind for name, kind in found.items() if allowed.get(name) != kind}
    equal(f"{what} has no others", strange, {})


def seconds(what, row, name, lowest, highest):
    """The attribute is a moment in whole seconds, about so far from now."""
    text = row[name]["N"]
    holds(f"{name} of {what} is in whole seconds", text.isdigit(), text)
    away = int(text) - time.time()
    holds(f"{name} of {what} is where it should be", lowest <= away <= highest, away)


def meta(row, what="META"):
    whole(what, row, KEYS | META | META_MORE, META_SOMETIMES)
    seconds(what, row, "generated_at", -600, 5)
    seconds(what, row, "ttl", 3600, 400 * 86400)
    ms = int(row["generated_at_ms"]["N"])
    equal(f"both moments of {what} are one", ms // 1000, int(row["generated_at"]["N"]))


def check(store, page, intent):
    """All kinds of rows, as the Rust test has left them."""
    row = store.get(page)
    meta(row)
    equal("META says its window", row["revalidate_seconds"], {"N": "600"})
    equal("and its tag", row["etag"], {"S": '"v1"'})
    pointer = row["current_sk"]["S"]
    holds("META points at a version", pointer.startswith("VER#"), pointer)
    version = store.get(page, pointer)
    must = KEYS | META | PAGE
    # It is kept for as long as it can be shown again.
    del must["ttl"]
    whole("VER", version, must, {"tags": "L"})
    for name in ("s3_key", "generated_at", "etag"):
        equal(f"the version has the page's {name}", version[name], row[name])
    equal("no lease is left behind", store.get(page, "LOCK"), None)

    lock = store.get(f"{page}/held", "LOCK")
    whole("a LOCK that is held", lock, KEYS | LOCK, LOCK_SOMETIMES)
    seconds("LOCK", lock, "lease_expires_at", 1, 61)
    kept = int(lock["ttl"]["N"]) - int(lock["lease_expires_at"]["N"])
    holds("LOCK is kept for longer than it is held", kept >= 3600, kept)
    equal("a held lease is refused", store.try_acquire(f"{page}/held", 1000), None)

    lock = store.get(f"{page}/failed", "LOCK")
    whole("a LOCK after a failure", lock, KEYS | LOCK | LOCK_SOMETIMES)
    seconds("a LOCK after a failure", lock, "lease_expires_at", -600, 1)
    holds("a lease that was given back is free", store.try_acquire(f"{page}/failed", 1000), lock)

    request = store.get(page, f"REQ#{intent}")
    whole("REQ", request, KEYS | REQUEST | {"result_s3_key": "S"}, REQUEST_SOMETIMES)
    equal("REQ is done", request["status"], {"S": "COMPLETED"})
    equal("with the page's body", request["result_s3_key"], row["s3_key"])
    seconds("REQ", request, "ttl", 3600, 30 * 86400)
    started = store.get(f"{page}/held", "REQ#begun")
    whole("a REQ that was begun", started, KEYS | REQUEST, REQUEST_SOMETIMES)
    equal("REQ is begun", started["status"], {"S": "STARTED"})
    seconds("REQ", started, "locked_until", 1, 61)

    epoch = store.get(f"{page}/purged", "EPOCH")
    whole("EPOCH", epoch, KEYS | {"epoch": "N"})
    equal("a purge counts", epoch["epoch"], {"N": "1"})


def table(store):
    """The table as everybody makes it."""
    description = store.client.describe_table(TableName=store.table)["Table"]
    keys = [(key["AttributeName"], key["KeyType"]) for key in description["KeySchema"]]
    equal("the table's keys are those of the seeds", keys, [("pk", "HASH"), ("sk", "RANGE")])
    kinds = {entry["AttributeName"]: entry["AttributeType"] for entry in description["AttributeDefinitions"]}
    equal("both are strings", kinds, KEYS)
    ttl = store.client.describe_time_to_live(TableName=store.table)["TimeToLiveDescription"]
    equal("time to live is on", ttl.get("TimeToLiveStatus"), "ENABLED")
    equal("for the attribute ttl", ttl.get("AttributeName"), "ttl")
