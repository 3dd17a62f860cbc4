// Every type of value: the row of values.json in JavaScript's types, and what is refused.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { equal, holds, refused } from "./claim.mjs";
import { lib, marshall, unmarshall } from "./sdk.mjs";

/** The row on the wire, with bytes where the JSON has base64. */
function row() {
  const raw = JSON.parse(readFileSync(new URL("../values.json", import.meta.url), "utf8"));
  return mapValues(raw, withBytes);
}

const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, one]) => [key, change(one)]));
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

function withBytes(value) {
  const [[kind, content]] = Object.entries(value);
  if (kind === "B") return { B: bytes(content) };
  if (kind === "BS") return { BS: content.map(bytes) };
  if (kind === "L") return { L: content.map(withBytes) };
  if (kind === "M") return { M: mapValues(content, withBytes) };
  return value;
}

/** One spelling for equal values: numbers without spare zeros, sets in order, bytes as text. */
function plain(value) {
  const [[kind, content]] = Object.entries(value).filter(([, one]) => one !== undefined);
  const text = (one) => Buffer.from(one).toString("base64");
  if (kind === "N") return { N: digits(content) };
  if (kind === "B") return { B: text(content) };
  if (kind === "SS") return { SS: [...content].sort() };
  if (kind === "NS") return { NS: content.map(digits).sort() };
  if (kind === "BS") return { BS: content.map(text).sort() };
  if (kind === "L") return { L: content.map(plain) };
  if (kind === "M") return { M: mapValues(content, plain) };
  return { [kind]: content };
}

/** A number as its digits and the place of the point, so that 1E-130 and 0.00…1 are the same text. */
function digits(number) {
  const [, sign, whole, fraction = "", power = "0"] = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(String(number));
  const all = (whole + fraction).replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(power) - fraction.length + all.length - kept.length}`;
}

/** Puts the row under `pk`, through JavaScript's own types. */
export async function write(world, table, pk) {
  const item = { pk, ...unmarshall(row(), { wrapNumbers: true }) };
  await world.exact.send(new lib.PutCommand({ TableName: table, Item: item }));
  console.log(`ok      the AWS SDK for JavaScript wrote ${pk}`);
}

/** Compares the row under `pk`. */
export async function read(world, table, pk) {
  const input = { TableName: table, Key: { pk }, ConsistentRead: true };
  const { Item: found = {} } = await world.exact.send(new lib.GetCommand(input));
  const seen = marshall(found);
  const expected = row();
  for (const [name, value] of Object.entries(expected)) {
    const same = seen[name] !== undefined && isDeepStrictEqual(plain(seen[name]), plain(value));
    holds(`${pk}: ${name}`, same, seen[name], value);
  }
  equal(`${pk}: nothing else`, Object.keys(found).sort(), ["pk", ...Object.keys(expected)].sort());
}

const nested = (levels) => (levels === 0 ? "bottom" : [nested(levels - 1)]);

export async function recipe(world) {
  const table = await world.table("values", { sort: null });
  await write(world, table, "every type");
  await read(world, table, "every type");

  const put = (value) => world.raw("PutItem", { TableName: table, Item: { pk: { S: "raw" }, value } });
  const stored = async () => (await world.raw("GetItem", { TableName: table, Key: { pk: { S: "raw" } } })).Item.value;
  const largest = "9.9999999999999999999999999999999999999E+125";
  await put({ N: largest });
  equal("the largest number is kept", digits((await stored()).N), digits(largest));
  await refused("39 digits are refused", "ValidationException", put({ N: "1".repeat(39) }));
  await refused("an empty set", "ValidationException", put({ SS: [] }));
  await refused("an item over 400 KB", "ValidationException", put({ S: "x".repeat(400 * 1024) }));
  const deep = (levels) => world.doc("Put", { TableName: table, Item: { pk: "deep", value: nested(levels) } });
  await deep(31);
  equal("31 levels are kept", (await world.read(table, { pk: "deep" })).value, nested(31));
  await refused("too many are refused", "ValidationException", deep(33));

  await world.doc("Put", { TableName: table, Item: { pk: "doc", doc: { list: [{ a: 1 }, { a: 2 }] } } });
  const changed = await world.doc("Update", {
    TableName: table,
    Key: { pk: "doc" },
    UpdateExpression: "SET doc.#l[1].a = :v, tags = :t REMOVE doc.#l[0]",
    ExpressionAttributeNames: { "#l": "list" },
    ExpressionAttributeValues: { ":v": 3, ":t": new Set(["x", "y"]) },
    ReturnValues: "ALL_NEW",
  });
  equal("paths reach into documents", changed.Attributes.doc, { list: [{ a: 3 }] });
  equal("and sets are sets", changed.Attributes.tags, new Set(["x", "y"]));
}
