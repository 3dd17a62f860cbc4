// Publishing a page: META and LOCK change together or not at all, in place (recipe A) and by pointer (recipe B).
import { equal, holds, refused } from "./claim.mjs";
import { NOW, acquire, held } from "./lease.mjs";
import { dynamodb } from "./sdk.mjs";

export const CANCELED = "TransactionCanceledException";

/** The lease goes with the publication, if it is still ours. */
function stillMine(table, pk, token, now) {
  return {
    Delete: {
      TableName: table,
      Key: { pk, sk: "LOCK" },
      ConditionExpression: "#tok = :tok AND #exp > :now",
      ExpressionAttributeNames: { "#tok": "lease_token", "#exp": "lease_expires_at" },
      ExpressionAttributeValues: { ":tok": token, ":now": now },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

/** Recipe A. */
export function publication(table, pk, token, now, body) {
  const meta = { pk, sk: "META", s3_key: body, generated_at: now, revalidate_seconds: 60, etag: `"${body}"` };
  return [{ Put: { TableName: table, Item: meta } }, stillMine(table, pk, token, now)];
}

/** Recipe B: a new version row, and the pointer to it. */
function swap(table, pk, token, now, version, expected) {
  const row = { pk, sk: `VER#${version}`, s3_key: `pages/${version}.html`, generated_at: now };
  const pointer = {
    TableName: table,
    Key: { pk, sk: "META" },
    UpdateExpression: "SET current_sk = :ver, generated_at = :at ADD version :one",
    ConditionExpression: "attribute_not_exists(pk) OR (version = :seen AND generated_at < :at)",
    ExpressionAttributeValues: { ":ver": row.sk, ":at": now, ":one": 1, ":seen": expected },
  };
  const put = { TableName: table, Item: row, ConditionExpression: "attribute_not_exists(pk)" };
  return [{ Put: put }, { Update: pointer }, stillMine(table, pk, token, now)];
}

/** Why each operation of a transaction was refused. */
export const codes = (error) => error.CancellationReasons.map((reason) => reason.Code);

/** The page's metadata. */
export const meta = (world, table) => world.read(table, { pk: "P", sk: "META" });

export async function recipe(world) {
  const table = await world.table("publish");
  const write = (items) => world.doc("TransactWrite", { TransactItems: items });
  await acquire(world, table, "P", "one", NOW);
  await write(publication(table, "P", "one", NOW + 5, "body-1"));
  equal("the holder publishes", (await meta(world, table)).s3_key, "body-1");
  equal("and the lease is gone with it", await held(world, table, "P"), undefined);

  await acquire(world, table, "P", "slow", NOW + 10);
  await acquire(world, table, "P", "quick", NOW + 40);
  const late = write(publication(table, "P", "slow", NOW + 41, "body-late"));
  const error = await refused("a holder that was overtaken publishes nothing", CANCELED, late);
  equal("the reasons say which operation failed", codes(error), ["None", "ConditionalCheckFailed"]);
  const seen = error.CancellationReasons[1].Item.lease_token;
  equal("and show who holds the lease", seen, { S: "quick" });
  holds("the SDK knows the class", error instanceof dynamodb.TransactionCanceledException, error);
  equal("the page is as it was", (await meta(world, table)).s3_key, "body-1");
  const expired = write(publication(table, "P", "quick", NOW + 70, "body-late"));
  await refused("a lease that has run out publishes nothing either", CANCELED, expired);
  await write(publication(table, "P", "quick", NOW + 69, "body-2"));
  equal("the second holder publishes in time", (await meta(world, table)).s3_key, "body-2");
}

export async function versions(world) {
  const table = await world.table("versions");
  const write = (items) => world.doc("TransactWrite", { TransactItems: items });
  for (const [number, version] of ["a", "b"].entries()) {
    const at = NOW + 100 * number;
    await acquire(world, table, "P", version, at);
    await write(swap(table, "P", version, at + 1, version, number));
  }
  const pointer = await meta(world, table);
  equal("the pointer names the newest version and counts", [pointer.current_sk, pointer.version], ["VER#b", 2]);
  equal("the older version stays", (await world.read(table, { pk: "P", sk: "VER#a" })).s3_key, "pages/a.html");

  await acquire(world, table, "P", "c", NOW + 300);
  const twice = await refused("a version is written once", CANCELED, write(swap(table, "P", "c", NOW + 301, "b", 2)));
  equal("so the whole swap is refused", codes(twice), ["ConditionalCheckFailed", "None", "None"]);
  const blind = write(swap(table, "P", "c", NOW + 301, "c", 1));
  const error = await refused("an unseen change of the pointer is noticed", CANCELED, blind);
  equal("by its own condition", codes(error), ["None", "ConditionalCheckFailed", "None"]);
  equal("no version row was left behind", await world.read(table, { pk: "P", sk: "VER#c" }), undefined);
  equal("and the lease is still held", (await held(world, table, "P")).lease_token, "c");

  const get = (sk) => ({ Get: { TableName: table, Key: { pk: "P", sk } } });
  const found = await world.doc("TransactGet", { TransactItems: [get("META"), get("VER#c")] });
  equal("a transaction reads what is there", found.Responses[0].Item.current_sk, "VER#b");
  equal("and what is not", found.Responses[1].Item, undefined);
}

export async function token(world) {
  const table = await world.table("token");
  const count = (amount) => {
    const update = { TableName: table, Key: { pk: "P", sk: "META" }, UpdateExpression: "ADD generation :n" };
    update.ExpressionAttributeValues = { ":n": amount };
    const token = `${world.prefix}-publish-1`;
    return world.doc("TransactWrite", { ClientRequestToken: token, TransactItems: [{ Update: update }] });
  };
  await count(1);
  await count(1);
  equal("the same token sent again changes nothing", (await meta(world, table)).generation, 1);
  await refused("with another content it is refused", "IdempotentParameterMismatchException", count(2));
  equal("and still changes nothing", (await meta(world, table)).generation, 1);
}
