// Tables: made, waited for, described, listed, deleted.
import { equal, holds, refused } from "./claim.mjs";
import { dynamodb } from "./sdk.mjs";
import { collect } from "./world.mjs";

export async function recipe(world) {
  const table = await world.table("tables");
  const described = (await world.raw("DescribeTable", { TableName: table })).Table;
  equal("a new table is active", described.TableStatus, "ACTIVE");
  equal("and is described with its keys", described.KeySchema.map((key) => key.AttributeName), ["pk", "sk"]);
  holds("and has a date", described.CreationDateTime instanceof Date, described.CreationDateTime);
  const pages = await collect(dynamodb.paginateListTables({ client: world.client, pageSize: 1 }, {}));
  const names = pages.flatMap((page) => page.TableNames);
  holds("the list names it, page by page", names.includes(table), names);
  const again = { TableName: table, BillingMode: "PAY_PER_REQUEST" };
  again.AttributeDefinitions = [{ AttributeName: "pk", AttributeType: "S" }];
  again.KeySchema = [{ AttributeName: "pk", KeyType: "HASH" }];
  const error = await refused(
    "a second table of its name is refused",
    "ResourceInUseException",
    world.raw("CreateTable", again),
  );
  holds("with the SDK's class for it", error instanceof dynamodb.ResourceInUseException, error);
  await world.raw("DeleteTable", { TableName: table });
  await dynamodb.waitUntilTableNotExists({ client: world.client, maxWaitTime: 30, minDelay: 1 }, { TableName: table });
  await refused("a deleted table is gone", "ResourceNotFoundException", world.raw("DescribeTable", { TableName: table }));
}
