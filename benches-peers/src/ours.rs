//! `tabletheory-engine`: blocking calls through `Engine::apply`, many writers through the async `Store`. Both carry the
//! same typed requests.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use tabletheory_core::expr::{
    Action, Comparator, Condition, KeyCondition, Path as AttributePath, SetOperand, SetValue, Update,
};
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{
    BatchWrite, BatchWriteItem, CreateTable, DescribeTable, GetItem, OnConditionFailure, PutItem, Query,
    ReturnValues, TransactAction, TransactWrite, TransactWriteItems, UpdateItem, WriteReturns,
};
use tabletheory_core::{Item, Request, Response, Store, Value};
use tabletheory_engine::{Durability, Engine, Settings};

use crate::contender::{Answer, AsyncContender, Contender, HITS_LIMIT, Operation, Pending};
use crate::record::{self, Key, Record};

const TABLE: &str = "pages";
/// The most that one BatchWriteItem takes.
const LOAD_BATCH: usize = 25;

pub(crate) struct Ours {
    engine: Engine,
}

impl Ours {
    /// A folder that is never synced: the setting `memory`.
    pub(crate) fn memory(folder: &Path) -> Result<Self> {
        Self::open(folder, Durability::Memory)
    }

    /// A folder in which every acknowledged write is synced.
    pub(crate) fn sync(folder: &Path) -> Result<Self> {
        Self::open(folder, Durability::Sync)
    }

    fn open(folder: &Path, durability: Durability) -> Result<Self> {
        let engine = Engine::open(folder, Settings { durability, ..Settings::default() })?;
        if engine.apply(DescribeTable { table: TABLE.to_owned() }.into()).is_err() {
            engine.apply(table().into())?;
        }
        Ok(Self { engine })
    }
}

impl Contender for Ours {
    fn load(&self, records: &mut dyn Iterator<Item = Record>) -> Result<()> {
        loop {
            let writes: Vec<BatchWrite> =
                (&mut *records).take(LOAD_BATCH).map(|record| BatchWrite::Put(item(record))).collect();
            if writes.is_empty() {
                return Ok(());
            }
            let tables = BTreeMap::from([(TABLE.to_owned(), writes)]);
            let response =
                self.engine.apply(BatchWriteItem { tables, ..BatchWriteItem::default() }.into())?;
            let Response::BatchWriteItem(output) = response else { bail!("not the answer to a batch") };
            ensure!(output.unprocessed.is_empty(), "a batch was not written whole");
        }
    }

    fn call(&self, operation: Operation) -> Result<Answer> {
        let becomes = becomes(&operation);
        answer(self.engine.apply(request(operation))?, becomes)
    }

    fn async_face(&self) -> Option<&dyn AsyncContender> {
        Some(self)
    }
}

impl AsyncContender for Ours {
    fn submit(&self, operation: Operation) -> Pending<'_> {
        let becomes = becomes(&operation);
        let pending = self.engine.call(request(operation));
        Box::pin(async move { answer(pending.await?, becomes) })
    }
}

fn request(operation: Operation) -> Request {
    match operation {
        Operation::Get(wanted) => {
            GetItem { table: TABLE.to_owned(), key: key(wanted), ..GetItem::default() }.into()
        }
        Operation::Put(record) => {
            PutItem { table: TABLE.to_owned(), item: item(record), ..PutItem::default() }.into()
        }
        Operation::Query(pk) => {
            let key_condition = KeyCondition::partition("pk", pk);
            Query { table: TABLE.to_owned(), key_condition, ..Query::default() }.into()
        }
        Operation::Replace { put, delete } => replace(put, delete).into(),
        Operation::Count { key, .. } => count(key).into(),
    }
}

/// The value that a counter should have after the operation.
fn becomes(operation: &Operation) -> i64 {
    if let Operation::Count { becomes, .. } = operation { *becomes } else { 0 }
}

fn answer(response: Response, becomes: i64) -> Result<Answer> {
    Ok(match response {
        Response::GetItem(output) => Answer::Found(u64::from(output.item.is_some())),
        Response::Query(output) => Answer::Found(output.items.map_or(0, |items| items.len() as u64)),
        Response::UpdateItem(output) => {
            let changed = output.attributes.context("the update returns what it changed")?;
            Answer::Counted { right: changed.get("hits") == Some(&Value::n(becomes)) }
        }
        Response::PutItem(_) | Response::TransactWriteItems(_) => Answer::Written,
        other => bail!("nobody asked for {other:?}"),
    })
}

fn key(key: Key) -> Item {
    Item::from([("pk", key.pk), ("sk", key.sk)])
}

fn item(record: Record) -> Item {
    let Record { key, owner, title, body, hits } = record;
    // Names in order, as a careful caller would write them.
    Item::from([
        ("body", Value::S(body)),
        ("hits", Value::n(hits)),
        ("owner", Value::S(owner)),
        ("pk", Value::S(key.pk)),
        ("sk", Value::S(key.sk)),
        ("title", Value::S(title)),
    ])
}

fn compare(attribute: &str, comparator: Comparator, value: Value) -> Condition {
    Condition::Compare(AttributePath::attribute(attribute).into(), comparator, value.into())
}

fn replace(put: Record, delete: Key) -> TransactWriteItems {
    let owned = compare("owner", Comparator::Eq, Value::S(record::owner(&delete)));
    let write = |action, condition| TransactWrite {
        table: TABLE.to_owned(),
        action,
        condition,
        on_condition_failure: OnConditionFailure::None,
    };
    let put = write(TransactAction::Put { item: item(put) }, None);
    let delete = write(TransactAction::Delete { key: key(delete) }, Some(owned));
    TransactWriteItems { writes: vec![put, delete], ..TransactWriteItems::default() }
}

fn count(counter: Key) -> UpdateItem {
    let hits = AttributePath::attribute("hits");
    let more = SetValue::Plus(SetOperand::Path(hits.clone()), SetOperand::Value(Value::n(1)));
    UpdateItem {
        table: TABLE.to_owned(),
        key: key(counter),
        update: Some(Update { actions: vec![Action::Set(hits, more)] }),
        condition: Some(compare("hits", Comparator::Lt, Value::n(HITS_LIMIT))),
        returns: WriteReturns { values: ReturnValues::UpdatedNew, ..WriteReturns::default() },
    }
}

fn table() -> CreateTable {
    let attribute = |name: &str| AttributeDefinition { name: name.to_owned(), kind: KeyType::S };
    CreateTable {
        table: TABLE.to_owned(),
        attributes: vec![attribute("pk"), attribute("sk")],
        keys: vec![KeyElement::hash("pk"), KeyElement::range("sk")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    }
}
