// REQ# rows: one piece of work for one idempotency key, whoever asks how often.
import { equal, refused } from "./claim.mjs";
import { LOST, NOW, acquire } from "./lease.mjs";
import { CANCELED, codes, meta, publication } from "./publish.mjs";

function claim(world, table, key, hash) {
  const row = { pk: "P", sk: `REQ#${key}`, request_hash: hash, status: "STARTED", ttl: NOW + 86400 };
  return world.doc("Put", { TableName: table, Item: row, ConditionExpression: "attribute_not_exists(pk)" });
}

function completion(table, key, hash, body) {
  return {
    Update: {
      TableName: table,
      Key: { pk: "P", sk: `REQ#${key}` },
      UpdateExpression: "SET #status = :done, result_s3_key = :body",
      ConditionExpression: "request_hash = :hash AND #status = :started",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":done": "COMPLETED", ":started": "STARTED", ":hash": hash, ":body": body },
    },
  };
}

/** What a second caller learns. */
async function verdict(world, table, key, hash) {
  const row = await world.read(table, { pk: "P", sk: `REQ#${key}` });
  return row.request_hash === hash ? (row.result_s3_key ?? "in progress") : "mismatch";
}

export async function recipe(world) {
  const table = await world.table("request");
  const write = (hash) => {
    const items = [...publication(table, "P", "one", NOW + 1, "body-1"), completion(table, "k1", hash, "body-1")];
    return world.doc("TransactWrite", { TransactItems: items });
  };
  await claim(world, table, "k1", "hash-1");
  equal("a claimed request is in progress", await verdict(world, table, "k1", "hash-1"), "in progress");
  await refused("a second claim is refused", LOST, claim(world, table, "k1", "hash-1"));
  equal("the same key with other inputs is a mismatch", await verdict(world, table, "k1", "hash-2"), "mismatch");

  await acquire(world, table, "P", "one", NOW);
  const error = await refused("work of other inputs cannot complete it", CANCELED, write("hash-2"));
  equal("by its own condition", codes(error), ["None", "None", "ConditionalCheckFailed"]);
  equal("and publishes nothing", await meta(world, table), undefined);
  await write("hash-1");
  equal("publication, completion and release are one step", (await meta(world, table)).s3_key, "body-1");
  equal("a replay gets the recorded result", await verdict(world, table, "k1", "hash-1"), "body-1");
  equal("a mismatch stays one when all is done", await verdict(world, table, "k1", "hash-2"), "mismatch");
  await refused("a completed request is not begun again", LOST, claim(world, table, "k1", "hash-1"));
}
