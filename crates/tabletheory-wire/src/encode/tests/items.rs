//! Single items, pages of items, and the cost of both.

use tabletheory_core::store::capacity::{ConsumedCapacity, Units};
use tabletheory_core::store::op::{GetItemOutput, PageOutput, WriteOutput};
use tabletheory_core::{Item, Number, Response, Value};

use super::{COLLECTION, ITEM, collection, exactly, item, means, total};

fn reads(value: Value, expected: &str) {
    let output = GetItemOutput { item: Some(Item::from([("a", value)])), capacity: None };
    exactly(Response::GetItem, output, &format!(r#"{{"Item":{{"a":{expected}}}}}"#));
}

#[test]
fn an_item_that_is_not_there_is_absent_and_an_empty_one_is_not() {
    exactly(Response::GetItem, GetItemOutput::default(), "{}");
    exactly(Response::GetItem, GetItemOutput { item: Some(Item::new()), capacity: None }, r#"{"Item":{}}"#);
    exactly(
        Response::GetItem,
        GetItemOutput { item: Some(item()), capacity: Some(total("t", 0.5)) },
        &format!(r#"{{"ConsumedCapacity":{{"CapacityUnits":0.5,"TableName":"t"}},"Item":{ITEM}}}"#),
    );
}

#[test]
fn a_write_answers_only_what_was_asked_for() {
    for response in [Response::PutItem, Response::UpdateItem, Response::DeleteItem] {
        exactly(response, WriteOutput::default(), "{}");
        let output = WriteOutput { attributes: Some(item()), ..WriteOutput::default() };
        exactly(response, output, &format!(r#"{{"Attributes":{ITEM}}}"#));
        let output = WriteOutput {
            attributes: None,
            capacity: Some(total("t", 1.0)),
            collection_metrics: Some(collection()),
        };
        exactly(
            response,
            output,
            &format!(
                r#"{{"ConsumedCapacity":{{"CapacityUnits":1.0,"TableName":"t"}},"ItemCollectionMetrics":{COLLECTION}}}"#
            ),
        );
    }
}

#[test]
fn text_is_escaped_where_json_demands_it() {
    reads(Value::s("a \"b\" \\ /"), r#"{"S":"a \"b\" \\ /"}"#);
    reads(Value::s("\u{0}\u{1f}\u{7f}\n\r\t\u{8}\u{c}"), "{\"S\":\"\\u0000\\u001f\u{7f}\\n\\r\\t\\b\\f\"}");
    reads(Value::s("\u{2028}\u{2029}ä😀"), "{\"S\":\"\u{2028}\u{2029}ä😀\"}");
    let named = Item::from([("a\"\n😀", Value::Null)]);
    exactly(
        Response::GetItem,
        GetItemOutput { item: Some(named), capacity: None },
        r#"{"Item":{"a\"\n😀":{"NULL":true}}}"#,
    );
}

#[test]
fn every_type_of_value_is_written() {
    let number = |text: &str| text.parse::<Number>().unwrap();
    let digits = "12345678901234567890123456789012345678";
    reads(Value::N(number(digits)), &format!(r#"{{"N":"{digits}"}}"#));
    reads(Value::N(number(&format!("-0.{digits}"))), &format!(r#"{{"N":"-0.{digits}"}}"#));
    reads(Value::N(number("1e-130")), &format!(r#"{{"N":"0.{}1"}}"#, "0".repeat(129)));
    reads(Value::B(vec![]), r#"{"B":""}"#);
    reads(Value::B(vec![0xfb, 0xff, 0x00, 0x01]), r#"{"B":"+/8AAQ=="}"#);
    reads(Value::B(vec![0; 3000]), &format!(r#"{{"B":"{}"}}"#, "A".repeat(4000)));
    reads(Value::Bool(false), r#"{"BOOL":false}"#);
    reads(Value::Null, r#"{"NULL":true}"#);
    reads(Value::Ss(["b", "a"].map(str::to_owned).into()), r#"{"SS":["a","b"]}"#);
    reads(Value::Ns([10, -1].map(Number::from).into()), r#"{"NS":["-1","10"]}"#);
    reads(Value::Bs([vec![1], vec![0]].into()), r#"{"BS":["AA==","AQ=="]}"#);
    let nested = Value::L(vec![Value::M(Item::from([("x", Value::L(vec![]))])), Value::M(Item::new())]);
    reads(nested, r#"{"L":[{"M":{"x":{"L":[]}}},{"M":{}}]}"#);
}

#[test]
fn a_page_counts_and_a_count_has_no_items() {
    for response in [Response::Query, Response::Scan] {
        let output = PageOutput { items: Some(vec![]), ..PageOutput::default() };
        exactly(response, output, r#"{"Count":0,"Items":[],"ScannedCount":0}"#);
        let output = PageOutput { count: 3, scanned_count: 7, ..PageOutput::default() };
        exactly(response, output, r#"{"Count":3,"ScannedCount":7}"#);
        let output = PageOutput {
            items: Some(vec![item(), item()]),
            count: 2,
            scanned_count: 5,
            last_evaluated_key: Some(Item::from([("pk", Value::s("z"))])),
            capacity: Some(total("t", 2.5)),
        };
        exactly(
            response,
            output,
            &format!(
                r#"{{"ConsumedCapacity":{{"CapacityUnits":2.5,"TableName":"t"}},"Count":2,"Items":[{ITEM},{ITEM}],"LastEvaluatedKey":{{"pk":{{"S":"z"}}}},"ScannedCount":5}}"#
            ),
        );
    }
}

#[test]
fn a_page_of_unlike_items_is_written_whole() {
    // The room for a page is guessed from its first item, and the guess is wrong here in both directions.
    let large = Item::from([("a", Value::s("x".repeat(300_000)))]);
    for items in [vec![Item::new(), large.clone(), item()], vec![large.clone(), Item::new(), large]] {
        let json = serde_json::to_string(&items).unwrap();
        let output = PageOutput { items: Some(items), count: 3, scanned_count: 3, ..PageOutput::default() };
        exactly(Response::Query, output, &format!(r#"{{"Count":3,"Items":{json},"ScannedCount":3}}"#));
    }
}

fn shares(split: bool) -> ConsumedCapacity {
    let units = |write: f64| Units { total: write, read: 0.0, write };
    ConsumedCapacity {
        table: "t".to_owned(),
        units: units(6.0),
        table_units: Some(units(2.0)),
        local_indexes: vec![("l".to_owned(), units(1.0))],
        global_indexes: vec![("g".to_owned(), units(2.0)), ("h".to_owned(), units(1.0))],
        split,
    }
}

#[test]
fn a_cost_tells_the_shares_of_table_and_indexes() {
    let output = WriteOutput { capacity: Some(shares(false)), ..WriteOutput::default() };
    means(
        Response::PutItem,
        output,
        r#"{"ConsumedCapacity": {
            "TableName": "t", "CapacityUnits": 6.0, "Table": {"CapacityUnits": 2.0},
            "LocalSecondaryIndexes": {"l": {"CapacityUnits": 1.0}},
            "GlobalSecondaryIndexes": {"g": {"CapacityUnits": 2.0}, "h": {"CapacityUnits": 1.0}}
        }}"#,
    );
}

#[test]
fn the_cost_of_a_transaction_tells_reads_and_writes_apart() {
    let output = WriteOutput { capacity: Some(shares(true)), ..WriteOutput::default() };
    means(
        Response::PutItem,
        output,
        r#"{"ConsumedCapacity": {
            "TableName": "t", "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0,
            "Table": {"CapacityUnits": 2.0, "WriteCapacityUnits": 2.0},
            "LocalSecondaryIndexes": {"l": {"CapacityUnits": 1.0, "WriteCapacityUnits": 1.0}},
            "GlobalSecondaryIndexes": {
                "g": {"CapacityUnits": 2.0, "WriteCapacityUnits": 2.0},
                "h": {"CapacityUnits": 1.0, "WriteCapacityUnits": 1.0}
            }
        }}"#,
    );
}
