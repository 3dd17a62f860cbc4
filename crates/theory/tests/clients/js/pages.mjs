// Query and Scan page by page, with the paginators of the SDK.
import { equal, holds } from "./claim.mjs";
import { dynamodb, lib } from "./sdk.mjs";
import { collect } from "./world.mjs";

const NAMES = Array.from({ length: 60 }, (_, number) => String(number).padStart(3, "0"));

async function fill(world, table) {
  const body = "x".repeat(40_000);
  const rows = NAMES.flatMap((sk) => [
    { pk: "p", sk, number: Number(sk), body },
    { pk: `other-${sk}`, sk: "0" },
  ]);
  for (let at = 0; at < rows.length; at += 25) {
    const puts = rows.slice(at, at + 25).map((row) => ({ PutRequest: { Item: row } }));
    await world.doc("BatchWrite", { RequestItems: { [table]: puts } });
  }
}

export async function recipe(world) {
  const table = await world.table("pages");
  await fill(world, table);
  const whole = {
    TableName: table,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": "p" },
  };
  const query = (more = {}, pageSize = undefined) =>
    collect(lib.paginateQuery({ client: world.document, pageSize }, { ...whole, ...more }));
  const names = (pages) => pages.flatMap((page) => page.Items.map((item) => item.sk));
  const pages = await query();
  holds("a query of 2.4 MB takes several pages", pages.length >= 3, pages.length);
  equal("and finds every item once, in order", names(pages), NAMES);
  const small = await query({}, 7);
  equal("Limit cuts pages", small.slice(0, 8).map((page) => page.Count), Array(8).fill(7));
  equal("and loses nothing", names(small), NAMES);
  equal("backwards too", names(await query({ ScanIndexForward: false }, 25)), [...NAMES].reverse());
  const filtered = await query({
    FilterExpression: "#n BETWEEN :low AND :high",
    ProjectionExpression: "#n",
    ExpressionAttributeNames: { "#n": "number" },
    ExpressionAttributeValues: { ":p": "p", ":low": 10, ":high": 12 },
  });
  const kept = filtered.flatMap((page) => page.Items);
  equal("a filter and a projection", kept, [{ number: 10 }, { number: 11 }, { number: 12 }]);

  const scan = await collect(dynamodb.paginateScan({ client: world.client }, { TableName: table }));
  holds("a scan takes several pages too", scan.length >= 3, scan.length);
  const key = (item) => `${item.pk.S}/${item.sk.S}`;
  const keys = scan.flatMap((page) => page.Items.map(key));
  equal("and finds every item once", [keys.length, new Set(keys).size], [120, 120]);
  const segments = [0, 1, 2, 3].map((segment) => {
    const input = { TableName: table, Segment: segment, TotalSegments: 4, ProjectionExpression: "pk, sk" };
    return collect(dynamodb.paginateScan({ client: world.client }, input));
  });
  const parts = (await Promise.all(segments)).flat().flatMap((page) => page.Items.map(key));
  equal("four segments share the table out", parts.sort(), keys.sort());
}
