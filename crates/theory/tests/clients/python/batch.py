"""Many items at once: twenty-five to write, a hundred to read, and what did not fit is asked for again."""

from .claim import equal, holds, refused

ITEM_BYTES = 380_000
ITEMS = 46


def read_all(client, requests):
    """Asks until nothing is left, and counts how often."""
    found, rounds = [], 0
    while requests:
        answer = client.batch_get_item(RequestItems=requests)
        for items in answer["Responses"].values():
            found.extend(items)
        requests = answer["UnprocessedKeys"]
        rounds += 1
    return found, rounds


def recipe(world):
    table = world.table("batch")
    client = world.resource.meta.client
    puts = [{"PutRequest": {"Item": {"pk": "b", "sk": f"{number:03}"}}} for number in range(25)]
    answer = client.batch_write_item(RequestItems={table.name: puts})
    equal("twenty-five items are written at once", answer["UnprocessedItems"], {})
    one_more = puts + [{"PutRequest": {"Item": {"pk": "b", "sk": "025"}}}]
    refused("not twenty-six", "ValidationException", client.batch_write_item, RequestItems={table.name: one_more})
    twice = [puts[0], puts[0]]
    refused("nor one of them twice", "ValidationException", client.batch_write_item, RequestItems={table.name: twice})

    keys = [{"pk": "b", "sk": f"{number:03}"} for number in range(30)]
    found, _ = read_all(client, {table.name: {"Keys": keys, "ConsistentRead": True}})
    equal("a batch reads those that exist", len(found), 25)
    with table.batch_writer() as writer:
        for number in range(25):
            writer.delete_item(Key={"pk": "b", "sk": f"{number:03}"})
    equal("boto3's own writer deletes them", table.scan()["Count"], 0)

    with table.batch_writer() as writer:
        for number in range(ITEMS):
            writer.put_item(Item={"pk": "big", "sk": f"{number:03}", "body": "x" * ITEM_BYTES})
    keys = [{"pk": "big", "sk": f"{number:03}"} for number in range(ITEMS)]
    found, rounds = read_all(client, {table.name: {"Keys": keys}})
    equal("more than sixteen megabytes arrive in the end", len(found), ITEMS)
    holds("but not in one answer", rounds > 1, rounds)
