//! A door for the fuzz targets, open with the feature `fuzz` only: the codecs of keys and of items, which nobody else sees.

use tabletheory_core::expr::KeyPredicate;
use tabletheory_core::{Item, Value};

use crate::codec;
use crate::layout::RowShape;

/// The attributes of a key, by their places in it.
fn shape(sort_parts: usize) -> RowShape {
    let sort = (0..sort_parts).map(|part| format!("sort{part}")).collect();
    RowShape { partition: vec!["partition".to_owned()], sort, rest: Vec::new() }
}

fn item(partition: &Value, sort: &[Value]) -> Item {
    let mut item = Item::from([("partition", partition.clone())]);
    for (part, value) in sort.iter().enumerate() {
        item.insert(format!("sort{part}").as_str(), value.clone());
    }
    item
}

/// The key of the row with this partition key and these sort keys: strings, numbers or binaries.
#[must_use]
pub fn row_key(partition: &Value, sort: &[Value]) -> Vec<u8> {
    let key = shape(sort.len()).row_key(&item(partition, sort)).expect("no attribute of the key is missing");
    key.to_vec()
}

/// Whether the run of keys that a query visits has this key in it: the first sort keys equal `equal`, the next one satisfies
/// `last`, and there are `sort_parts` in all.
#[must_use]
pub fn is_visited(
    key: &[u8],
    partition: &Value,
    sort_parts: usize,
    equal: &[&Value],
    last: Option<&KeyPredicate>,
) -> bool {
    shape(sort_parts).span(&item(partition, &[]), equal, last).contains(key)
}

/// The item as it is stored.
#[must_use]
pub fn encode(item: &Item) -> Vec<u8> {
    codec::encode(item).to_vec()
}

/// The item that stored bytes hold, if they hold one.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Item> {
    codec::decode(bytes).ok()
}

/// These attributes of the item that stored bytes hold, if they can be read; `names` are sorted.
#[must_use]
pub fn decode_only(bytes: &[u8], names: &[&str]) -> Option<Item> {
    codec::decode_only(bytes, names).ok()
}
