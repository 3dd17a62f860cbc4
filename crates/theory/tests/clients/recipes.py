"""boto3 against a DynamoDB endpoint: the recipes of the cache, the limiter and the requests, and what surrounds them.

recipes.py recipes --endpoint URL [--without NAME,NAME]   checks every claim; ends with 0 if all hold
recipes.py write   --endpoint URL --table T --pk KEY      writes the row of values.json
recipes.py read    --endpoint URL --table T --pk KEY      compares that row, whoever wrote it
recipes.py shapes  --endpoint URL --table T               writes a record as the other toolkits do
recipes.py rust    --endpoint URL --table T               compares that record as Rust wrote it
recipes.py refused --endpoint URL --table T --code CODE    a write must be refused with this code
"""

import argparse
import sys
import traceback

from python import batch, errors, expiry, lease, limit, pages, publish, request, shapes, statement, stream, tables, values
from python.claim import Broken, refused
from python.world import connect

RECIPES = {
    "tables": tables.recipe,
    "lease": lease.recipe,
    "holder": lease.holder,
    "publish": publish.recipe,
    "versions": publish.versions,
    "token": publish.token,
    "request": request.recipe,
    "limit": limit.recipe,
    "denial": limit.denial,
    "batch": batch.recipe,
    "pages": pages.recipe,
    "stream": stream.recipe,
    "expiry": expiry.recipe,
    "values": values.recipe,
    "statement": statement.recipe,
    "errors": errors.recipe,
}


def run(world, without):
    """Every recipe; one that fails does not hide the others."""
    failed = 0
    for name, recipe in RECIPES.items():
        if name in without:
            print(f"-- {name}: left out")
            continue
        print(f"-- {name}", flush=True)
        try:
            recipe(world)
        except Broken as broken:
            failed += 1
            print(f"FAILED  {broken}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name} stopped: {traceback.format_exc()}", flush=True)
    return failed


def main():
    """Ends with the number of recipes that failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["recipes", "write", "read", "shapes", "rust", "refused"])
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--without", default="")
    parser.add_argument("--table")
    parser.add_argument("--pk")
    parser.add_argument("--code")
    words = parser.parse_args()
    world = connect(words.endpoint, "py")
    if words.mode == "recipes":
        return run(world, words.without.split(","))
    if words.mode == "write":
        values.write(world.resource.Table(words.table), words.pk)
    elif words.mode == "read":
        values.read(world.resource.Table(words.table), words.pk)
    elif words.mode == "shapes":
        shapes.write(world.client, words.table)
    elif words.mode == "rust":
        shapes.read(world.client, words.table)
    else:
        attempt = world.resource.Table(words.table).put_item
        refused(f"a write is refused with {words.code}", words.code, attempt, Item={"pk": "x"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
