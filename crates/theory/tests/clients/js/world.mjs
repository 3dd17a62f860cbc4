// The endpoint as the SDK sees it: one client for each interface, and the tables of this run.
import { setTimeout as pause } from "node:timers/promises";
import { dynamodb, lib, streams } from "./sdk.mjs";

/** What a recipe gets. */
export class World {
  /** Keys and region come from the usual environment variables. */
  constructor(endpoint, prefix) {
    this.prefix = prefix;
    const settings = { endpoint, maxAttempts: 2 };
    this.client = new dynamodb.DynamoDBClient(settings);
    this.streams = new streams.DynamoDBStreamsClient(settings);
    this.document = lib.DynamoDBDocumentClient.from(this.client);
    // This one keeps 38 digits. It has a client of its own, because two that share one share their options too.
    const exact = { unmarshallOptions: { wrapNumbers: true } };
    this.exact = lib.DynamoDBDocumentClient.from(new dynamodb.DynamoDBClient(settings), exact);
  }

  /** Performs a command of the low-level client. */
  raw(name, input) {
    return this.client.send(new dynamodb[`${name}Command`](input));
  }

  /** Performs a command of the document client. */
  doc(name, input) {
    return this.document.send(new lib[`${name}Command`](input));
  }

  /** Performs a command of the streams' client. */
  stream(name, input) {
    return this.streams.send(new streams[`${name}Command`](input));
  }

  /** Makes a table with string keys, waits for it and returns its name. */
  async table(noun, { sort = "sk", stream = false, attributes = [], ...more } = {}) {
    const name = `${this.prefix}-${noun}`;
    const keys = [["pk", "HASH"], ...(sort ? [[sort, "RANGE"]] : [])];
    const names = [...keys.map(([key]) => key), ...attributes];
    if (stream) more.StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" };
    await this.raw("CreateTable", {
      TableName: name,
      AttributeDefinitions: names.map((attribute) => ({ AttributeName: attribute, AttributeType: "S" })),
      KeySchema: keys.map(([key, kind]) => ({ AttributeName: key, KeyType: kind })),
      BillingMode: "PAY_PER_REQUEST",
      ...more,
    });
    const patience = { client: this.client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 };
    await dynamodb.waitUntilTableExists(patience, { TableName: name });
    return name;
  }

  /** Reads one row strongly. */
  async read(table, key) {
    return (await this.doc("Get", { TableName: table, Key: key, ConsistentRead: true })).Item;
  }

  close() {
    this.client.destroy();
    this.exact.destroy();
    this.streams.destroy();
  }
}

/** Everything an asynchronous iterator gives. */
export async function collect(pages) {
  const all = [];
  for await (const page of pages) all.push(page);
  return all;
}

/** Asks again until the answer holds; gives up after half a minute. */
export async function patiently(attempt) {
  for (let round = 0; round < 150; round += 1) {
    if (await attempt()) return;
    await pause(200);
  }
}
