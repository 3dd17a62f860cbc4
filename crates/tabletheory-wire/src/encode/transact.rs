//! Answers of transactions, those of PartiQL included: they have the same shape.

use serde::Serialize;
use tabletheory_core::Item;
use tabletheory_core::store::capacity::ConsumedCapacity;
use tabletheory_core::store::op::TransactWriteItemsOutput;

use super::capacity::{Collections, Costs, collections, costs};
use super::list::{List, Map};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Got<'a> {
    #[serde(skip_serializing_if = "List::is_empty")]
    consumed_capacity: Costs<'a>,
    responses: List<'a, Option<Item>, Found<'a>>,
}

/// One entry of a transaction's answer: `{}` where there is no item.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Found<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
}

/// `TransactGetItems`, `ExecuteTransaction`.
pub(super) fn got<'a>(
    items: &'a [Option<Item>],
    capacity: &'a [ConsumedCapacity],
) -> impl Serialize + use<'a> {
    Got { consumed_capacity: costs(capacity), responses: List(items, |item| Found { item: item.as_ref() }) }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Written<'a> {
    #[serde(skip_serializing_if = "List::is_empty")]
    consumed_capacity: Costs<'a>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    item_collection_metrics: Collections<'a>,
}

/// `TransactWriteItems`.
pub(super) fn written(output: &TransactWriteItemsOutput) -> impl Serialize {
    Written {
        consumed_capacity: costs(&output.capacity),
        item_collection_metrics: collections(&output.collection_metrics),
    }
}
