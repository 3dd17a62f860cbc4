// LOCK rows: one holder at a time, told apart by a token; the clock is the caller's.
import { equal, holds, refused } from "./claim.mjs";
import { dynamodb } from "./sdk.mjs";

export const NOW = 1_800_000_000;
export const LOST = "ConditionalCheckFailedException";
const TERM = 30;

/** Takes the lease if nobody has it any more. */
export function acquire(world, table, pk, token, now, more = {}) {
  return world.doc("Put", {
    TableName: table,
    Item: { pk, sk: "LOCK", lease_token: token, lease_expires_at: now + TERM, ttl: now + TERM + 3600 },
    ConditionExpression: "attribute_not_exists(#pk) OR #exp <= :now",
    ExpressionAttributeNames: { "#pk": "pk", "#exp": "lease_expires_at" },
    ExpressionAttributeValues: { ":now": now },
    ...more,
  });
}

/** The lease as it stands. */
export const held = (world, table, pk) => world.read(table, { pk, sk: "LOCK" });

function refresh(world, table, pk, token, now) {
  return world.doc("Update", {
    TableName: table,
    Key: { pk, sk: "LOCK" },
    UpdateExpression: "SET #exp = :exp, #ttl = :ttl",
    ConditionExpression: "#tok = :tok AND #exp > :now",
    ExpressionAttributeNames: { "#exp": "lease_expires_at", "#tok": "lease_token", "#ttl": "ttl" },
    ExpressionAttributeValues: { ":exp": now + TERM, ":ttl": now + TERM + 3600, ":tok": token, ":now": now },
    ReturnValues: "ALL_NEW",
  });
}

function release(world, table, pk, token) {
  return world.doc("Delete", {
    TableName: table,
    Key: { pk, sk: "LOCK" },
    ConditionExpression: "lease_token = :tok",
    ExpressionAttributeValues: { ":tok": token },
    ReturnValues: "ALL_OLD",
  });
}

export async function recipe(world) {
  const table = await world.table("lease");
  const pk = "TENANT#t1#CACHE#abc";
  await acquire(world, table, pk, "one", NOW);
  equal("a free lease is granted", (await held(world, table, pk)).lease_token, "one");
  const error = await refused("a held lease is refused", LOST, acquire(world, table, pk, "two", NOW + 29));
  holds("with the SDK's class", error instanceof dynamodb.ConditionalCheckFailedException, error);
  equal("and its holder stays", (await held(world, table, pk)).lease_token, "one");
  const renewed = (await refresh(world, table, pk, "one", NOW + 20)).Attributes;
  equal("the holder moves its end", renewed.lease_expires_at, NOW + 50);
  await refused("a stranger does not", LOST, refresh(world, table, pk, "two", NOW + 20));
  await refused("the old end no longer counts", LOST, acquire(world, table, pk, "two", NOW + 30));
  await acquire(world, table, pk, "two", NOW + 50);
  equal("an expired lease is taken over", (await held(world, table, pk)).lease_token, "two");
  await refused("the late holder cannot refresh", LOST, refresh(world, table, pk, "one", NOW + 51));
  await refused("nor release what is no longer its own", LOST, release(world, table, pk, "one"));
  equal("the holder releases", (await release(world, table, pk, "two")).Attributes.lease_token, "two");
  equal("and the row is gone", await held(world, table, pk), undefined);

  const race = ["a", "b", "c", "d", "e", "f", "g", "h"].map((token) => acquire(world, table, "RACE", token, NOW));
  const granted = (await Promise.allSettled(race)).filter((one) => one.status === "fulfilled");
  equal("of eight at the same time one is granted", granted.length, 1);
}

export async function holder(world) {
  const table = await world.table("holder");
  await acquire(world, table, "CACHE#1", "one", NOW);
  const show = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  const shown = await refused("a held lease is refused", LOST, acquire(world, table, "CACHE#1", "two", NOW, show));
  equal("and the refusal shows the holder", shown.Item?.lease_token, { S: "one" });
  equal("until when it holds", shown.Item?.lease_expires_at, { N: String(NOW + TERM) });
  const plain = await refused("without asking it shows nothing", LOST, acquire(world, table, "CACHE#1", "two", NOW));
  equal("as the service does", plain.Item, undefined);
}
