// Errors as the SDK gives them: a class for each modelled code, a base class for all, and an identifier to ask about.
import { equal, holds, refused } from "./claim.mjs";
import { dynamodb } from "./sdk.mjs";

export async function recipe(world) {
  const table = await world.table("errors");
  const key = { pk: { S: "a" }, sk: { S: "b" } };
  const absent = world.raw("GetItem", { TableName: "js-no", Key: key });
  const error = await refused("an unknown table is not found", "ResourceNotFoundException", absent);
  holds("with the SDK's class", error instanceof dynamodb.ResourceNotFoundException, error);
  equal("and its status", error.$metadata.httpStatusCode, 400);
  equal("it is the client's fault", error.$fault, "client");
  holds("with a request to ask about", error.$metadata.requestId, error.$metadata);
  equal("and is not tried again", error.$metadata.attempts, 1);
  const reserved = world.raw("UpdateItem", {
    TableName: table,
    Key: key,
    UpdateExpression: "SET status = :s",
    ExpressionAttributeValues: { ":s": { S: "x" } },
  });
  const refusal = await refused("a reserved word", "ValidationException", reserved);
  holds("is named", refusal.message.includes("status"), refusal.message);
  holds("in the SDK's base class", refusal instanceof dynamodb.DynamoDBServiceException, refusal);
  await refused("half a key", "ValidationException", world.raw("GetItem", { TableName: table, Key: { pk: key.pk } }));
  const twice = [1, 2].map(() => ({ Delete: { TableName: table, Key: key } }));
  const same = world.raw("TransactWriteItems", { TransactItems: twice });
  await refused("one item twice in a transaction", "ValidationException", same);
  equal("and nothing was written by all of this", (await world.raw("Scan", { TableName: table })).Count, 0);
}
