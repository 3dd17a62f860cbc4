//! Answers about one item: get, put, update, delete.

use serde::Serialize;
use tabletheory_core::Item;
use tabletheory_core::store::op::{GetItemOutput, WriteOutput};

use super::capacity::{Collection, Cost};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Got<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_capacity: Option<Cost<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
}

/// `GetItem`.
pub(super) fn got(output: &GetItemOutput) -> impl Serialize {
    Got { consumed_capacity: output.capacity.as_ref().map(Cost::from), item: output.item.as_ref() }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_capacity: Option<Cost<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_collection_metrics: Option<Collection<'a>>,
}

/// `PutItem`, `UpdateItem`, `DeleteItem`.
pub(super) fn written(output: &WriteOutput) -> impl Serialize {
    Written {
        attributes: output.attributes.as_ref(),
        consumed_capacity: output.capacity.as_ref().map(Cost::from),
        item_collection_metrics: output.collection_metrics.as_ref().map(Collection::from),
    }
}
