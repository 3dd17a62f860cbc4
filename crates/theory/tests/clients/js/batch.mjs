// Many items at once: twenty-five to write, a hundred to read, and what did not fit is asked for again.
import { equal, holds, refused } from "./claim.mjs";

const ITEM_BYTES = 380_000;
const ITEMS = 46;

const name = (number) => String(number).padStart(3, "0");
const range = (count) => Array.from({ length: count }, (_, number) => number);

/** Asks until nothing is left, and counts how often. */
async function readAll(world, requests) {
  const found = [];
  let rounds = 0;
  while (Object.keys(requests).length > 0) {
    const answer = await world.doc("BatchGet", { RequestItems: requests });
    found.push(...Object.values(answer.Responses).flat());
    requests = answer.UnprocessedKeys;
    rounds += 1;
  }
  return [found, rounds];
}

async function writeAll(world, table, requests) {
  let left = { [table]: requests };
  while (Object.keys(left).length > 0) {
    left = (await world.doc("BatchWrite", { RequestItems: left })).UnprocessedItems;
  }
}

export async function recipe(world) {
  const table = await world.table("batch");
  const puts = range(26).map((number) => ({ PutRequest: { Item: { pk: "b", sk: name(number) } } }));
  const write = (requests) => world.doc("BatchWrite", { RequestItems: { [table]: requests } });
  equal("twenty-five items are written at once", (await write(puts.slice(0, 25))).UnprocessedItems, {});
  await refused("not twenty-six", "ValidationException", write(puts));
  await refused("nor one of them twice", "ValidationException", write([puts[0], puts[0]]));
  const keys = range(30).map((number) => ({ pk: "b", sk: name(number) }));
  const [there] = await readAll(world, { [table]: { Keys: keys, ConsistentRead: true } });
  equal("a batch reads those that exist", there.length, 25);
  await writeAll(world, table, keys.slice(0, 25).map((key) => ({ DeleteRequest: { Key: key } })));
  equal("and deletes them", (await world.doc("Scan", { TableName: table })).Count, 0);

  const body = "x".repeat(ITEM_BYTES);
  const big = range(ITEMS).map((number) => ({ PutRequest: { Item: { pk: "big", sk: name(number), body } } }));
  await writeAll(world, table, big.slice(0, 23));
  await writeAll(world, table, big.slice(23));
  const bigKeys = range(ITEMS).map((number) => ({ pk: "big", sk: name(number) }));
  const [found, rounds] = await readAll(world, { [table]: { Keys: bigKeys } });
  equal("more than sixteen megabytes arrive in the end", found.length, ITEMS);
  holds("but not in one answer", rounds > 1, rounds);
}
