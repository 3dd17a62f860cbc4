// PartiQL: one statement, several in a batch, several in a transaction.
import { equal, holds, refused } from "./claim.mjs";
import { dynamodb } from "./sdk.mjs";

export async function recipe(world) {
  const table = await world.table("statement");
  const run = (statement, ...parameters) => {
    const input = { Statement: statement };
    if (parameters.length > 0) input.Parameters = parameters;
    return world.doc("ExecuteStatement", input);
  };
  const insert = `INSERT INTO "${table}" VALUE {'pk': 'p', 'sk': ?, 'n': ?}`;
  const where = "WHERE pk = 'p' AND sk = ?";
  await run(insert, "1", 1);
  await run(insert, "2", 2);
  const error = await refused("an item is inserted once", "DuplicateItemException", run(insert, "1", 9));
  holds("with the SDK's class", error instanceof dynamodb.DuplicateItemException, error);
  const found = await run(`SELECT sk, n FROM "${table}" WHERE pk = ? AND n > ?`, "p", 1);
  equal("a select finds by key and filter", found.Items, [{ sk: "2", n: 2 }]);
  const updated = await run(`UPDATE "${table}" SET n = n + 10 ${where} RETURNING ALL NEW *`, "2");
  equal("an update answers what it made", updated.Items[0].n, 12);

  const batch = await world.doc("BatchExecuteStatement", {
    Statements: ["1", "none"].map((sk) => ({ Statement: `SELECT * FROM "${table}" ${where}`, Parameters: [sk] })),
  });
  equal("a batch answers each statement", batch.Responses.map((answer) => answer.Item?.n), [1, undefined]);
  const both = world.doc("ExecuteTransaction", {
    TransactStatements: [
      { Statement: `DELETE FROM "${table}" ${where}`, Parameters: ["1"] },
      { Statement: insert, Parameters: ["2", 0] },
    ],
  });
  const canceled = await refused("a transaction is all or nothing", "TransactionCanceledException", both);
  const codes = canceled.CancellationReasons.map((reason) => reason.Code);
  equal("and says what stopped it", codes, ["None", "DuplicateItem"]);
  await run(`DELETE FROM "${table}" ${where}`, "1");
  equal("a delete deletes", (await run(`SELECT * FROM "${table}" WHERE pk = 'p'`)).Items.length, 1);
}
