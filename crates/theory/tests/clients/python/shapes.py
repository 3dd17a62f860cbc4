"""One record in the shapes in which TableTheory for Go, TypeScript and Python store it, the older ones too, and the shape
in which Rust stores it."""

import re

from .claim import equal, holds

MOMENT = "2026-11-15T18:42:53.500000000Z"

# What all of them agree on.
COMMON = {
    "windowTime": {"S": "w"},
    "count": {"N": "3"},
    "expiresAt": {"N": "4102444800"},
    "version": {"N": "2"},
    "tags": {"SS": ["a", "b"]},
    "ratio": {"N": "0.1"},
    "huge": {"N": "9007199254740993"},
    "nested": {"M": {"Name": {"S": "z"}, "Level": {"N": "2"}}},
    "emptyList": {"L": []},
}
PAYLOAD = {"M": {"text": {"S": "é"}, "x": {"N": "1"}}}
META = {"M": {"k": {"N": "1.5"}}}

SHAPES = {
    # Bytes and sets of numbers as lists, JSON in a string, moments without the zeros at their end.
    "go 1.2": {
        "payload": {"S": '{"x":1,"text":"é"}'},
        "meta": META,
        "createdAt": {"S": "2026-11-15T18:42:53.5Z"},
        "updatedAt": {"S": "2026-11-15T18:42:53.5Z"},
        "lockedUntil": {"S": "0001-01-01T00:00:00Z"},
        "nums": {"L": [{"N": "1"}, {"N": "2"}]},
        "blob": {"L": [{"N": "1"}, {"N": "2"}, {"N": "255"}]},
        "note": {"NULL": True},
    },
    # Moments in the zone of the machine.
    "go 3": {
        "payload": PAYLOAD,
        "meta": META,
        "createdAt": {"S": "2026-11-15T13:42:53.5-05:00"},
        "updatedAt": {"S": "2026-11-15T19:42:53.5+01:00"},
        "lockedUntil": {"S": "0001-01-01T00:00:00Z"},
        "nums": {"NS": ["1", "2"]},
        "blob": {"B": b"\x01\x02\xff"},
    },
    # JSON in a string, moments of milliseconds.
    "typescript 1.2": {
        "payload": {"S": '{"text":"é","x":1}'},
        "meta": {"S": '{"k":1.5}'},
        "createdAt": {"S": MOMENT},
        "updatedAt": {"S": "2026-11-15T18:42:53.500Z"},
        "nums": {"NS": ["1", "2"]},
        "blob": {"B": b"\x01\x02\xff"},
    },
    "typescript 3": {
        "payload": PAYLOAD,
        "meta": META,
        "createdAt": {"S": MOMENT},
        "updatedAt": {"S": MOMENT},
        "nums": {"NS": ["1", "2"]},
        "blob": {"B": b"\x01\x02\xff"},
        "note": {"NULL": True},
    },
    # JSON in a string with its letters escaped.
    "python 1.2": {
        "payload": {"S": '{"text":"\\u00e9","x":1}'},
        "meta": {"S": '{"k":1.5}'},
        "createdAt": {"S": MOMENT},
        "updatedAt": {"S": "2026-11-15T18:42:53.500000+00:00"},
        "nums": {"NS": ["1", "2"]},
        "blob": {"B": b"\x01\x02\xff"},
        "note": {"NULL": True},
    },
}

# What Rust stores for the same record.
RUST = {
    **COMMON,
    "identifier": {"S": "rust"},
    "payload": PAYLOAD,
    "meta": META,
    "createdAt": {"S": MOMENT},
    "nums": {"NS": ["1", "2"]},
    "blob": {"B": b"\x01\x02\xff"},
}

# And when everything that may be left out is empty.
EMPTY = {"emptyList": {"L": []}, "blob": {"B": b""}}


def write(client, table):
    """Puts the record in every shape, each under its toolkit's name."""
    for toolkit, shape in SHAPES.items():
        client.put_item(TableName=table, Item={"identifier": {"S": toolkit}, **COMMON, **shape})
        print(f"ok      boto3 wrote the shape of {toolkit}")


def read(client, table):
    """Compares what Rust wrote, attribute by attribute."""

    def row(identifier):
        key = {"identifier": {"S": identifier}, "windowTime": {"S": "w"}}
        found = client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item", {})
        return {name: ordered(value) for name, value in found.items()}

    found = row("rust")
    # The digits below a millisecond tell two writes apart.
    updated = found.pop("updatedAt", {}).get("S", "")
    holds("nine digits in UTC", re.fullmatch(r"2026-11-15T18:42:53\.500\d{6}Z", updated) is not None, updated)
    equal("what Rust stores", found, RUST)
    empty = row("rust empty")
    for name, value in EMPTY.items():
        equal(f"an empty {name} is kept", empty.get(name), value)
    for name in ("tags", "nums", "note", "lockedUntil"):
        equal(f"an empty {name} is left out", empty.get(name), None)


def ordered(value):
    """Sets have no order."""
    [(kind, content)] = value.items()
    return {kind: sorted(content)} if kind in ("SS", "NS", "BS") else value
