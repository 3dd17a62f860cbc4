"""A worker that regenerates the same pages as workers in Rust, and reads what they publish."""

import os
import random
import time

from . import rows
from .claim import Broken, equal, holds

LEASE_MS = 3000
LONG_MS = 60000
REVALIDATE_SECONDS = 1


def contend(store, pages, rounds):
    """Takes leases when they are free, publishes, sometimes too late; counts what came of it."""
    counts = dict.fromkeys(["published", "refused", "late", "released", "extended", "read"], 0)
    for number in range(rounds):
        page = pages[number % len(pages)]
        counts["read"] += read_theirs(store, page)
        lease = patiently(store, page, counts)
        held(store, page, lease)
        work(store, page, lease, number, counts)
        # The others get their turn.
        time.sleep(random.uniform(0.1, 0.5))
    for name, count in counts.items():
        print(f"{name} {count}", flush=True)
    never = [name for name in ("published", "late", "released", "extended", "read") if counts[name] == 0]
    equal("everything has happened at least once", never, [])


def patiently(store, page, counts, lease_ms=LEASE_MS):
    """The lease, when the others have given it back."""
    for _ in range(600):
        lease = store.try_acquire(page, lease_ms)
        if lease is not None:
            return lease
        counts["refused"] += 1
        time.sleep(random.uniform(0.05, 0.15))
    raise Broken(f"nobody gives back the lease of {page}")


def take(store, page):
    """Publishes once, when whoever has the lease has lost it, and takes it once more without giving it back."""
    lease = patiently(store, page, {"refused": 0}, LONG_MS)
    published = store.commit(page, lease, "python 1", int(time.time()), REVALIDATE_SECONDS)
    holds("the next holder publishes", published, page)
    holds("the lease is free after that", store.try_acquire(page, LONG_MS), page)


def work(store, page, lease, number, counts):
    """What is done with a lease."""
    generated_at = int(time.time())
    if number % 7 == 6:
        store.release(page, lease)
        counts["released"] += 1
        return
    if number % 8 == 7:
        # Longer than the lease: whoever waits takes it, and this publish comes too late.
        time.sleep(max(lease.expires_at - time.time(), 0) + 0.1)
        published = store.commit(page, lease, f"late {number} by python", generated_at, REVALIDATE_SECONDS)
        holds("who outlived the lease publishes nothing", not published, page)
        counts["late"] += 1
        return
    time.sleep(random.uniform(0.05, 0.4))
    if number % 5 == 4:
        extended = store.refresh(page, lease, LEASE_MS)
        holds("the holder's lease gets longer", extended or lease.is_over(), page)
        counts["extended"] += bool(extended)
    held(store, page, lease)
    published = store.commit(page, lease, f"python {number}", generated_at, REVALIDATE_SECONDS)
    holds("the holder publishes", published or lease.is_over(), page)
    counts["published"] += bool(published)


def held(store, page, lease):
    """Nobody takes a lease that has not ended."""
    row = store.get(page, "LOCK") or {}
    is_ours = row.get("lease_token") == {"S": lease.token}
    # On a busy machine it may have ended before the row was read.
    holds("the lease is ours while it lasts", is_ours or lease.is_over(), row)


def read_theirs(store, page):
    """How many pages of the Rust workers were seen: they are read like one's own, and the body lies where they say."""
    meta = store.get(page)
    if meta is None or meta["s3_key"]["S"].startswith("isr/"):
        return 0
    rows.meta(meta)
    with open(os.path.join(store.bodies, meta["s3_key"]["S"]), encoding="utf-8") as body:
        holds("the body of a Rust worker is there", body.read().startswith("rust "), meta["s3_key"])
    return 1
