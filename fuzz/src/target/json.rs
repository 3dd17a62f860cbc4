//! DynamoDB's JSON of an item.

use tabletheory_core::{Item, StoreError, json, size};

pub(crate) fn run(bytes: &[u8]) {
    let item = match serde_json::from_slice::<Item>(bytes) {
        Ok(item) => item,
        Err(error) => {
            let refusal = json::refusal(&error);
            assert!(
                matches!(refusal, StoreError::Validation(_) | StoreError::Serialization(_)),
                "bad JSON is refused as the service refuses it: {refusal:?}"
            );
            return;
        }
    };
    let written = serde_json::to_vec(&item).expect("every item can be written");
    let again: Item = serde_json::from_slice(&written).expect("what was written can be read");
    assert_eq!(again, item, "an item is the item of its JSON");
    assert_eq!(size::item_bytes(&again), size::item_bytes(&item), "its size does not depend on how it came");
}
