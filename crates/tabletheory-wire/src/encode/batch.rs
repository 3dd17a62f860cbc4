//! Answers about many items that are independent of each other. What was left is always told, if only as `{}`, and in
//! the form of a request: clients send it again as it is.

use std::collections::BTreeMap;

use serde::Serialize;
use tabletheory_core::Item;
use tabletheory_core::expr::Rendered;
use tabletheory_core::store::op::{BatchGetItemOutput, BatchWrite, BatchWriteItemOutput, KeysAndProjection};

use super::capacity::{Collections, Costs, collections, costs};
use super::list::{List, Map};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Got<'a> {
    #[serde(skip_serializing_if = "List::is_empty")]
    consumed_capacity: Costs<'a>,
    responses: &'a BTreeMap<String, Vec<Item>>,
    unprocessed_keys: Map<'a, KeysAndProjection, Keys<'a>>,
}

/// `BatchGetItem`.
pub(super) fn got(output: &BatchGetItemOutput) -> impl Serialize {
    Got {
        consumed_capacity: costs(&output.capacity),
        responses: &output.items,
        unprocessed_keys: Map(&output.unprocessed, Keys::from),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Keys<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    consistent_read: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression_attribute_names: Option<BTreeMap<String, String>>,
    keys: &'a [Item],
    #[serde(skip_serializing_if = "Option::is_none")]
    projection_expression: Option<String>,
}

impl<'a> From<&'a KeysAndProjection> for Keys<'a> {
    fn from(left: &'a KeysAndProjection) -> Self {
        let rendered =
            left.projection.as_ref().map(|wanted| Rendered::alone(|scope| scope.projection(wanted)));
        let (projection_expression, expression_attribute_names) =
            rendered.map(|rendered| (rendered.text, rendered.names)).unzip();
        Self {
            consistent_read: left.consistent,
            expression_attribute_names,
            keys: &left.keys,
            projection_expression,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Written<'a> {
    #[serde(skip_serializing_if = "List::is_empty")]
    consumed_capacity: Costs<'a>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    item_collection_metrics: Collections<'a>,
    unprocessed_items: Map<'a, Vec<BatchWrite>, List<'a, BatchWrite, Write<'a>>>,
}

/// `BatchWriteItem`.
pub(super) fn written(output: &BatchWriteItemOutput) -> impl Serialize {
    Written {
        consumed_capacity: costs(&output.capacity),
        item_collection_metrics: collections(&output.collection_metrics),
        unprocessed_items: Map(&output.unprocessed, |writes| List(writes, Write::from)),
    }
}

#[derive(Serialize)]
#[serde(rename_all_fields = "PascalCase")]
enum Write<'a> {
    PutRequest { item: &'a Item },
    DeleteRequest { key: &'a Item },
}

impl<'a> From<&'a BatchWrite> for Write<'a> {
    fn from(write: &'a BatchWrite) -> Self {
        match write {
            BatchWrite::Put(item) => Self::PutRequest { item },
            BatchWrite::Delete(key) => Self::DeleteRequest { key },
        }
    }
}
