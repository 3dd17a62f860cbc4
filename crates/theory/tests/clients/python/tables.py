"""Tables: made, waited for, described, listed, changed, deleted."""

from .claim import equal, holds, refused


def recipe(world):
    table = world.table("tables")
    equal("a new table is active", table.table_status, "ACTIVE")
    equal("and is described with its keys", [key["AttributeName"] for key in table.key_schema], ["pk", "sk"])
    holds("and has a resource name", table.table_arn.startswith("arn:aws:dynamodb:"), table.table_arn)
    pages = world.client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})
    names = [name for page in pages for name in page["TableNames"]]
    holds("the list names it, page by page", table.name in names, names)
    error = refused(
        "a second table of its name is refused",
        "ResourceInUseException",
        world.client.create_table,
        TableName=table.name,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    holds("with boto3's class for it", isinstance(error, world.client.exceptions.ResourceInUseException), error)
    table.delete()
    table.wait_until_not_exists()
    refused("a deleted table is gone", "ResourceNotFoundException", world.client.describe_table, TableName=table.name)
