"""Every type of value: the row of values.json in Python's types, and what is refused."""

import json
from base64 import b64decode
from decimal import Decimal
from pathlib import Path

from boto3.dynamodb.types import TypeDeserializer

from .claim import equal, holds, refused

ROW = Path(__file__).parent.parent / "values.json"


def expected():
    """The row as boto3 gives it."""
    reader = TypeDeserializer()
    raw = json.loads(ROW.read_text(encoding="utf-8"))
    return {name: reader.deserialize(with_bytes(value)) for name, value in raw.items()}


def with_bytes(value):
    """Base64 belongs to the JSON on the wire; boto3 works on bytes."""
    [(kind, content)] = value.items()
    match kind:
        case "B":
            return {kind: b64decode(content)}
        case "BS":
            return {kind: [b64decode(member) for member in content]}
        case "L":
            return {kind: [with_bytes(member) for member in content]}
        case "M":
            return {kind: {name: with_bytes(member) for name, member in content.items()}}
    return value


def write(table, pk):
    """Puts the row under `pk`."""
    table.put_item(Item={"pk": pk, **expected()})
    print(f"ok      boto3 wrote {pk}")


def read(table, pk):
    """Compares the row under `pk`."""
    found = table.get_item(Key={"pk": pk}, ConsistentRead=True).get("Item", {})
    for name, value in expected().items():
        equal(f"{pk}: {name}", found.get(name), value)
    equal(f"{pk}: nothing else", set(found), {"pk", *expected()})


def nested(levels):
    """A list in a list in a list."""
    value = "bottom"
    for _ in range(levels):
        value = [value]
    return value


def recipe(world):
    table = world.table("values", sort=None)
    write(table, "every type")
    read(table, "every type")

    table.put_item(Item={"pk": "sum", "n": Decimal("99999999999999999999999999999999999998")})
    added = table.update_item(
        Key={"pk": "sum"},
        UpdateExpression="SET n = n + :one",
        ExpressionAttributeValues={":one": 1},
        ReturnValues="UPDATED_NEW",
    )
    equal("a sum of 38 digits is exact", added["Attributes"]["n"], Decimal("9" * 38))
    put = world.client.put_item

    def raw(value):
        return {"TableName": table.name, "Item": {"pk": {"S": "raw"}, "value": value}}

    # Its 126 digits are more than boto3's own decimals take, so it is read as text.
    largest = "9.9999999999999999999999999999999999999E+125"
    put(**raw({"N": largest}))
    found = world.client.get_item(TableName=table.name, Key={"pk": {"S": "raw"}})["Item"]["value"]["N"]
    equal("the largest number is kept", Decimal(found), Decimal(largest))

    refused("39 digits are refused", "ValidationException", put, **raw({"N": "1" * 39}))
    refused("a number that is none", "ValidationException", put, **raw({"N": "many"}))
    refused("an empty set", "ValidationException", put, **raw({"SS": []}))
    refused("a set with a member twice", "ValidationException", put, **raw({"NS": ["1", "1.0"]}))
    refused("an empty name", "ValidationException", put, **raw({"M": {"": {"S": "x"}}}))
    refused("an empty key", "ValidationException", table.put_item, Item={"pk": ""})
    table.put_item(Item={"pk": "deep", "value": nested(31)})
    equal("31 levels are kept", table.get_item(Key={"pk": "deep"})["Item"]["value"], nested(31))
    refused("too many are refused", "ValidationException", table.put_item, Item={"pk": "deeper", "value": nested(33)})
    large = {"pk": "large", "body": "x" * (400 * 1024)}
    refused("an item over 400 KB is refused", "ValidationException", table.put_item, Item=large)

    table.update_item(
        Key={"pk": "doc"},
        UpdateExpression="SET doc = :d, tags = :t",
        ExpressionAttributeValues={":d": {"list": [{"a": 1}, {"a": 2}]}, ":t": {"x", "y"}},
    )
    changed = table.update_item(
        Key={"pk": "doc"},
        UpdateExpression="SET doc.#l[1].a = :v, doc.#l[9] = :w REMOVE doc.#l[0] DELETE tags :x",
        ExpressionAttributeNames={"#l": "list"},
        ExpressionAttributeValues={":v": 3, ":w": "end", ":x": {"x"}},
        ReturnValues="ALL_NEW",
    )["Attributes"]
    equal("paths reach into documents", changed["doc"], {"list": [{"a": 3}, "end"]})
    equal("and into sets", changed["tags"], {"y"})
    headers = table.get_item(Key={"pk": "doc"})["ResponseMetadata"]["HTTPHeaders"]
    holds("answers carry the checksum that botocore compares", headers.get("x-amz-crc32", "").isdigit(), headers)
