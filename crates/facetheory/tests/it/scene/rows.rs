//! Rows as somebody else writes and reads them: other stores, operators, and whoever wishes us ill.

use tabletheory::testing::TestStore;
use tabletheory_core::store::op::{DeleteItem, GetItem, PutItem};
use tabletheory_core::{Item, StoreExt, Value};

use super::words::Word;

const TABLE: &str = "facetheory-cache";

/// The row at these keys.
pub(super) async fn read(store: &TestStore, pk: &str, sk: &str) -> Option<Item> {
    let get = GetItem { table: TABLE.into(), key: key(pk, sk), consistent: true, ..GetItem::default() };
    store.get_item(get).await.unwrap().item
}

/// Writes a row, whatever is in it.
pub(super) async fn write(store: &TestStore, item: Item) {
    let put = PutItem { table: TABLE.into(), item, ..PutItem::default() };
    store.put_item(put).await.unwrap();
}

/// Deletes a row.
pub(super) async fn delete(store: &TestStore, pk: &str, sk: &str) {
    let delete = DeleteItem { table: TABLE.into(), key: key(pk, sk), ..DeleteItem::default() };
    store.delete_item(delete).await.unwrap();
}

pub(super) fn key(pk: &str, sk: &str) -> Item {
    Item::from([("pk", Value::s(pk)), ("sk", Value::s(sk))])
}

/// A value as a script writes it: `"text"`, `60`, `now+10` (seconds since 1970), `true`.
pub(super) fn value(text: &str, quoted: bool, now_seconds: i64) -> Value {
    if quoted {
        return Value::s(text);
    }
    if let Some(offset) = text.strip_prefix("now") {
        let offset: i64 = if offset.is_empty() { 0 } else { offset.parse().expect("now+seconds") };
        return Value::n(now_seconds + offset);
    }
    match text {
        "true" => Value::Bool(true),
        "null" => Value::Null,
        number => Value::N(number.parse().expect("a number")),
    }
}

/// Compares a row with what a script says: `none`, `there`, or some of its attributes; `status=none` for one that is missing.
pub(super) fn check(row: Option<&Item>, expected: &[Word], now_seconds: i64) -> Result<(), String> {
    for word in expected {
        let holds = match (word, row) {
            (Word::Plain(none), row) if none == "none" => row.is_none(),
            (Word::Plain(there), row) if there == "there" => row.is_some(),
            (Word::Pair { name, value, quoted: false }, Some(row)) if value == "none" => {
                row.get(name).is_none()
            }
            (Word::Pair { name, value: text, quoted }, Some(row)) => {
                row.get(name) == Some(&value(text, *quoted, now_seconds))
            }
            _ => false,
        };
        if !holds {
            return Err(format!("the row is {row:?}"));
        }
    }
    Ok(())
}
