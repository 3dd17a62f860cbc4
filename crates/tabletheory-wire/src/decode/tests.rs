//! What is refused before a store is asked, and that every operation has a reader.

use serde_json::{Value as Json, json};
use tabletheory_core::store::op::{BatchWrite, IteratorStart, TransactAction};
use tabletheory_core::{Item, Request, StoreError, Value};

use super::request;

/// Checks that the body is refused with a message that contains these words.
fn refused(operation: &str, body: &str, expected: &str) {
    match request(operation, body.as_bytes()) {
        Ok(request) => panic!("{operation} {body} was read as {request:?}"),
        Err(error) => {
            let told = format!("{}: {error}", error.code());
            assert!(told.contains(expected), "{operation} {body}\n  told     {told}\n  expected {expected}");
        }
    }
}

fn read(operation: &str, body: Json) -> Request {
    request(operation, body.to_string().as_bytes())
        .unwrap_or_else(|error| panic!("{operation} {body}: {error}"))
}

#[test]
fn every_operation_of_the_list_has_a_reader() {
    for name in Request::NAMES {
        let error = match request(name, b"{}") {
            Ok(request) => {
                assert_eq!(request.name(), *name);
                continue;
            }
            Err(error) => error,
        };
        assert!(matches!(error, StoreError::Validation(_)), "{name}: {error:?}");
    }
    refused("Nonsense", "{}", "UnknownOperationException: there is no operation Nonsense here");
}

#[test]
fn what_is_not_json_cannot_be_read() {
    for body in
        ["", "hello", "{", "{\"TableName\":", "{}{}", "{\"TableName\":\"a\" \"Key\":{}}", "\u{feff}{}", "nul"]
    {
        refused("GetItem", body, "SerializationException");
    }
    assert!(matches!(request("GetItem", b"{\"TableName\":\"\xff\"}"), Err(StoreError::Serialization(_))));
}

#[test]
fn json_of_another_shape_is_refused_in_the_words_of_the_service() {
    refused("GetItem", "[]", "SerializationException: Unrecognized collection type");
    refused("GetItem", "5", "SerializationException: Unexpected value type in payload");
    refused("GetItem", "null", "SerializationException: Unexpected value type in payload");
    refused("GetItem", r#"{"TableName":5}"#, "NUMBER_VALUE cannot be converted to String");
    refused("GetItem", r#"{"TableName":1.5}"#, "DECIMAL_VALUE cannot be converted to String");
    refused("GetItem", r#"{"TableName":true}"#, "cannot be converted to String");
    refused("GetItem", r#"{"TableName":["a"]}"#, "Unrecognized collection type class java.lang.String");
    refused("GetItem", r#"{"TableName":{}}"#, "Start of structure or map found where not expected");
    refused("GetItem", r#"{"ConsistentRead":"true"}"#, "Unexpected token received from parser");
    refused("GetItem", r#"{"ConsistentRead":1}"#, "NUMBER_VALUE cannot be converted to Boolean");
    refused("Query", r#"{"Limit":"5"}"#, "STRING_VALUE cannot be converted to Integer");
    refused("Query", r#"{"Limit":1.5}"#, "DECIMAL_VALUE cannot be converted to Integer");
    refused("GetItem", r#"{"AttributesToGet":"a"}"#, "Unexpected field type");
    refused("GetItem", r#"{"ExpressionAttributeNames":["a"]}"#, "Unrecognized collection type java.util.Map");
    refused("TransactWriteItems", r#"{"TransactItems":[["Put"]]}"#, "Unrecognized collection type");
    refused("TransactWriteItems", r#"{"TransactItems":["Put"]}"#, "Unexpected value type in payload");
}

#[test]
fn missing_members_are_told_together() {
    let both = "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be \
                null; Value null at 'key' failed to satisfy constraint: Member must not be null";
    refused("GetItem", "{}", both);
    refused("GetItem", r#"{"TableName":null,"Key":null}"#, both);
    refused("PutItem", r#"{"TableName":"t"}"#, "Value null at 'item' failed");
    refused("Query", "{}", "Value null at 'tableName' failed");
    refused("BatchGetItem", "{}", "Value null at 'requestItems' failed");
    refused(
        "BatchGetItem",
        r#"{"RequestItems":{"t":{}}}"#,
        "Value null at 'requestItems.t.member.keys' failed",
    );
    refused(
        "BatchWriteItem",
        r#"{"RequestItems":{"t":[{"PutRequest":{}}]}}"#,
        "Value null at 'requestItems.t.member.1.member.putRequest.item' failed",
    );
    refused(
        "TransactWriteItems",
        r#"{"TransactItems":[{"Update":{"TableName":"t","Key":{}}}]}"#,
        "Value null at 'transactItems.1.member.update.updateExpression' failed",
    );
    refused(
        "TransactGetItems",
        r#"{"TransactItems":[{}]}"#,
        "Value null at 'transactItems.1.member.get' failed",
    );
    refused("CreateTable", r#"{"TableName":"t"}"#, "Value null at 'keySchema' failed");
    refused("UpdateTimeToLive", r#"{"TableName":"t"}"#, "Value null at 'timeToLiveSpecification' failed");
    refused("GetRecords", "{}", "Value null at 'shardIterator' failed");
    refused("ExecuteStatement", "{}", "Value null at 'statement' failed");
}

#[test]
fn names_come_from_their_sets() {
    refused(
        "PutItem",
        r#"{"TableName":"t","Item":{},"ReturnValues":"SOME"}"#,
        "Value 'SOME' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, \
         UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    );
    refused("Query", r#"{"TableName":"t","Select":"x"}"#, "Value 'x' at 'select' failed");
    refused(
        "GetItem",
        r#"{"TableName":"t","Key":{},"ReturnConsumedCapacity":""}"#,
        "Value '' at 'returnConsumedC",
    );
    refused(
        "CreateTable",
        r#"{"TableName":"t","KeySchema":[{"AttributeName":"a","KeyType":"hash"}]}"#,
        "Value 'hash' at 'keySchema.1.member.keyType' failed",
    );
    refused(
        "Query",
        r#"{"TableName":"t","KeyConditions":{"a":{"ComparisonOperator":"IS"}}}"#,
        "Value 'IS' at 'keyConditions.a.member.comparisonOperator' failed",
    );
    refused(
        "GetShardIterator",
        r#"{"StreamArn":"a","ShardId":"b","ShardIteratorType":"NOW"}"#,
        "Value 'NOW' at 'shardIteratorType' failed",
    );
}

#[test]
fn counts_have_a_least() {
    refused("Query", r#"{"TableName":"t","Limit":0}"#, "Value '0' at 'limit' failed");
    refused("Scan", r#"{"TableName":"t","Limit":-5}"#, "Value '-5' at 'limit' failed");
    refused("Scan", r#"{"TableName":"t","Segment":-1,"TotalSegments":2}"#, "Value '-1' at 'segment' failed");
    let Request::Scan(scan) = read("Scan", json!({ "TableName": "t", "Limit": 3.0 })) else {
        panic!("a scan")
    };
    assert_eq!(scan.limit, Some(3));
}

#[test]
fn parts_that_need_each_other_come_together() {
    refused("Scan", r#"{"TableName":"t","Segment":1}"#, "The TotalSegments parameter is required");
    refused("Scan", r#"{"TableName":"t","TotalSegments":1}"#, "The Segment parameter is required");
    refused("Query", r#"{"TableName":"t"}"#, "Either the KeyConditions or KeyConditionExpression");
    refused(
        "TransactWriteItems",
        r#"{"TransactItems":[{"Put":{},"Delete":{}}]}"#,
        "TransactItems can only contain one of Check, Put, Update or Delete",
    );
    refused("BatchWriteItem", r#"{"RequestItems":{"t":[{}]}}"#, "one of PutRequest and DeleteRequest");
    let iterator = |rest: &str| format!(r#"{{"StreamArn":"a","ShardId":"b","ShardIteratorType":{rest}}}"#);
    refused("GetShardIterator", &iterator(r#""AT_SEQUENCE_NUMBER""#), "SequenceNumber is required");
    refused(
        "GetShardIterator",
        &iterator(r#""LATEST","SequenceNumber":"1""#),
        "SequenceNumber is not allowed",
    );
    refused(
        "UpdateTable",
        r#"{"TableName":"t","GlobalSecondaryIndexUpdates":[{}]}"#,
        "One of GlobalSecondaryIndexUpdate.Update",
    );
}

#[test]
fn a_projection_says_what_it_carries() {
    let index = |projection: &str| {
        format!(
            r#"{{"TableName":"t","KeySchema":[],"GlobalSecondaryIndexes":[{{"IndexName":"i","KeySchema":[],"Projection":{projection}}}]}}"#
        )
    };
    refused("CreateTable", &index("{}"), "Unknown ProjectionType: null");
    refused(
        "CreateTable",
        &index(r#"{"ProjectionType":"ALL","NonKeyAttributes":["a"]}"#),
        "ProjectionType is ALL, but NonKeyAttributes is specified",
    );
    refused("CreateTable", &index(r#"{"ProjectionType":"KEYS"}"#), "projection.projectionType' failed");
    refused(
        "CreateTable",
        r#"{"TableName":"t","KeySchema":[],"StreamSpecification":{"StreamEnabled":true}}"#,
        "StreamViewType is required",
    );
}

#[test]
fn placeholders_are_judged_before_values_and_values_before_expressions() {
    let put = |rest: &str| format!(r#"{{"TableName":"t","Item":{{"pk":{{"N":"many"}}}},{rest}}}"#);
    refused("PutItem", &put(r#""ExpressionAttributeValues":{":a":{}}"#), "ConditionExpression is null");
    refused(
        "PutItem",
        &put(r#""ConditionExpression":"a","ExpressionAttributeValues":{"a":{},":b":{"N":"x"}}"#),
        "ExpressionAttributeValues contains invalid key: Syntax error; key: \"a\"",
    );
    refused(
        "PutItem",
        &put(r#""ConditionExpression":"a","ExpressionAttributeValues":{":b":{"N":"x"}}"#),
        "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x for \
         key :b",
    );
    refused(
        "PutItem",
        &put(r#""ConditionExpression":"a"#.replace("\"a", "\"a\"").as_str()),
        "numeric value: many",
    );
    refused(
        "PutItem",
        &put(r#""ConditionExpression":"a = a","Expected":{}"#),
        "Can not use both expression and non-expression parameters",
    );
}

#[test]
fn lists_and_maps_are_bounded_before_anything_is_made_of_them() {
    let many = |one: &str, count: usize| vec![one; count].join(",");
    let told = "Member must have length less than or equal to 1000";
    refused("TransactWriteItems", &format!(r#"{{"TransactItems":[{}]}}"#, many("{}", 1001)), told);
    refused("TransactGetItems", &format!(r#"{{"TransactItems":[{}]}}"#, many("{}", 1001)), told);
    refused("BatchExecuteStatement", &format!(r#"{{"Statements":[{}]}}"#, many("{}", 1001)), told);
    let keys = format!(r#"{{"RequestItems":{{"t":{{"Keys":[{}]}}}}}}"#, many("{}", 1001));
    refused("BatchGetItem", &keys, told);
    let names = format!(r#"{{"ExpressionAttributeNames":{{{}}}}}"#, many(r##""#a":"b""##, 10_001));
    refused("GetItem", &names, "Member must have length less than or equal to 10000");
    let complaints = format!(r#"{{"TransactItems":[{}]}}"#, many("{}", 1000));
    refused("TransactGetItems", &complaints, "10 validation errors detected");
}

#[test]
fn what_cannot_be_done_here_is_refused() {
    let table = |rest: &str| format!(r#"{{"TableName":"t","KeySchema":[],{rest}}}"#);
    for (member, value) in
        [("ResourcePolicy", "\"{}\""), ("GlobalTableSourceArn", "\"a\""), ("VectorIndexes", "[]")]
    {
        let told = format!("{member} is not supported here");
        refused("CreateTable", &table(&format!(r#""{member}":{value}"#)), &told);
    }
    for (member, value) in
        [("ReplicaUpdates", "[{}]"), ("MultiRegionConsistency", "\"STRONG\""), ("VectorIndexUpdates", "[]")]
    {
        let told = format!("{member} is not supported here");
        refused("UpdateTable", &table(&format!(r#""{member}":{value}"#)), &told);
    }
    let change = json!({ "TableName": "t", "GlobalSecondaryIndexUpdates": [
        { "Update": { "IndexName": "i", "OnDemandThroughput": { "MaxReadRequestUnits": 5 } } },
    ] });
    let Request::UpdateTable(request) = read("UpdateTable", change) else { panic!("an update") };
    assert_eq!(request.global_indexes, []);
}

#[test]
fn the_children_of_a_shard_can_be_asked_for() {
    let filter = json!({ "StreamArn": "a", "ShardFilter": { "Type": "CHILD_SHARDS", "ShardId": "s" } });
    let Request::DescribeStream(request) = read("DescribeStream", filter) else { panic!("a description") };
    assert_eq!(request.children_of.as_deref(), Some("s"));
    refused(
        "DescribeStream",
        r#"{"StreamArn":"a","ShardFilter":{}}"#,
        "Value null at 'shardFilter.type' failed",
    );
}

#[test]
fn writes_are_read_with_their_items() {
    let item = Item::from([("pk", Value::s("a\"\u{2028}é")), ("n", Value::n(12))]);
    let body = json!({ "RequestItems": { "t": [
        { "PutRequest": { "Item": item } },
        { "DeleteRequest": { "Key": { "pk": { "S": "b" } } } },
    ] } });
    let Request::BatchWriteItem(request) = read("BatchWriteItem", body) else { panic!("a batch") };
    let key = Item::from([("pk", Value::s("b"))]);
    assert_eq!(request.tables["t"], [BatchWrite::Put(item.clone()), BatchWrite::Delete(key)]);
    let body =
        json!({ "TransactItems": [{ "Put": { "TableName": "t", "Item": item, "Unknown": [1, {}] } }] });
    let Request::TransactWriteItems(request) = read("TransactWriteItems", body) else {
        panic!("a transaction")
    };
    assert_eq!(request.writes[0].action, TransactAction::Put { item });
}

#[test]
fn an_iterator_starts_where_it_is_told() {
    let body = json!({
        "StreamArn": "a", "ShardId": "b", "ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": "7",
    });
    let Request::GetShardIterator(request) = read("GetShardIterator", body) else { panic!("an iterator") };
    assert_eq!(request.start, IteratorStart::After("7".to_owned()));
}

#[test]
fn deep_and_wide_bodies_end_in_an_answer() {
    let deep =
        |open: &str, close: &str, count: usize| format!("{}{}", open.repeat(count), close.repeat(count));
    let nested = deep(r#"{"M":{"a":"#, "}}", 5000);
    refused("PutItem", &format!(r#"{{"TableName":"t","Item":{{"a":{nested}}}}}"#), "Exception");
    refused("PutItem", &format!(r#"{{"Unknown":{}}}"#, deep("[", "]", 100_000)), "Value null at 'tableName'");
    refused(
        "TransactWriteItems",
        &format!(r#"{{"TransactItems":{}}}"#, deep("[", "]", 1000)),
        "Serialization",
    );
}

mod hostile {
    use proptest::prelude::*;
    use tabletheory_core::Request;

    use crate::decode::request;

    /// JSON that is nearly a request: the members that operations know, with anything in them.
    fn body() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            Just("-1".to_owned()),
            Just("1e400".to_owned()),
            Just("\"a\"".to_owned()),
            Just("\":v = #n AND size(\"".to_owned()),
            Just("{\"S\":\"a\"}".to_owned()),
            Just("{\"N\":\"1e999\"}".to_owned()),
        ];
        let member = prop::sample::select(vec![
            "TableName",
            "Item",
            "Key",
            "RequestItems",
            "TransactItems",
            "Put",
            "Update",
            "Keys",
            "Statement",
            "Limit",
            "ExpressionAttributeNames",
            "ExpressionAttributeValues",
            "ConditionExpression",
            "UpdateExpression",
            "Expected",
            "KeySchema",
            "M",
            "L",
            "NS",
            ":v",
            "#n",
            "a",
            "Parameters",
            "Statements",
        ]);
        let value = leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|list| format!("[{}]", list.join(","))),
                prop::collection::vec((member.clone(), inner), 0..5).prop_map(|entries| {
                    let entries: Vec<String> =
                        entries.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                    format!("{{{}}}", entries.join(","))
                }),
            ]
        });
        (value, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(mut text, at, is_cut)| {
            if is_cut && text.is_ascii() {
                text.truncate(at.index(text.len() + 1));
            }
            text
        })
    }

    proptest! {
        #[test]
        fn no_body_breaks_a_reader(body in body(), at in any::<prop::sample::Index>()) {
            let name = Request::NAMES[at.index(Request::NAMES.len())];
            // Either outcome is fine; a panic or an endless loop is not.
            let _ = request(name, body.as_bytes());
        }

        #[test]
        fn no_bytes_break_a_reader(body in prop::collection::vec(any::<u8>(), 0..200)) {
            for name in Request::NAMES {
                let _ = request(name, &body);
            }
        }
    }
}
