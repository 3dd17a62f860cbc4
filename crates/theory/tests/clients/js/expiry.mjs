// Time to live: switched on, described, and an expired item goes away by itself, marked as the service's deed.
import { equal, holds } from "./claim.mjs";
import { describe, records } from "./stream.mjs";
import { patiently } from "./world.mjs";

export async function recipe(world) {
  const table = await world.table("expiry", { sort: null, stream: true });
  const setting = { Enabled: true, AttributeName: "ttl" };
  const answer = await world.raw("UpdateTimeToLive", { TableName: table, TimeToLiveSpecification: setting });
  equal("time to live is switched on", answer.TimeToLiveSpecification, setting);
  const described = (await world.raw("DescribeTimeToLive", { TableName: table })).TimeToLiveDescription;
  holds("and described", ["ENABLED", "ENABLING"].includes(described.TimeToLiveStatus), described);
  equal("with its attribute", described.AttributeName, "ttl");

  const now = Math.floor(Date.now() / 1000);
  await world.doc("Put", { TableName: table, Item: { pk: "gone", ttl: now - 60, lease_token: "one" } });
  await world.doc("Put", { TableName: table, Item: { pk: "later", ttl: now + 86400 } });
  await patiently(async () => (await world.read(table, { pk: "gone" })) === undefined);
  const left = (await world.doc("Scan", { TableName: table })).Items.map((item) => item.pk);
  equal("the expired item is gone, the other stays", left, ["later"]);
  const changes = await records(world, await describe(world, table));
  const [removed] = changes.filter((record) => record.eventName === "REMOVE");
  equal("the stream has the removal", removed?.dynamodb.Keys, { pk: { S: "gone" } });
  const service = { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" };
  equal("as the service's own deed", removed.userIdentity, service);
  equal("with what was there", removed.dynamodb.OldImage.lease_token, { S: "one" });
}
