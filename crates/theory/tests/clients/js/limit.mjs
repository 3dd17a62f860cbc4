// A counter of one window: one UpdateItem decides and counts, for the first request as for the last.
import { equal, refused } from "./claim.mjs";
import { LOST } from "./lease.mjs";

const LIMIT = 5;
const INDEX = {
  IndexName: "gsi-tenant",
  KeySchema: [{ AttributeName: "TenantID", KeyType: "HASH" }],
  Projection: { ProjectionType: "ALL" },
};

function hit(world, table, identifier, more = {}) {
  return world.doc("Update", {
    TableName: table,
    Key: { pk: identifier, sk: "2027-01-15T08:00:00Z" },
    UpdateExpression: "SET TenantID = if_not_exists(TenantID, :tenant) ADD #n :one",
    ConditionExpression: "attribute_not_exists(#n) OR #n < :limit",
    ExpressionAttributeNames: { "#n": "Count" },
    ExpressionAttributeValues: { ":one": 1, ":limit": LIMIT, ":tenant": "t1" },
    ReturnValues: "UPDATED_NEW",
    ...more,
  });
}

export async function recipe(world) {
  const table = await world.table("limit", { attributes: ["TenantID"], GlobalSecondaryIndexes: [INDEX] });
  // All at once, so that the counts come from the endpoint and not from our patience.
  const all = await Promise.allSettled(Array.from({ length: 2 * LIMIT }, () => hit(world, table, "ip:192.0.2.1")));
  const counts = all.filter((one) => one.status === "fulfilled").map((one) => one.value.Attributes.Count);
  equal("of ten at the same time five are counted, each once", counts.sort(), [1, 2, 3, 4, 5]);
  const reasons = new Set(all.filter((one) => one.status === "rejected").map((one) => one.reason.name));
  equal("the others are refused", [...reasons], [LOST]);
  const first = (await hit(world, table, "ip:192.0.2.2")).Attributes;
  equal("another address has its own budget, and the answer no key", first, { Count: 1, TenantID: "t1" });
  const found = await world.doc("Query", {
    TableName: table,
    IndexName: "gsi-tenant",
    KeyConditionExpression: "TenantID = :tenant",
    ExpressionAttributeValues: { ":tenant": "t1" },
  });
  equal("an index finds both by tenant", found.Items.map((item) => item.Count).sort(), [1, LIMIT]);
}

export async function denial(world) {
  const table = await world.table("denial");
  const show = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  for (let round = 0; round < LIMIT; round += 1) await hit(world, table, "ip:192.0.2.1", show);
  const error = await refused("the budget is spent", LOST, hit(world, table, "ip:192.0.2.1", show));
  equal("and the refusal carries the count", error.Item?.Count, { N: String(LIMIT) });
}
