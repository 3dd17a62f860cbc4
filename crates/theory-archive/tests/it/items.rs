//! Items of every type, and the table that they live in.

use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, StreamView};
use tabletheory_core::store::op::{CreateTable, PutItem, UpdateTimeToLive};
use tabletheory_core::{Item, Store, StoreExt, Value};

pub(crate) const TABLE: &str = "app";
pub(crate) const TTL: &str = "ends";

/// The item with this number, which expires at this second. Each has all types, and the edges of some.
pub(crate) fn item(number: usize, ends: i64) -> Item {
    let json = serde_json::json!({
        "id": {"S": format!("item-{number}")},
        "ends": {"N": ends.to_string()},
        "digits": {"N": format!("1234567890123456789012345678901.{:07}", number + 1_000_001)},
        "small": {"N": "-1.5E-130"},
        "bytes": {"B": "AAH/gH8="},
        "yes": {"BOOL": number.is_multiple_of(2)},
        "none": {"NULL": true},
        "empty": {"S": ""},
        "text": {"S": "é\u{0}\"\\\n日本 \u{1F600}"},
        "words": {"SS": ["a", "b", format!("w{number}")]},
        "counts": {"NS": ["1", "-2.5", "99999999999999999999999999999999999999"]},
        "blobs": {"BS": ["AA==", "/w=="]},
        "list": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"M": {}}]},
        "map": {"M": {"inner": {"M": {"deep": {"BOOL": true}}}, "a.b": {"N": "0"}}},
    });
    serde_json::from_value(json).unwrap()
}

pub(crate) fn key(number: usize) -> Item {
    Item::from([("id", Value::s(format!("item-{number}")))])
}

/// The table without a stream.
pub(crate) fn table(name: &str) -> CreateTable {
    CreateTable {
        table: name.to_owned(),
        attributes: vec![AttributeDefinition { name: "id".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("id")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    }
}

/// Makes the table, with a stream of this view and with time to live.
pub(crate) async fn make(store: &dyn Store, view: StreamView) {
    store.create_table(CreateTable { stream: Some(view), ..table(TABLE) }).await.unwrap();
    let ttl = UpdateTimeToLive { table: TABLE.to_owned(), attribute: TTL.to_owned(), enabled: true };
    store.update_time_to_live(ttl).await.unwrap();
}

pub(crate) async fn put(store: &dyn Store, item: Item) {
    store.put_item(PutItem { table: TABLE.to_owned(), item, ..PutItem::default() }).await.unwrap();
}
