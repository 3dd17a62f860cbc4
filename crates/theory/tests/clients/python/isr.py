"""The cache's rows as the TypeScript store writes and reads them: the same calls, expressions and units."""

import math
import os
import time
import uuid
from dataclasses import dataclass

from botocore.exceptions import ClientError

LOST = "ConditionalCheckFailedException"
CANCELED = "TransactionCanceledException"
LEASE_TTL_BUFFER_SECONDS = 3600


@dataclass
class Lease:
    """A lease that was granted."""

    token: str
    expires_at: int

    def is_over(self):
        """By this worker's clock, which is the only one it has."""
        return time.time() >= self.expires_at


class IsrMetaStore:
    """Rows of one table, with raw cache keys."""

    def __init__(self, client, table, bodies):
        self.client = client
        self.table = table
        self.bodies = bodies

    def get(self, cache_key, sk="META"):
        """A row as it lies there, typed."""
        key = self.key(cache_key, sk)
        return self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True).get("Item")

    def try_acquire(self, cache_key, lease_ms):
        """The lease, or None if somebody has it."""
        now, token = math.floor(time.time()), str(uuid.uuid4())
        expires_at = now + math.ceil(lease_ms / 1000)
        row = self.key(cache_key, "LOCK") | {
            "lease_token": {"S": token},
            "lease_expires_at": {"N": str(expires_at)},
            "ttl": {"N": str(expires_at + LEASE_TTL_BUFFER_SECONDS)},
        }
        try:
            self.client.put_item(
                TableName=self.table,
                Item=row,
                ConditionExpression="attribute_not_exists(#pk) OR #exp <= :now",
                ExpressionAttributeNames={"#pk": "pk", "#exp": "lease_expires_at"},
                ExpressionAttributeValues={":now": {"N": str(now)}},
            )
        except ClientError as error:
            return absent(error, LOST)
        return Lease(token, expires_at)

    def refresh(self, cache_key, lease, lease_ms):
        """Whether the lease is ours for longer."""
        now = math.floor(time.time())
        expires_at = now + math.ceil(lease_ms / 1000)
        try:
            self.client.update_item(
                TableName=self.table,
                Key=self.key(cache_key, "LOCK"),
                UpdateExpression="SET #exp = :exp, #ttl = :ttl",
                ConditionExpression="#tok = :tok AND #exp > :now",
                ExpressionAttributeNames={"#exp": "lease_expires_at", "#tok": "lease_token", "#ttl": "ttl"},
                ExpressionAttributeValues={
                    ":exp": {"N": str(expires_at)},
                    ":ttl": {"N": str(expires_at + LEASE_TTL_BUFFER_SECONDS)},
                    ":tok": {"S": lease.token},
                    ":now": {"N": str(now)},
                },
            )
        except ClientError as error:
            return absent(error, LOST)
        lease.expires_at = expires_at
        return True

    def release(self, cache_key, lease):
        """Gives the lease back, if it is ours."""
        try:
            self.client.delete_item(
                TableName=self.table,
                Key=self.key(cache_key, "LOCK"),
                ConditionExpression="#tok = :tok",
                ExpressionAttributeNames={"#tok": "lease_token"},
                ExpressionAttributeValues={":tok": {"S": lease.token}},
            )
        except ClientError as error:
            absent(error, LOST)

    def commit(self, cache_key, lease, body, generated_at, revalidate_seconds):
        """Body, then META and LOCK in one transaction. Whether it was published."""
        pointer = f"isr/{lease.token}.html"
        self.store(pointer, body)
        meta = self.key(cache_key, "META") | {
            "s3_key": {"S": pointer},
            "generated_at": {"N": str(generated_at)},
            "revalidate_seconds": {"N": str(revalidate_seconds)},
            "etag": {"S": f'"{lease.token}"'},
            "ttl": {"N": str(generated_at + 86400)},
        }
        try:
            self.client.transact_write_items(
                TransactItems=[{"Put": {"TableName": self.table, "Item": meta}}, self.still_mine(cache_key, lease)]
            )
        except ClientError as error:
            return absent(error, CANCELED)
        return True

    def still_mine(self, cache_key, lease):
        """The lease goes with the publication, if it is still ours."""
        return {
            "Delete": {
                "TableName": self.table,
                "Key": self.key(cache_key, "LOCK"),
                "ConditionExpression": "#tok = :tok AND #exp > :now",
                "ExpressionAttributeNames": {"#tok": "lease_token", "#exp": "lease_expires_at"},
                "ExpressionAttributeValues": {":tok": {"S": lease.token}, ":now": {"N": str(math.floor(time.time()))}},
            }
        }

    def store(self, pointer, body):
        """A body appears whole or not at all."""
        path = os.path.join(self.bodies, pointer)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".draft", "w", encoding="utf-8") as draft:
            draft.write(body)
        os.rename(path + ".draft", path)

    def key(self, cache_key, sk):
        return {"pk": {"S": f"CACHE#{cache_key}"}, "sk": {"S": sk}}


def absent(error, code):
    """None for a race that was lost; anything else is an error."""
    if error.response["Error"]["Code"] != code:
        raise error
    return None
