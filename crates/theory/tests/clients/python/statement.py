"""PartiQL: one statement, several in a batch, several in a transaction."""

from .claim import equal, refused


def recipe(world):
    table = world.table("statement")
    client = world.client
    where = "WHERE pk = 'p' AND sk = ?"

    def run(statement, *parameters, **more):
        if parameters:
            more["Parameters"] = list(parameters)
        return client.execute_statement(Statement=statement, **more).get("Items", [])

    insert = f'INSERT INTO "{table.name}" VALUE {{\'pk\': \'p\', \'sk\': ?, \'n\': ?}}'
    run(insert, {"S": "1"}, {"N": "1"})
    run(insert, {"S": "2"}, {"N": "2"})
    refused(
        "an item is inserted once",
        "DuplicateItemException",
        client.execute_statement,
        Statement=insert,
        Parameters=[{"S": "1"}, {"N": "9"}],
    )
    found = run(f'SELECT sk, n FROM "{table.name}" WHERE pk = ? AND n > ?', {"S": "p"}, {"N": "1"})
    equal("a select finds by key and filter", found, [{"sk": {"S": "2"}, "n": {"N": "2"}}])
    found = run(f'UPDATE "{table.name}" SET n = n + 10 {where} RETURNING ALL NEW *', {"S": "2"})
    equal("an update answers what it made", found[0]["n"], {"N": "12"})
    answer = client.execute_statement(
        Statement=f'SELECT * FROM "{table.name}" WHERE pk = \'p\'', Limit=1, ConsistentRead=True
    )
    first = [item["sk"]["S"] for item in answer["Items"]]
    rest = client.execute_statement(
        Statement=f'SELECT * FROM "{table.name}" WHERE pk = \'p\'', NextToken=answer["NextToken"]
    )
    equal("a select goes on where it stopped", first + [item["sk"]["S"] for item in rest["Items"]], ["1", "2"])
    batch = client.batch_execute_statement(
        Statements=[
            {"Statement": f'SELECT * FROM "{table.name}" {where}', "Parameters": [{"S": "1"}]},
            {"Statement": f'SELECT * FROM "{table.name}" {where}', "Parameters": [{"S": "none"}]},
        ]
    )["Responses"]
    equal("a batch answers each statement", ["Item" in answer for answer in batch], [True, False])
    both = [
        {"Statement": f'DELETE FROM "{table.name}" {where}', "Parameters": [{"S": "1"}]},
        {"Statement": insert, "Parameters": [{"S": "2"}, {"N": "0"}]},
    ]
    error = refused(
        "a transaction is all or nothing",
        "TransactionCanceledException",
        client.execute_transaction,
        TransactStatements=both,
    )
    codes = [reason["Code"] for reason in error.response["CancellationReasons"]]
    equal("and says what stopped it", codes, ["None", "DuplicateItem"])
    equal("nothing was deleted", len(run(f'SELECT * FROM "{table.name}" WHERE pk = \'p\'')), 2)
    run(f'DELETE FROM "{table.name}" {where}', {"S": "1"})
    equal("a delete deletes", len(run(f'SELECT * FROM "{table.name}" WHERE pk = \'p\'')), 1)
