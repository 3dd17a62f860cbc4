//! Requests about many items that happen together or not at all.

use std::fmt::from_fn;

use tabletheory_core::StoreError;
use tabletheory_core::expr::ExpressionKind;
use tabletheory_core::store::op::{
    TransactAction, TransactGet, TransactGetItems, TransactWrite, TransactWriteItems,
};

use super::expression::placeholders;
use super::{attribute, name};
use crate::constraint::Constraints;
use crate::shape::{List, Map, Raw, Text, structure};

/// Beyond what the service allows, so that it is the store that complains.
const ITEMS_MAX: usize = 1000;

structure! {
    /// The members of `TransactGetItems`.
    GetItemsShape {
        items: List<OneGetShape<'a>, ITEMS_MAX> = "TransactItems",
        capacity: Text<'a> = "ReturnConsumedCapacity",
    }
}

structure! {
    /// One read, by its kind, of which there is one.
    OneGetShape {
        get: GetShape<'a> = "Get",
    }
}

structure! {
    /// A read.
    GetShape {
        table: Text<'a> = "TableName",
        key: Raw<'a> = "Key",
        projection: Text<'a> = "ProjectionExpression",
        names: Map<'a, Text<'a>> = "ExpressionAttributeNames",
    }
}

/// Reads a `TransactGetItems`.
pub(super) fn get(shape: GetItemsShape<'_>) -> Result<TransactGetItems, StoreError> {
    let mut constraints = Constraints::default();
    let items = constraints.required("transactItems", shape.items).0;
    for (at, item) in items.iter().enumerate() {
        let member =
            |rest: &'static str| from_fn(move |f| write!(f, "transactItems.{}.member.{rest}", at + 1));
        let Some(get) = &item.get else {
            constraints.required(member("get"), None::<()>);
            continue;
        };
        constraints.required(member("get.tableName"), get.table.as_ref().map(|_| ()));
        constraints.required(member("get.key"), get.key.map(|_| ()));
    }
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    constraints.finish()?;
    let gets = items.into_iter().map(|item| one_get(item.get.unwrap_or_default()));
    Ok(TransactGetItems {
        gets: gets.collect::<Result<_, _>>()?,
        return_capacity: return_capacity.unwrap_or_default(),
    })
}

fn one_get(shape: GetShape<'_>) -> Result<TransactGet, StoreError> {
    let text = shape.projection.as_ref().map(Text::as_str);
    let mut placeholders = placeholders(shape.names, None, &[(ExpressionKind::Projection, text)], &[])?;
    let key = attribute::required(shape.key)?;
    let projection = text.map(|text| placeholders.projection(text)).transpose()?;
    placeholders.finish()?;
    Ok(TransactGet { table: shape.table.unwrap_or_default().into_string(), key, projection })
}

structure! {
    /// The members of `TransactWriteItems`.
    WriteItemsShape {
        items: List<OneWriteShape<'a>, ITEMS_MAX> = "TransactItems",
        token: Text<'a> = "ClientRequestToken",
        capacity: Text<'a> = "ReturnConsumedCapacity",
        collection_metrics: Text<'a> = "ReturnItemCollectionMetrics",
    }
}

structure! {
    /// One write, by its kind.
    OneWriteShape {
        put: Box<WriteShape<'a>> = "Put",
        update: Box<WriteShape<'a>> = "Update",
        delete: Box<WriteShape<'a>> = "Delete",
        condition_check: Box<WriteShape<'a>> = "ConditionCheck",
    }
}

structure! {
    /// A write of any kind; each looks at its own members.
    WriteShape {
        table: Text<'a> = "TableName",
        item: Raw<'a> = "Item",
        key: Raw<'a> = "Key",
        update: Text<'a> = "UpdateExpression",
        condition: Text<'a> = "ConditionExpression",
        names: Map<'a, Text<'a>> = "ExpressionAttributeNames",
        values: Map<'a, Raw<'a>> = "ExpressionAttributeValues",
        on_condition_failure: Text<'a> = "ReturnValuesOnConditionCheckFailure",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Put,
    Update,
    Delete,
    ConditionCheck,
}

impl Kind {
    fn member(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::ConditionCheck => "conditionCheck",
        }
    }
}

/// Reads a `TransactWriteItems`.
pub(super) fn write(shape: WriteItemsShape<'_>) -> Result<TransactWriteItems, StoreError> {
    let mut constraints = Constraints::default();
    let items = constraints.required("transactItems", shape.items).0;
    let mut drafts = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        let (kind, write) = only_one(item)?;
        drafts.push(Draft::check(&mut constraints, at, kind, write));
    }
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    let metrics =
        constraints.one_of("returnItemCollectionMetrics", shape.collection_metrics, name::COLLECTION_METRICS);
    constraints.finish()?;
    let writes = drafts.into_iter().map(Draft::read);
    Ok(TransactWriteItems {
        writes: writes.collect::<Result<_, _>>()?,
        client_request_token: shape.token.map(Text::into_string),
        return_capacity: return_capacity.unwrap_or_default(),
        collection_metrics: metrics.unwrap_or_default(),
    })
}

fn only_one(shape: OneWriteShape<'_>) -> Result<(Kind, Box<WriteShape<'_>>), StoreError> {
    let mut kinds = [
        (Kind::Put, shape.put),
        (Kind::Update, shape.update),
        (Kind::Delete, shape.delete),
        (Kind::ConditionCheck, shape.condition_check),
    ]
    .into_iter()
    .filter_map(|(kind, write)| Some((kind, write?)));
    match (kinds.next(), kinds.next()) {
        (Some(only), None) => Ok(only),
        _ => {
            Err(StoreError::validation("TransactItems can only contain one of Check, Put, Update or Delete"))
        }
    }
}

/// A write whose constraints were looked at.
struct Draft<'a> {
    kind: Kind,
    shape: Box<WriteShape<'a>>,
    on_condition_failure: tabletheory_core::store::op::OnConditionFailure,
}

impl<'a> Draft<'a> {
    fn check(constraints: &mut Constraints, at: usize, kind: Kind, mut shape: Box<WriteShape<'a>>) -> Self {
        let member = |rest: &'static str| {
            from_fn(move |f| write!(f, "transactItems.{}.member.{}.{rest}", at + 1, kind.member()))
        };
        constraints.required(member("tableName"), shape.table.as_ref().map(|_| ()));
        match kind {
            Kind::Put => constraints.required(member("item"), shape.item.map(|_| ())),
            _ => constraints.required(member("key"), shape.key.map(|_| ())),
        }
        if kind == Kind::Update {
            constraints.required(member("updateExpression"), shape.update.as_ref().map(|_| ()));
        }
        if kind == Kind::ConditionCheck {
            constraints.required(member("conditionExpression"), shape.condition.as_ref().map(|_| ()));
        }
        let on_condition_failure = constraints.one_of(
            member("returnValuesOnConditionCheckFailure"),
            shape.on_condition_failure.take(),
            name::ON_CONDITION_FAILURE,
        );
        Self { kind, shape, on_condition_failure: on_condition_failure.unwrap_or_default() }
    }

    fn read(self) -> Result<TransactWrite, StoreError> {
        let shape = *self.shape;
        let condition = shape.condition.as_ref().map(Text::as_str);
        let condition_text = (ExpressionKind::Condition, condition);
        let mut placeholders = match self.kind {
            Kind::Update => {
                let update = (ExpressionKind::Update, shape.update.as_ref().map(Text::as_str));
                placeholders(shape.names, shape.values, &[update, condition_text], &[])?
            }
            _ => placeholders(shape.names, shape.values, &[condition_text], &[])?,
        };
        let action = match self.kind {
            Kind::Put => TransactAction::Put { item: attribute::required(shape.item)? },
            Kind::Update => {
                let key = attribute::required(shape.key)?;
                let text = shape.update.unwrap_or_default();
                TransactAction::Update { key, update: placeholders.update(text.as_str())? }
            }
            Kind::Delete => TransactAction::Delete { key: attribute::required(shape.key)? },
            Kind::ConditionCheck => TransactAction::ConditionCheck { key: attribute::required(shape.key)? },
        };
        let condition = condition.map(|text| placeholders.condition(text)).transpose()?;
        placeholders.finish()?;
        Ok(TransactWrite {
            table: shape.table.unwrap_or_default().into_string(),
            action,
            condition,
            on_condition_failure: self.on_condition_failure,
        })
    }
}
