// The AWS SDK for JavaScript against a DynamoDB endpoint: the recipes of the cache, the limiter and the requests, and what
// surrounds them. The same commands as recipes.py:
//
// recipes.mjs recipes --endpoint URL [--without NAME,NAME]   checks every claim; ends with 0 if all hold
// recipes.mjs write   --endpoint URL --table T --pk KEY      writes the row of values.json
// recipes.mjs read    --endpoint URL --table T --pk KEY      compares that row, whoever wrote it
// recipes.mjs refused --endpoint URL --table T --code CODE    a write must be refused with this code
import { parseArgs } from "node:util";
import * as batch from "./js/batch.mjs";
import { Broken, refused } from "./js/claim.mjs";
import * as errors from "./js/errors.mjs";
import * as expiry from "./js/expiry.mjs";
import * as lease from "./js/lease.mjs";
import * as limit from "./js/limit.mjs";
import * as pages from "./js/pages.mjs";
import * as publish from "./js/publish.mjs";
import * as request from "./js/request.mjs";
import * as statement from "./js/statement.mjs";
import * as stream from "./js/stream.mjs";
import * as tables from "./js/tables.mjs";
import * as values from "./js/values.mjs";
import { World } from "./js/world.mjs";

const RECIPES = {
  tables: tables.recipe,
  lease: lease.recipe,
  holder: lease.holder,
  publish: publish.recipe,
  versions: publish.versions,
  token: publish.token,
  request: request.recipe,
  limit: limit.recipe,
  denial: limit.denial,
  batch: batch.recipe,
  pages: pages.recipe,
  stream: stream.recipe,
  expiry: expiry.recipe,
  values: values.recipe,
  statement: statement.recipe,
  errors: errors.recipe,
};

/** Every recipe; one that fails does not hide the others. */
async function run(world, without) {
  let failed = 0;
  for (const [name, recipe] of Object.entries(RECIPES)) {
    if (without.includes(name)) {
      console.log(`-- ${name}: left out`);
      continue;
    }
    console.log(`-- ${name}`);
    try {
      await recipe(world);
    } catch (error) {
      failed += 1;
      console.log(error instanceof Broken ? `FAILED  ${error.message}` : `FAILED  ${name} stopped: ${error.stack}`);
    }
  }
  return failed;
}

const option = { type: "string" };
const options = { endpoint: option, without: { ...option, default: "" }, table: option, pk: option, code: option };
const { values: words, positionals } = parseArgs({ options, allowPositionals: true });
const world = new World(words.endpoint, "js");
switch (positionals[0]) {
  case "recipes":
    process.exitCode = await run(world, words.without.split(","));
    break;
  case "write":
    await values.write(world, words.table, words.pk);
    break;
  case "read":
    await values.read(world, words.table, words.pk);
    break;
  case "refused": {
    const attempt = world.doc("Put", { TableName: words.table, Item: { pk: "x" } });
    await refused(`a write is refused with ${words.code}`, words.code, attempt);
    break;
  }
  default:
    console.error("recipes.mjs recipes|write|read|refused --endpoint URL …");
    process.exitCode = 2;
}
world.close();
