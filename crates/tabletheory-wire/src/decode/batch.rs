//! Requests about many items that are independent of each other.

use std::collections::BTreeMap;
use std::fmt::from_fn;

use tabletheory_core::StoreError;
use tabletheory_core::expr::ExpressionKind;
use tabletheory_core::store::op::{BatchGetItem, BatchWrite, BatchWriteItem, KeysAndProjection};

use super::expression::placeholders;
use super::item::projection;
use super::{attribute, name};
use crate::constraint::Constraints;
use crate::shape::{Flag, List, Map, Raw, Text, structure};

/// Beyond what the service allows for all tables together, so that it is the store that complains.
const TABLES_MAX: usize = 1000;
const KEYS_MAX: usize = 1000;
const WRITES_MAX: usize = 100;

structure! {
    /// The members of `BatchGetItem`.
    GetShape {
        tables: Map<'a, KeysShape<'a>, TABLES_MAX> = "RequestItems",
        capacity: Text<'a> = "ReturnConsumedCapacity",
    }
}

structure! {
    /// What is read of one table.
    KeysShape {
        keys: List<Raw<'a>, KEYS_MAX> = "Keys",
        projection: Text<'a> = "ProjectionExpression",
        names: Map<'a, Text<'a>> = "ExpressionAttributeNames",
        attributes_to_get: List<Text<'a>> = "AttributesToGet",
        consistent: Flag = "ConsistentRead",
    }
}

/// Reads a `BatchGetItem`.
pub(super) fn get(shape: GetShape<'_>) -> Result<BatchGetItem, StoreError> {
    let mut constraints = Constraints::default();
    let mut tables = constraints.required("requestItems", shape.tables);
    for (table, keys) in &mut tables.0 {
        let member = from_fn(|f| write!(f, "requestItems.{}.member.keys", table.as_str()));
        keys.keys = Some(constraints.required(member, keys.keys.take()));
    }
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    constraints.finish()?;
    let tables = tables.0.into_iter().map(|(table, keys)| Ok((table.into_string(), keys_of(keys)?)));
    Ok(BatchGetItem {
        tables: tables.collect::<Result<_, StoreError>>()?,
        return_capacity: return_capacity.unwrap_or_default(),
    })
}

fn keys_of(shape: KeysShape<'_>) -> Result<KeysAndProjection, StoreError> {
    let text = shape.projection.as_ref().map(Text::as_str);
    let replaced = [("AttributesToGet", shape.attributes_to_get.is_some())];
    let mut placeholders = placeholders(shape.names, None, &[(ExpressionKind::Projection, text)], &replaced)?;
    let keys = shape.keys.unwrap_or_default().0;
    let keys = keys.into_iter().map(attribute::item).collect::<Result<_, _>>()?;
    let projection = projection(&mut placeholders, text, shape.attributes_to_get)?;
    placeholders.finish()?;
    Ok(KeysAndProjection { keys, projection, consistent: shape.consistent.is_some_and(|Flag(flag)| flag) })
}

structure! {
    /// The members of `BatchWriteItem`.
    WriteShape {
        tables: Map<'a, List<OneWriteShape<'a>, WRITES_MAX>, TABLES_MAX> = "RequestItems",
        capacity: Text<'a> = "ReturnConsumedCapacity",
        collection_metrics: Text<'a> = "ReturnItemCollectionMetrics",
    }
}

structure! {
    /// One write, by its kind.
    OneWriteShape {
        put: PutShape<'a> = "PutRequest",
        delete: DeleteShape<'a> = "DeleteRequest",
    }
}

structure! {
    /// A whole item to write.
    PutShape {
        item: Raw<'a> = "Item",
    }
}

structure! {
    /// The key of an item to remove.
    DeleteShape {
        key: Raw<'a> = "Key",
    }
}

/// Reads a `BatchWriteItem`.
pub(super) fn write(shape: WriteShape<'_>) -> Result<BatchWriteItem, StoreError> {
    let mut constraints = Constraints::default();
    let tables = constraints.required("requestItems", shape.tables);
    for (table, writes) in &tables.0 {
        for (at, write) in writes.0.iter().enumerate() {
            let member = |rest: &'static str| {
                from_fn(move |f| write!(f, "requestItems.{}.member.{}.member.{rest}", table.as_str(), at + 1))
            };
            if let Some(put) = &write.put {
                constraints.required(member("putRequest.item"), put.item.map(|_| ()));
            }
            if let Some(delete) = &write.delete {
                constraints.required(member("deleteRequest.key"), delete.key.map(|_| ()));
            }
        }
    }
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    let metrics =
        constraints.one_of("returnItemCollectionMetrics", shape.collection_metrics, name::COLLECTION_METRICS);
    constraints.finish()?;
    let mut writes_by_table = BTreeMap::new();
    for (table, writes) in tables.0 {
        let writes = writes.0.into_iter().map(one_write).collect::<Result<_, _>>()?;
        writes_by_table.insert(table.into_string(), writes);
    }
    Ok(BatchWriteItem {
        tables: writes_by_table,
        return_capacity: return_capacity.unwrap_or_default(),
        collection_metrics: metrics.unwrap_or_default(),
    })
}

fn one_write(shape: OneWriteShape<'_>) -> Result<BatchWrite, StoreError> {
    match (shape.put, shape.delete) {
        (Some(put), None) => attribute::required(put.item).map(BatchWrite::Put),
        (None, Some(delete)) => attribute::required(delete.key).map(BatchWrite::Delete),
        (None, None) => Err(StoreError::validation(
            "Supplied AttributeValue has no write request: one of PutRequest and DeleteRequest must be specified",
        )),
        (Some(_), Some(_)) => Err(StoreError::validation(
            "Supplied AttributeValue has more than one write request: only one of PutRequest and DeleteRequest can be \
             specified",
        )),
    }
}
