// The change stream: found, described, read from its beginning and from a place in it.
import { equal } from "./claim.mjs";

/** The stream of a table. */
export async function describe(world, table) {
  const { Streams } = await world.stream("ListStreams", { TableName: table });
  equal("the table has one stream", Streams.map((stream) => stream.TableName), [table]);
  return (await world.stream("DescribeStream", { StreamArn: Streams[0].StreamArn })).StreamDescription;
}

/** Everything from `start` to the present end of every shard. */
export async function records(world, description, start = { ShardIteratorType: "TRIM_HORIZON" }) {
  const found = [];
  for (const { ShardId } of description.Shards) {
    const input = { StreamArn: description.StreamArn, ShardId, ...start };
    let iterator = (await world.stream("GetShardIterator", input)).ShardIterator;
    while (iterator) {
      const page = await world.stream("GetRecords", { ShardIterator: iterator, Limit: 2 });
      found.push(...page.Records);
      iterator = page.Records.length > 0 ? page.NextShardIterator : undefined;
    }
  }
  return found;
}

export async function recipe(world) {
  const table = await world.table("stream", { sort: null, stream: true });
  await world.doc("Put", { TableName: table, Item: { pk: "a", n: 1 } });
  await world.doc("Put", { TableName: table, Item: { pk: "a", n: 1 } });
  await world.doc("Update", {
    TableName: table,
    Key: { pk: "a" },
    UpdateExpression: "SET n = :n",
    ExpressionAttributeValues: { ":n": 2 },
  });
  await world.doc("Delete", { TableName: table, Key: { pk: "a" } });
  const description = await describe(world, table);
  const latest = (await world.raw("DescribeTable", { TableName: table })).Table.LatestStreamArn;
  equal("the table names its stream", latest, description.StreamArn);
  equal("the stream is enabled", description.StreamStatus, "ENABLED");
  const found = await records(world, description);
  const names = found.map((record) => record.eventName);
  equal("each change is one record, and no change is none", names, ["INSERT", "MODIFY", "REMOVE"]);
  const images = found.map(({ dynamodb }) => [dynamodb.OldImage?.n?.N, dynamodb.NewImage?.n?.N]);
  equal("with the images before and after", images, [[undefined, "1"], ["1", "2"], ["2", undefined]]);
  equal("and the key", found[0].dynamodb.Keys, { pk: { S: "a" } });
  equal("a delete by a caller has no identity", found[2].userIdentity, undefined);
  const place = { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: found[0].dynamodb.SequenceNumber };
  const later = await records(world, { ...description, Shards: description.Shards.slice(0, 1) }, place);
  equal("reading goes on after a record", later.map((record) => record.eventName), ["MODIFY", "REMOVE"]);
}
