"""Query and Scan page by page, with the paginators of the SDK."""

from boto3.dynamodb.conditions import Key

from .claim import equal, holds

ITEMS = 60
NAMES = [f"{number:03}" for number in range(ITEMS)]


def recipe(world):
    table = world.table("pages")
    with table.batch_writer() as writer:
        for name in NAMES:
            writer.put_item(Item={"pk": "p", "sk": name, "number": int(name), "body": "x" * 40_000})
            writer.put_item(Item={"pk": f"other-{name}", "sk": "0"})
    paginator = world.client.get_paginator("query")
    whole = {
        "TableName": table.name,
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
    }
    pages = list(paginator.paginate(**whole))
    holds("a query of 2.4 MB takes several pages", len(pages) >= 3, len(pages))
    equal("and finds every item once, in order", [item["sk"]["S"] for page in pages for item in page["Items"]], NAMES)
    small = list(paginator.paginate(**whole, PaginationConfig={"PageSize": 7}))
    equal("Limit cuts pages", [page["Count"] for page in small][:8], [7] * 8)
    equal("and loses nothing", sum(page["Count"] for page in small), ITEMS)
    back = paginator.paginate(**whole, ScanIndexForward=False, PaginationConfig={"PageSize": 7, "MaxItems": 10})
    equal("backwards, the first ten", [item["sk"]["S"] for item in back.build_full_result()["Items"]], NAMES[:-11:-1])

    odd = {
        "FilterExpression": "#n BETWEEN :low AND :high",
        "ProjectionExpression": "#n",
        "ExpressionAttributeNames": {"#n": "number"},
        "ExpressionAttributeValues": {":p": {"S": "p"}, ":low": {"N": "10"}, ":high": {"N": "12"}},
    }
    found = paginator.paginate(**{**whole, **odd}).build_full_result()
    equal("a filter and a projection", found["Items"], [{"number": {"N": str(number)}} for number in (10, 11, 12)])
    range_condition = Key("pk").eq("p") & Key("sk").between("010", "019")
    equal("a range of the sort key", table.query(KeyConditionExpression=range_condition)["Count"], 10)
    prefix = Key("pk").eq("p") & Key("sk").begins_with("05")
    equal("a prefix of it", table.query(KeyConditionExpression=prefix, Select="COUNT")["Count"], 10)

    scan = world.client.get_paginator("scan")
    pages = list(scan.paginate(TableName=table.name))
    holds("a scan takes several pages too", len(pages) >= 3, len(pages))
    keys = [(item["pk"]["S"], item["sk"]["S"]) for page in pages for item in page["Items"]]
    equal("and finds every item once", (len(keys), len(set(keys))), (2 * ITEMS, 2 * ITEMS))
    parts = []
    for segment in range(4):
        for page in scan.paginate(TableName=table.name, Segment=segment, TotalSegments=4, ProjectionExpression="pk, sk"):
            parts += [(item["pk"]["S"], item["sk"]["S"]) for item in page["Items"]]
    equal("four segments share the table out", sorted(parts), sorted(keys))
