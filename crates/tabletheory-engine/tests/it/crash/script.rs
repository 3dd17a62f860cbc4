//! What each writer does, one operation after the other, and what that leaves behind. Operation `n` of writer `w` is
//! always the same, so the state after the first `n` is known, and a folder can be compared with it.

use std::collections::BTreeMap;

use tabletheory_core::expr::{Action, Path, SetOperand, SetValue, Update};
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, LocalIndex, Projection, StreamView,
};
use tabletheory_core::store::op::{
    CreateTable, DeleteItem, OnConditionFailure, PutItem, TransactAction, TransactWrite, TransactWriteItems,
    UpdateItem,
};
use tabletheory_core::{Item, Operation, Request, Value};

/// The table with indexes and a stream.
pub(super) const LEFT: &str = "left";
/// A plain table.
pub(super) const RIGHT: &str = "right";
/// The partition that all writers share; every other partition is one writer's.
pub(super) const SHARED: &str = "all";
/// The index by bucket and number; items without a bucket are not in it.
pub(super) const BY_BUCKET: &str = "by_bucket";
/// The index of a partition by number.
pub(super) const BY_NUMBER: &str = "by_number";

/// Requests that make the tables.
pub(super) fn tables() -> [CreateTable; 2] {
    let attributes = |definitions: &[(&str, KeyType)]| {
        definitions
            .iter()
            .map(|(name, kind)| AttributeDefinition { name: (*name).into(), kind: *kind })
            .collect()
    };
    let keys = vec![KeyElement::hash("pk"), KeyElement::range("sk")];
    let left = CreateTable {
        table: LEFT.into(),
        attributes: attributes(&[
            ("pk", KeyType::S),
            ("sk", KeyType::S),
            ("bucket", KeyType::S),
            ("n", KeyType::N),
        ]),
        keys: keys.clone(),
        global_indexes: vec![GlobalIndex {
            name: BY_BUCKET.into(),
            keys: vec![KeyElement::hash("bucket"), KeyElement::range("n")],
            projection: Projection::All,
            throughput: None,
        }],
        local_indexes: vec![LocalIndex {
            name: BY_NUMBER.into(),
            keys: vec![KeyElement::hash("pk"), KeyElement::range("n")],
            projection: Projection::KeysOnly,
        }],
        billing: BillingMode::PayPerRequest,
        stream: Some(StreamView::NewAndOldImages),
        ..CreateTable::default()
    };
    let right = CreateTable {
        table: RIGHT.into(),
        attributes: attributes(&[("pk", KeyType::S), ("sk", KeyType::S)]),
        keys,
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    [left, right]
}

/// What the writers do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Script {
    pub writers: u64,
    /// Every seventh operation writes this much.
    pub long_bytes: usize,
}

/// One change of one item.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Put(Item),
    /// `ADD n 1`, and for a writer's own counter `SET bucket = …`.
    Count(Item, Option<String>),
    Delete(Item),
}

/// One operation: a change alone, or some that belong together.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Alone(&'static str, Change),
    Together { changes: Vec<(&'static str, Change)>, token: Option<String> },
}

/// The writer's partition.
pub(super) fn partition(writer: u64) -> String {
    format!("writer {writer}")
}

fn key(partition: &str, sort: &str) -> Item {
    Item::from([("pk", Value::s(partition)), ("sk", Value::s(sort))])
}

impl Script {
    /// Operation `n` of a writer, from 1 on.
    pub(super) fn step(&self, writer: u64, n: u64) -> Step {
        let own = partition(writer);
        let item = |sort: &str, bucket: bool| {
            let mut item = key(&own, sort);
            item.insert("n", Value::n(n));
            item.insert("body", self.body(writer, n));
            if bucket {
                item.insert("bucket", format!("bucket {}", n % 3));
            }
            item
        };
        let row = |n: u64| format!("row {n:06}");
        match n % 6 {
            0 => Step::Alone(LEFT, Change::Put(item("put", true))),
            1 => Step::Alone(LEFT, Change::Count(key(&own, "count"), Some(format!("bucket {}", n % 4)))),
            2 => Step::Together {
                changes: vec![
                    (LEFT, Change::Put(item("pair", true))),
                    (RIGHT, Change::Put(item("pair", false))),
                    (LEFT, Change::Count(key(SHARED, "total"), None)),
                ],
                token: Some(token(writer, n)),
            },
            3 => Step::Alone(LEFT, Change::Put(item(&row(n), n % 4 == 3))),
            4 => {
                let pair =
                    [(RIGHT, Change::Put(item("pair", false))), (LEFT, Change::Put(item("pair", false)))];
                let removed = (n % 12 == 4 && n > 4).then(|| (LEFT, Change::Delete(key(&own, &row(n - 7)))));
                Step::Together { changes: pair.into_iter().chain(removed).collect(), token: None }
            }
            _ if n % 12 == 5 => Step::Alone(RIGHT, Change::Put(item("put", false))),
            _ => Step::Alone(RIGHT, Change::Delete(key(&own, "put"))),
        }
    }

    fn body(&self, writer: u64, n: u64) -> String {
        let bytes = if n.is_multiple_of(7) { self.long_bytes } else { 40 };
        format!("{writer} {n} ").repeat(bytes / 4)
    }

    /// The last operation up to `n` that has a token.
    pub(super) fn last_with_token(n: u64) -> Option<u64> {
        (1..=n).rev().find(|n| n % 6 == 2)
    }
}

fn token(writer: u64, n: u64) -> String {
    format!("token-{writer}-{n}")
}

impl Step {
    /// The request of this operation.
    pub(super) fn request(&self) -> Request {
        match self {
            Self::Alone(table, change) => {
                let table = (*table).to_owned();
                match change.clone() {
                    Change::Put(item) => PutItem { table, item, ..PutItem::default() }.into_request(),
                    Change::Delete(key) => DeleteItem { table, key, ..DeleteItem::default() }.into_request(),
                    Change::Count(key, bucket) => {
                        let update = Some(count(bucket));
                        UpdateItem { table, key, update, ..UpdateItem::default() }.into_request()
                    }
                }
            }
            Self::Together { changes, token } => {
                let writes = changes.iter().map(|(table, change)| TransactWrite {
                    table: (*table).to_owned(),
                    action: match change.clone() {
                        Change::Put(item) => TransactAction::Put { item },
                        Change::Delete(key) => TransactAction::Delete { key },
                        Change::Count(key, bucket) => TransactAction::Update { key, update: count(bucket) },
                    },
                    condition: None,
                    on_condition_failure: OnConditionFailure::None,
                });
                let client_request_token = token.clone();
                let writes = writes.collect();
                TransactWriteItems { writes, client_request_token, ..TransactWriteItems::default() }
                    .into_request()
            }
        }
    }

    fn changes(&self) -> Vec<(&'static str, Change)> {
        match self {
            Self::Alone(table, change) => vec![(table, change.clone())],
            Self::Together { changes, .. } => changes.clone(),
        }
    }
}

fn count(bucket: Option<String>) -> Update {
    let mut actions = vec![Action::Add(Path::attribute("n"), Value::n(1))];
    if let Some(bucket) = bucket {
        let value = SetValue::Operand(SetOperand::Value(Value::S(bucket)));
        actions.push(Action::Set(Path::attribute("bucket"), value));
    }
    Update { actions }
}

/// Table, partition and sort key of an item.
pub(super) type Place = (String, String, String);

/// Where an item of a table lies.
pub(super) fn place(table: &str, item: &Item) -> Place {
    let text = |name: &str| item.get(name).and_then(Value::as_s).unwrap().to_owned();
    (table.to_owned(), text("pk"), text("sk"))
}

/// A change of an item in the table with a stream: before and after.
pub(super) type Event = (Option<Item>, Option<Item>);

/// What a writer's first operations leave behind in its own partition.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Left {
    pub items: BTreeMap<Place, Item>,
    pub events: Vec<Event>,
    /// How often the shared counter was raised.
    pub raised: u64,
}

impl Left {
    /// What the first `n` operations of a writer leave behind.
    pub(super) fn after(script: Script, writer: u64, n: u64) -> Self {
        let mut left = Self::default();
        (1..=n).for_each(|n| left.apply(&script.step(writer, n)));
        left
    }

    /// One operation more.
    pub(super) fn apply(&mut self, step: &Step) {
        for (table, change) in step.changes() {
            let place = match &change {
                Change::Put(item) | Change::Count(item, _) | Change::Delete(item) => place(table, item),
            };
            if place.1 == SHARED {
                self.raised += 1;
                continue;
            }
            let old = self.items.get(&place).cloned();
            let new = match change {
                Change::Put(item) => Some(item),
                Change::Delete(_) => None,
                Change::Count(key, bucket) => {
                    Some(count(bucket).apply(old.as_ref().unwrap_or(&key)).unwrap())
                }
            };
            match new.clone() {
                Some(item) => drop(self.items.insert(place, item)),
                None => drop(self.items.remove(&place)),
            }
            if table == LEFT && old != new {
                self.events.push((old, new));
            }
        }
    }
}
