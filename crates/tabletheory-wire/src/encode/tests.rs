//! Answers against the JSON that the service writes: byte for byte where requests are many, by value where answers are
//! large.

mod batches;
mod items;
mod streams;
mod tables;

use tabletheory_core::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, Units};
use tabletheory_core::{Item, Response, Value};

use super::body;

/// Wraps an output as the response of an operation.
type Wrap<O> = fn(Box<O>) -> Response;

/// The body is exactly this.
fn exactly<O>(response: Wrap<O>, output: O, expected: &str) {
    let body = body(&response(Box::new(output)));
    assert_eq!(String::from_utf8(body).unwrap(), expected);
}

/// The body means this.
fn means<O>(response: Wrap<O>, output: O, expected: &str) {
    let body = body(&response(Box::new(output)));
    let value = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).unwrap();
    assert_eq!(value(&body), value(expected.as_bytes()));
}

fn item() -> Item {
    Item::from([("pk", Value::s("a")), ("n", Value::n(1))])
}

/// [`item`] as JSON.
const ITEM: &str = r#"{"n":{"N":"1"},"pk":{"S":"a"}}"#;

fn total(table: &str, units: f64) -> ConsumedCapacity {
    let units = Units { total: units, read: 0.0, write: units };
    ConsumedCapacity { table: table.to_owned(), units, ..ConsumedCapacity::default() }
}

fn collection() -> ItemCollectionMetrics {
    ItemCollectionMetrics { key: Item::from([("pk", Value::s("a"))]), size_gb: [0.0, 1.0] }
}

/// [`collection`] as JSON.
const COLLECTION: &str = r#"{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}"#;
