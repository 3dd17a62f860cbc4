//! Tables, their time to live and their tags.

use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, IndexDescription, KeyElement, KeyType, Projection, StreamDescription,
    StreamView, TableDescription, TableStatus, Tag, Throughput,
};
use tabletheory_core::store::op::{
    CreateTableOutput, DeleteTableOutput, DescribeTableOutput, DescribeTimeToLiveOutput, ListTablesOutput,
    ListTagsOfResourceOutput, TagResourceOutput, UntagResourceOutput, UpdateTableOutput,
    UpdateTimeToLiveOutput,
};
use tabletheory_core::{Response, Timestamp};

use super::{exactly, means};

fn plain() -> TableDescription {
    TableDescription {
        name: "t".to_owned(),
        id: "id".to_owned(),
        arn: "arn/t".to_owned(),
        status: TableStatus::Active,
        created_at: Timestamp::from_millis(1_731_715_200_123),
        attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("pk")],
        local_indexes: vec![],
        global_indexes: vec![],
        billing: BillingMode::Provisioned,
        throughput: Throughput { read_units: 5, write_units: 6 },
        stream: None,
        deletion_protection: false,
        table_class: None,
        size_bytes: 0,
        item_count: 0,
    }
}

const PLAIN: &str = r#"{
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "CreationDateTime": 1731715200.123, "DeletionProtectionEnabled": false, "ItemCount": 0,
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
    "TableArn": "arn/t", "TableId": "id", "TableName": "t", "TableSizeBytes": 0, "TableStatus": "ACTIVE"
}"#;

#[test]
fn a_table_is_wrapped_as_each_operation_does() {
    let changed = format!(r#"{{"TableDescription": {PLAIN}}}"#);
    means(Response::CreateTable, CreateTableOutput { table: plain() }, &changed);
    means(Response::UpdateTable, UpdateTableOutput { table: plain() }, &changed);
    means(Response::DeleteTable, DeleteTableOutput { table: plain() }, &changed);
    let described = format!(r#"{{"Table": {PLAIN}}}"#);
    means(Response::DescribeTable, DescribeTableOutput { table: plain() }, &described);
}

fn index(name: &str, projection: Projection) -> IndexDescription {
    IndexDescription {
        name: name.to_owned(),
        keys: vec![KeyElement::hash("pk"), KeyElement::range("n")],
        projection,
        status: None,
        backfilling: None,
        throughput: None,
        size_bytes: 70,
        item_count: 7,
        arn: format!("arn/{name}"),
    }
}

#[test]
fn a_table_tells_of_its_indexes_stream_billing_and_class() {
    let table = TableDescription {
        status: TableStatus::Updating,
        local_indexes: vec![index("l", Projection::KeysOnly)],
        global_indexes: vec![
            IndexDescription {
                status: Some(TableStatus::Creating),
                backfilling: Some(true),
                ..index("g", Projection::Include(vec!["x".to_owned(), "y".to_owned()]))
            },
            IndexDescription {
                status: Some(TableStatus::Active),
                throughput: Some(Throughput { read_units: 1, write_units: 2 }),
                ..index("h", Projection::All)
            },
        ],
        billing: BillingMode::PayPerRequest,
        throughput: Throughput::default(),
        stream: Some(StreamDescription {
            view: StreamView::NewImage,
            label: "label".to_owned(),
            arn: "arn/s".to_owned(),
            enabled: true,
        }),
        deletion_protection: true,
        table_class: Some("STANDARD_INFREQUENT_ACCESS".to_owned()),
        size_bytes: 1_000_000_000_000,
        item_count: 12,
        ..plain()
    };
    let keys = r#"[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]"#;
    let shared = format!(r#""IndexSizeBytes": 70, "ItemCount": 7, "KeySchema": {keys}"#);
    let units = |read: u64, write: u64| {
        format!(
            r#"{{"NumberOfDecreasesToday": 0, "ReadCapacityUnits": {read}, "WriteCapacityUnits": {write}}}"#
        )
    };
    let (none, some) = (units(0, 0), units(1, 2));
    let expected = format!(
        r#"{{"Table": {{
            "AttributeDefinitions": [{{"AttributeName": "pk", "AttributeType": "S"}}],
            "BillingModeSummary": {{"BillingMode": "PAY_PER_REQUEST"}},
            "CreationDateTime": 1731715200.123, "DeletionProtectionEnabled": true, "ItemCount": 12,
            "KeySchema": [{{"AttributeName": "pk", "KeyType": "HASH"}}],
            "LocalSecondaryIndexes": [
                {{"IndexName": "l", "IndexArn": "arn/l", {shared}, "Projection": {{"ProjectionType": "KEYS_ONLY"}}}}
            ],
            "GlobalSecondaryIndexes": [
                {{
                    "IndexName": "g", "IndexArn": "arn/g", {shared}, "IndexStatus": "CREATING", "Backfilling": true,
                    "Projection": {{"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]}},
                    "ProvisionedThroughput": {none}
                }},
                {{
                    "IndexName": "h", "IndexArn": "arn/h", {shared}, "IndexStatus": "ACTIVE",
                    "Projection": {{"ProjectionType": "ALL"}}, "ProvisionedThroughput": {some}
                }}
            ],
            "LatestStreamArn": "arn/s", "LatestStreamLabel": "label", "ProvisionedThroughput": {none},
            "StreamSpecification": {{"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}},
            "TableArn": "arn/t", "TableClassSummary": {{"TableClass": "STANDARD_INFREQUENT_ACCESS"}},
            "TableId": "id", "TableName": "t", "TableSizeBytes": 1000000000000, "TableStatus": "UPDATING"
        }}}}"#
    );
    means(Response::DescribeTable, DescribeTableOutput { table }, &expected);
}

#[test]
fn a_stream_that_has_ended_keeps_its_name_only() {
    let stream = StreamDescription {
        view: StreamView::KeysOnly,
        label: "label".to_owned(),
        arn: "arn/s".to_owned(),
        enabled: false,
    };
    let table = TableDescription { stream: Some(stream), ..plain() };
    let body = super::body(&Response::DescribeTable(Box::new(DescribeTableOutput { table })));
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["Table"]["LatestStreamArn"], "arn/s");
    assert_eq!(body["Table"]["LatestStreamLabel"], "label");
    assert_eq!(body["Table"].get("StreamSpecification"), None);
}

#[test]
fn names_are_listed() {
    exactly(Response::ListTables, ListTablesOutput::default(), r#"{"TableNames":[]}"#);
    let output = ListTablesOutput {
        tables: vec!["a".to_owned(), "b".to_owned()],
        last_evaluated: Some("b".to_owned()),
    };
    exactly(Response::ListTables, output, r#"{"LastEvaluatedTableName":"b","TableNames":["a","b"]}"#);
}

#[test]
fn time_to_live_is_a_specification_when_set_and_a_description_when_asked_for() {
    for (enabled, text) in [(true, "true"), (false, "false")] {
        exactly(
            Response::UpdateTimeToLive,
            UpdateTimeToLiveOutput { attribute: "ttl".to_owned(), enabled },
            &format!(r#"{{"TimeToLiveSpecification":{{"AttributeName":"ttl","Enabled":{text}}}}}"#),
        );
    }
    exactly(
        Response::DescribeTimeToLive,
        DescribeTimeToLiveOutput { attribute: Some("ttl".to_owned()) },
        r#"{"TimeToLiveDescription":{"AttributeName":"ttl","TimeToLiveStatus":"ENABLED"}}"#,
    );
    exactly(
        Response::DescribeTimeToLive,
        DescribeTimeToLiveOutput::default(),
        r#"{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}"#,
    );
}

#[test]
fn tags_are_listed_and_changing_them_answers_nothing() {
    exactly(Response::TagResource, TagResourceOutput {}, "");
    exactly(Response::UntagResource, UntagResourceOutput {}, "");
    exactly(Response::ListTagsOfResource, ListTagsOfResourceOutput::default(), r#"{"Tags":[]}"#);
    let tag = Tag { key: "k".to_owned(), value: "v".to_owned() };
    exactly(
        Response::ListTagsOfResource,
        ListTagsOfResourceOutput { tags: vec![tag], next_token: Some("on".to_owned()) },
        r#"{"NextToken":"on","Tags":[{"Key":"k","Value":"v"}]}"#,
    );
}
