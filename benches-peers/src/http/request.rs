//! Requests as an AWS SDK sends them: the same headers, an Authorization header that is well formed and signed by nobody,
//! and a body in DynamoDB's JSON.

use serde_json::{Value as Json, json};

use crate::contender::HITS_LIMIT;
use crate::record::{self, Key, Record};

const TABLE: &str = "pages";

/// A whole HTTP request.
pub(crate) fn request(operation: &str, body: &Json) -> String {
    let body = body.to_string();
    format!(
        "POST / HTTP/1.1\r\n\
         host: 127.0.0.1\r\n\
         content-type: application/x-amz-json-1.0\r\n\
         x-amz-target: DynamoDB_20120810.{operation}\r\n\
         content-length: {}\r\n\
         user-agent: aws-sdk-rust/1.3.9 os/linux lang/rust/1.95.0\r\n\
         x-amz-user-agent: aws-sdk-rust/1.3.9 ua/2.1 api/dynamodb/1.90.0 os/linux lang/rust/1.95.0 m/E,b\r\n\
         x-amz-date: 20260101T000000Z\r\n\
         authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target;x-amz-user-agent, \
         Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n\
         amz-sdk-invocation-id: 6e9cd0a3-6a5e-4a6c-9d3c-7f3b8f1f0c11\r\n\
         amz-sdk-request: attempt=1; max=3\r\n\r\n{body}",
        body.len()
    )
}

/// GetItem.
pub(crate) fn get(wanted: &Key) -> String {
    request("GetItem", &get_body(wanted))
}

/// The body of a GetItem.
pub(crate) fn get_body(wanted: &Key) -> Json {
    json!({"TableName": TABLE, "Key": key(wanted)})
}

/// The body of the answer to it.
pub(crate) fn got_body(record: &Record) -> Json {
    json!({"Item": item(record)})
}

/// PutItem.
pub(crate) fn put(record: &Record) -> String {
    request("PutItem", &json!({"TableName": TABLE, "Item": item(record)}))
}

/// Query of a whole partition.
pub(crate) fn query(pk: &str) -> String {
    let body = json!({
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": pk}},
    });
    request("Query", &body)
}

/// TransactWriteItems: a put, and a delete on a condition. SDKs give every transaction a token, so this one has one.
pub(crate) fn replace(put: &Record, delete: &Key, token: &str) -> String {
    let delete = json!({
        "TableName": TABLE,
        "Key": key(delete),
        "ConditionExpression": "#owner = :owner",
        "ExpressionAttributeNames": {"#owner": "owner"},
        "ExpressionAttributeValues": {":owner": {"S": record::owner(delete)}},
    });
    let put = json!({"TableName": TABLE, "Item": item(put)});
    let body = json!({"TransactItems": [{"Put": put}, {"Delete": delete}], "ClientRequestToken": token});
    request("TransactWriteItems", &body)
}

/// UpdateItem: adds one below a limit.
pub(crate) fn count(counter: &Key) -> String {
    let body = json!({
        "TableName": TABLE,
        "Key": key(counter),
        "UpdateExpression": "SET hits = hits + :one",
        "ConditionExpression": "hits < :limit",
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":limit": {"N": HITS_LIMIT.to_string()}},
        "ReturnValues": "UPDATED_NEW",
    });
    request("UpdateItem", &body)
}

/// BatchWriteItem of puts.
pub(crate) fn batch(records: &[Record]) -> String {
    let puts: Vec<Json> =
        records.iter().map(|record| json!({"PutRequest": {"Item": item(record)}})).collect();
    request("BatchWriteItem", &json!({"RequestItems": {TABLE: puts}}))
}

/// CreateTable.
pub(crate) fn create_table() -> String {
    let body = json!({
        "TableName": TABLE,
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
    });
    request("CreateTable", &body)
}

/// ListTables, the first thing a server is asked.
pub(crate) fn list_tables() -> String {
    request("ListTables", &json!({}))
}

fn key(key: &Key) -> Json {
    json!({"pk": {"S": key.pk}, "sk": {"S": key.sk}})
}

fn item(record: &Record) -> Json {
    json!({
        "pk": {"S": record.key.pk},
        "sk": {"S": record.key.sk},
        "owner": {"S": record.owner},
        "title": {"S": record.title},
        "body": {"S": record.body},
        "hits": {"N": record.hits.to_string()},
    })
}
