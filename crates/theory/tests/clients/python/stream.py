"""The change stream: found, described, read from its beginning and from a place in it."""

from .claim import equal, holds


def shards(world, table):
    """The stream's name and its shards, page by page."""
    [found] = world.streams.list_streams(TableName=table.name)["Streams"]
    description = world.streams.describe_stream(StreamArn=found["StreamArn"])["StreamDescription"]
    return found["StreamArn"], description


def records(world, arn, shard, **start):
    """Everything from `start` to the present end of the shard."""
    start = start or {"ShardIteratorType": "TRIM_HORIZON"}
    answer = world.streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], **start)
    iterator, found = answer["ShardIterator"], []
    while iterator:
        page = world.streams.get_records(ShardIterator=iterator, Limit=2)
        found += page["Records"]
        iterator = page.get("NextShardIterator") if page["Records"] else None
    return found


def recipe(world):
    table = world.table("stream", sort=None, stream=True)
    table.put_item(Item={"pk": "a", "n": 1})
    table.put_item(Item={"pk": "a", "n": 1})
    table.update_item(Key={"pk": "a"}, UpdateExpression="SET n = :n", ExpressionAttributeValues={":n": 2})
    table.delete_item(Key={"pk": "a"})
    arn, description = shards(world, table)
    equal("the table names its stream", table.latest_stream_arn, arn)
    equal("the stream is enabled", description["StreamStatus"], "ENABLED")
    equal("and tells its view", description["StreamViewType"], "NEW_AND_OLD_IMAGES")
    found = [record for shard in description["Shards"] for record in records(world, arn, shard)]
    names = [record["eventName"] for record in found]
    equal("each change is one record, and no change is none", names, ["INSERT", "MODIFY", "REMOVE"])
    images = [
        (change["dynamodb"].get("OldImage", {}).get("n"), change["dynamodb"].get("NewImage", {}).get("n"))
        for change in found
    ]
    one, two = {"N": "1"}, {"N": "2"}
    equal("with the images before and after", images, [(None, one), (one, two), (two, None)])
    equal("and the key", found[0]["dynamodb"]["Keys"], {"pk": {"S": "a"}})
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in found]
    equal("sequence numbers grow", numbers, sorted(set(numbers)))
    holds("a delete by a caller has no identity", "userIdentity" not in found[2], found[2])
    place = {
        "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
        "SequenceNumber": found[0]["dynamodb"]["SequenceNumber"],
    }
    later = [record for shard in description["Shards"][:1] for record in records(world, arn, shard, **place)]
    equal("reading goes on after a record", [record["eventName"] for record in later], ["MODIFY", "REMOVE"])
