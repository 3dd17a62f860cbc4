//! The model itself: what each operation does to the tables. It knows nothing of bytes, batches or disks. Queries stand
//! in `pages`, streams in `history`. What an expression means is left to the core, which has its
//! own tests.

use std::collections::{BTreeMap, BTreeSet};

use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::expr::{Action, Condition, SetOperand, SetValue, Update};
use tabletheory_core::limits::{CLIENT_REQUEST_TOKEN_SECONDS, TTL_AGE_SECONDS_MAX};
use tabletheory_core::store::capacity::ItemCollectionMetrics;
use tabletheory_core::store::op::{
    BatchGetItem, BatchGetItemOutput, BatchWrite, BatchWriteItem, BatchWriteItemOutput, GetItem,
    GetItemOutput, OnConditionFailure, ReturnValues, TransactAction, TransactGet, TransactGetItems,
    TransactGetItemsOutput, TransactWrite, TransactWriteItems, TransactWriteItemsOutput, WriteOutput,
    WriteReturns,
};
use tabletheory_core::{Item, Number, Request, Response, Seconds, StoreError, Timestamp, Value};

use super::history::History;
use super::table::{Key, Table, refused};

/// A transaction that was done under a token.
#[derive(Debug, Clone)]
struct Used {
    at: Timestamp,
    writes: Vec<TransactWrite>,
}

/// What one round of upkeep has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Chores {
    pub expired_items: u64,
    pub trimmed_records: u64,
    pub spent_tokens: u64,
}

/// All tables, their streams, and the tokens of the last ten minutes.
#[derive(Debug)]
pub(crate) struct Model {
    pub now: Timestamp,
    pub tables: BTreeMap<String, Table>,
    pub history: History,
    /// How often a transaction was answered from its token.
    pub replays: u64,
    tokens: BTreeMap<String, Used>,
}

fn missing() -> StoreError {
    StoreError::ResourceNotFound(String::new())
}

/// What a request wants done to one item.
#[derive(Debug, Clone, Copy)]
struct Write<'r> {
    table: &'r str,
    deed: Deed<'r>,
    condition: Option<&'r Condition>,
    on_condition_failure: OnConditionFailure,
}

#[derive(Debug, Clone, Copy)]
enum Deed<'r> {
    Put(&'r Item),
    Update(&'r Item, Option<&'r Update>),
    Delete(&'r Item),
    Check(&'r Item),
}

impl<'r> Write<'r> {
    fn plain(table: &'r str, deed: Deed<'r>) -> Self {
        Self { table, deed, condition: None, on_condition_failure: OnConditionFailure::None }
    }

    fn of_transaction(write: &'r TransactWrite) -> Self {
        let deed = match &write.action {
            TransactAction::Put { item } => Deed::Put(item),
            TransactAction::Update { key, update } => Deed::Update(key, Some(update)),
            TransactAction::Delete { key } => Deed::Delete(key),
            TransactAction::ConditionCheck { key } => Deed::Check(key),
        };
        Self {
            table: &write.table,
            deed,
            condition: write.condition.as_ref(),
            on_condition_failure: write.on_condition_failure,
        }
    }
}

/// An item before and after a write.
#[derive(Debug)]
struct Change {
    key: Key,
    old: Option<Item>,
    new: Option<Item>,
}

impl Model {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            now,
            tables: BTreeMap::new(),
            history: History::default(),
            replays: 0,
            tokens: BTreeMap::new(),
        }
    }

    /// What the engine must answer; the model is changed as the engine must be.
    pub(crate) fn call(&mut self, request: &Request) -> Result<Response, StoreError> {
        Ok(match request {
            Request::GetItem(request) => Response::GetItem(Box::new(self.get(request)?)),
            Request::PutItem(put) => {
                let write = Write {
                    condition: put.condition.as_ref(),
                    ..Write::plain(&put.table, Deed::Put(&put.item))
                };
                only_old(put.returns)?;
                Response::PutItem(Box::new(self.write(write, put.returns)?))
            }
            Request::UpdateItem(update) => {
                let deed = Deed::Update(&update.key, update.update.as_ref());
                let write =
                    Write { condition: update.condition.as_ref(), ..Write::plain(&update.table, deed) };
                Response::UpdateItem(Box::new(self.write(write, update.returns)?))
            }
            Request::DeleteItem(delete) => {
                let deed = Deed::Delete(&delete.key);
                let write =
                    Write { condition: delete.condition.as_ref(), ..Write::plain(&delete.table, deed) };
                only_old(delete.returns)?;
                Response::DeleteItem(Box::new(self.write(write, delete.returns)?))
            }
            Request::Query(query) => Response::Query(Box::new(self.query(query)?)),
            Request::BatchGetItem(request) => Response::BatchGetItem(Box::new(self.batch_get(request)?)),
            Request::BatchWriteItem(request) => {
                Response::BatchWriteItem(Box::new(self.batch_write(request)?))
            }
            Request::TransactGetItems(request) => {
                Response::TransactGetItems(Box::new(self.transact_get(request)?))
            }
            Request::TransactWriteItems(request) => {
                Response::TransactWriteItems(Box::new(self.transact_write(request)?))
            }
            other => panic!("the model does not foretell {}", other.name()),
        })
    }

    pub(crate) fn table(&self, name: &str) -> Result<&Table, StoreError> {
        self.tables.get(name).ok_or_else(missing)
    }

    fn get(&self, request: &GetItem) -> Result<GetItemOutput, StoreError> {
        let table = self.table(&request.table)?;
        let item = table.items.get(&table.named_key(&request.key)?);
        let item = match &request.projection {
            Some(projection) => item.map(|item| projection.apply(item)),
            None => item.cloned(),
        };
        Ok(GetItemOutput { item, capacity: None })
    }

    fn write(&mut self, write: Write<'_>, returns: WriteReturns) -> Result<WriteOutput, StoreError> {
        let write = Write { on_condition_failure: returns.on_condition_failure, ..write };
        let key = self.prepare(write)?;
        let change = self.foresee(write, key)?;
        let table = &self.tables[write.table];
        let updated = |item: &Item| match write.deed {
            Deed::Update(_, Some(update)) => update.updated(item),
            _ => Item::new(),
        };
        let attributes = match returns.values {
            ReturnValues::None => None,
            ReturnValues::AllOld => change.old.clone(),
            ReturnValues::AllNew => change.new.clone(),
            ReturnValues::UpdatedOld => change.old.as_ref().map(updated),
            ReturnValues::UpdatedNew => change.new.as_ref().map(updated),
        };
        let (Deed::Put(item) | Deed::Update(item, _) | Deed::Delete(item) | Deed::Check(item)) = write.deed;
        let wanted = returns.collection_metrics && table.indexes.iter().any(|index| !index.global);
        let hash = &table.keys[0].name;
        let collection_metrics = wanted.then(|| ItemCollectionMetrics {
            key: Item::from([(hash.clone(), item.get(hash).unwrap().clone())]),
            size_gb: [0.0, 1.0],
        });
        self.settle(write.table, change);
        let attributes = attributes.filter(|item| !item.is_empty());
        Ok(WriteOutput { attributes, capacity: None, collection_metrics })
    }

    /// What can be said of a write before its item is looked at.
    fn prepare(&self, write: Write<'_>) -> Result<Key, StoreError> {
        let table = self.table(write.table)?;
        match write.deed {
            Deed::Put(item) if !table.index_keys_fit(None, item) => Err(refused()),
            Deed::Put(item) => table.key(item).ok_or_else(refused),
            Deed::Update(key, update) => {
                let changed = update.map(Update::attributes).unwrap_or_default();
                if table.keys.iter().any(|part| changed.contains(&part.name.as_str())) {
                    return Err(refused());
                }
                // Values of the request are seen before the item is.
                let given = update.map(given).unwrap_or_default();
                let index_keys = table.indexes.iter().flat_map(|index| &index.keys);
                if !table.index_key_types_fit(&given) || Table::has_empty(index_keys, &given) {
                    return Err(refused());
                }
                table.named_key(key)
            }
            Deed::Delete(key) | Deed::Check(key) => table.named_key(key),
        }
    }

    /// Whether a write has an empty key. Of a transaction, all is refused then.
    fn has_empty_key(&self, write: Write<'_>) -> bool {
        let table = &self.tables[write.table];
        let index_keys = table.indexes.iter().flat_map(|index| &index.keys);
        match write.deed {
            Deed::Put(item) if table.key(item).is_some() => Table::has_empty(index_keys, item),
            Deed::Put(item) => Table::has_empty(table.keys.iter(), item),
            Deed::Update(key, Some(update)) if table.named_key(key).is_ok() => {
                Table::has_empty(index_keys, &given(update))
            }
            Deed::Update(key, _) | Deed::Delete(key) | Deed::Check(key) => {
                Table::has_empty(table.keys.iter(), key)
            }
        }
    }

    /// What a write will do to its item.
    fn foresee(&self, write: Write<'_>, key: Key) -> Result<Change, StoreError> {
        let table = &self.tables[write.table];
        let old = table.items.get(&key).cloned();
        let nothing = Item::new();
        if !write.condition.is_none_or(|condition| condition.holds(old.as_ref().unwrap_or(&nothing))) {
            let wanted = write.on_condition_failure == OnConditionFailure::AllOld;
            return Err(StoreError::ConditionalCheckFailed { item: old.filter(|_| wanted).map(Box::new) });
        }
        let new = match write.deed {
            Deed::Put(item) => Some(item.clone()),
            Deed::Delete(_) => None,
            Deed::Check(_) => old.clone(),
            Deed::Update(_, Some(update)) if old.is_none() && !update.creates() => None,
            Deed::Update(key, update) => {
                let before = old.as_ref().unwrap_or(key);
                let after = update.map_or_else(|| Ok(before.clone()), |update| update.apply(before));
                Some(after.map_err(|_| refused())?)
            }
        };
        if new.as_ref().is_some_and(|new| !table.index_keys_fit(old.as_ref(), new)) {
            return Err(refused());
        }
        Ok(Change { key, old, new })
    }

    fn settle(&mut self, table: &str, change: Change) {
        let table = self.tables.get_mut(table).unwrap();
        if let Some(stream) = table.stream
            && let Some(either) = change.new.as_ref().or(change.old.as_ref())
            && change.old != change.new
        {
            let keys = table.key_attributes(either);
            self.history.streams[stream].record(self.now, keys, change.old, change.new.clone());
        }
        match change.new {
            Some(new) => table.items.insert(change.key, new),
            None => table.items.remove(&change.key),
        };
    }

    fn batch_get(&self, request: &BatchGetItem) -> Result<BatchGetItemOutput, StoreError> {
        let mut output = BatchGetItemOutput::default();
        for (name, wanted) in &request.tables {
            let table = self.table(name)?;
            let keys = wanted.keys.iter().map(|key| table.named_key(key)).collect::<Result<Vec<_>, _>>()?;
            if keys.iter().collect::<BTreeSet<_>>().len() < keys.len() {
                return Err(refused());
            }
            let found = keys.iter().filter_map(|key| table.items.get(key));
            let found = found.map(|item| match &wanted.projection {
                Some(projection) => projection.apply(item),
                None => item.clone(),
            });
            output.items.insert(name.clone(), found.collect());
        }
        Ok(output)
    }

    fn batch_write(&mut self, request: &BatchWriteItem) -> Result<BatchWriteItemOutput, StoreError> {
        let mut seen = BTreeSet::new();
        let mut writes = Vec::new();
        for (table, requests) in &request.tables {
            for request in requests {
                let deed = match request {
                    BatchWrite::Put(item) => Deed::Put(item),
                    BatchWrite::Delete(key) => Deed::Delete(key),
                };
                let write = Write::plain(table, deed);
                let key = self.prepare(write)?;
                if !seen.insert((table, key.clone())) {
                    return Err(refused());
                }
                writes.push((write, key));
            }
        }
        for (write, key) in writes {
            let change = self.foresee(write, key).expect("a write without a condition, of a checked item");
            self.settle(write.table, change);
        }
        Ok(BatchWriteItemOutput::default())
    }

    fn transact_get(&self, request: &TransactGetItems) -> Result<TransactGetItemsOutput, StoreError> {
        let mut seen = BTreeSet::new();
        let mut reasons = Vec::new();
        for get in &request.gets {
            let table = self.table(&get.table)?;
            let key = table.named_key(&get.key);
            let twice = key.as_ref().is_ok_and(|key| !seen.insert((&get.table, key.clone())));
            if twice || Table::has_empty(table.keys.iter(), &get.key) {
                return Err(refused());
            }
            reasons.push(reason(key.as_ref().err()));
        }
        if seen.len() < reasons.len() {
            return Err(StoreError::TransactionCanceled { reasons });
        }
        let get = |one: &TransactGet| {
            let (table, key, projection) = (one.table.clone(), one.key.clone(), one.projection.clone());
            self.get(&GetItem { table, key, projection, ..GetItem::default() })
        };
        let outputs = request.gets.iter().map(get);
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        let items = outputs.into_iter().map(|output| output.item).collect();
        Ok(TransactGetItemsOutput { items, capacity: Vec::new() })
    }

    fn transact_write(
        &mut self,
        request: &TransactWriteItems,
    ) -> Result<TransactWriteItemsOutput, StoreError> {
        let mut seen = BTreeSet::new();
        let mut writes = Vec::new();
        for write in &request.writes {
            let write = Write::of_transaction(write);
            self.table(write.table)?;
            let key = self.prepare(write);
            let twice = key.as_ref().is_ok_and(|key| !seen.insert((write.table, key.clone())));
            if twice || self.has_empty_key(write) {
                return Err(refused());
            }
            writes.push((write, key));
        }
        let token = request.client_request_token.as_ref();
        match token.and_then(|token| self.tokens.get(token)).filter(|used| !used.is_spent(self.now)) {
            Some(used) if used.writes == request.writes => {
                self.replays += 1;
                return Ok(TransactWriteItemsOutput::default());
            }
            Some(_) => return Err(StoreError::IdempotentParameterMismatch(String::new())),
            None => {}
        }
        let foreseen = |(write, key): (Write<'_>, Result<Key, _>)| {
            (write.table.to_owned(), key.and_then(|key| self.foresee(write, key)))
        };
        let outcomes: Vec<_> = writes.into_iter().map(foreseen).collect();
        if outcomes.iter().any(|(_, outcome)| outcome.is_err()) {
            let reasons = outcomes.iter().map(|(_, outcome)| reason(outcome.as_ref().err())).collect();
            return Err(StoreError::TransactionCanceled { reasons });
        }
        for (table, outcome) in outcomes {
            self.settle(&table, outcome.expect("was just looked at"));
        }
        if let Some(token) = token {
            self.tokens.insert(token.clone(), Used { at: self.now, writes: request.writes.clone() });
        }
        Ok(TransactWriteItemsOutput::default())
    }

    /// What time brings, all of it at once.
    pub(crate) fn upkeep(&mut self) -> Chores {
        let now = self.now;
        let mut chores = Chores::default();
        for (name, ttl) in
            self.tables.iter().map(|(name, table)| (name.clone(), table.ttl.clone())).collect::<Vec<_>>()
        {
            let table = self.tables.get_mut(&name).unwrap();
            table.indexes.iter_mut().for_each(|index| index.filling = false);
            let Some(ttl) = ttl else { continue };
            let expired = table.items.extract_if(.., |_, item| has_expired(item, &ttl, now));
            let expired: Vec<Item> = expired.map(|(_, item)| item).collect();
            chores.expired_items += u64::try_from(expired.len()).unwrap();
            if let Some(stream) = table.stream {
                let expired = expired.into_iter().map(|item| (table.key_attributes(&item), item)).collect();
                self.history.streams[stream].record_sweep(now, expired);
            }
        }
        let before = self.tokens.len();
        self.tokens.retain(|_, used| !used.is_spent(now));
        chores.spent_tokens = u64::try_from(before - self.tokens.len()).unwrap();
        chores.trimmed_records = self.history.trim(now);
        chores
    }
}

impl Used {
    fn is_spent(&self, now: Timestamp) -> bool {
        self.at + Seconds(CLIENT_REQUEST_TOKEN_SECONDS) <= now
    }
}

fn has_expired(item: &Item, ttl: &str, now: Timestamp) -> bool {
    let age = |number: &Number| Number::from(now.seconds()).checked_sub(number).expect("times are small");
    let age = item.get(ttl).and_then(Value::as_n).map(age);
    age.is_some_and(|age| age > Number::from(0) && age < Number::from(TTL_AGE_SECONDS_MAX))
}

fn only_old(returns: WriteReturns) -> Result<(), StoreError> {
    match returns.values {
        ReturnValues::None | ReturnValues::AllOld => Ok(()),
        _ => Err(refused()),
    }
}

/// The attributes to which an update gives a value of the request, with these values.
fn given(update: &Update) -> Item {
    let given = update.actions.iter().filter_map(|action| match action {
        Action::Set(path, SetValue::Operand(SetOperand::Value(value))) | Action::Add(path, value) => {
            Some((path.root.clone(), value.clone()))
        }
        _ => None,
    });
    given.collect()
}

fn reason(error: Option<&StoreError>) -> CancellationReason {
    match error {
        None => CancellationReason::default(),
        Some(StoreError::ConditionalCheckFailed { item }) => CancellationReason {
            code: CancellationCode::ConditionalCheckFailed,
            message: Some("The conditional request failed".to_owned()),
            item: item.clone(),
        },
        Some(_) => CancellationReason {
            code: CancellationCode::ValidationError,
            message: Some(String::new()),
            item: None,
        },
    }
}
