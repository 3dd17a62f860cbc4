"""Errors as boto3 gives them: a class for each modelled code, one for all the rest, and an identifier to ask about."""

from botocore.exceptions import ClientError

from .claim import equal, holds, refused


def recipe(world):
    table = world.table("errors")
    known = world.client.exceptions
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
    error = refused(
        "an unknown table is not found", "ResourceNotFoundException", world.client.get_item, TableName="py-no", Key=item
    )
    holds("with boto3's class", isinstance(error, known.ResourceNotFoundException), error)
    equal("and its status", error.response["ResponseMetadata"]["HTTPStatusCode"], 400)
    holds("and a request to ask about", error.response["ResponseMetadata"].get("RequestId"), error.response)
    equal("it is not tried again", error.response["ResponseMetadata"]["RetryAttempts"], 0)
    error = refused(
        "a false condition",
        "ConditionalCheckFailedException",
        world.client.put_item,
        TableName=table.name,
        Item=item,
        ConditionExpression="attribute_exists(pk)",
    )
    holds("has its class", isinstance(error, known.ConditionalCheckFailedException), error)
    equal("and its message", error.response["Error"]["Message"], "The conditional request failed")
    expression = {"UpdateExpression": "SET status = :s", "ExpressionAttributeValues": {":s": {"S": "x"}}}
    error = refused(
        "a reserved word",
        "ValidationException",
        world.client.update_item,
        TableName=table.name,
        Key=item,
        **expression,
    )
    holds("is named", "status" in error.response["Error"]["Message"], error)
    holds("in a plain ClientError", type(error) is ClientError, type(error))
    missing = {"TableName": table.name, "Key": {"pk": {"S": "a"}}}
    refused("half a key", "ValidationException", world.client.get_item, **missing)
    same = {"Delete": {"TableName": table.name, "Key": item}}
    refused(
        "one item twice in a transaction",
        "ValidationException",
        world.client.transact_write_items,
        TransactItems=[same, same],
    )
    unused = {"ConditionExpression": "attribute_not_exists(pk)", "ExpressionAttributeValues": {":x": {"S": "x"}}}
    refused(
        "a value that no expression uses",
        "ValidationException",
        world.client.put_item,
        TableName=table.name,
        Item=item,
        **unused,
    )
    equal("and nothing was written by all of this", table.scan()["Count"], 0)
