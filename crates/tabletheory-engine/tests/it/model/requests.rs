//! Random requests: mostly sensible, aimed at what the model knows to be there.

use std::collections::BTreeMap;

use tabletheory_core::expr::{Condition, KeyCondition, KeyPredicate};
use tabletheory_core::schema::{KeyElement, KeyRole, KeyType};
use tabletheory_core::store::op::{
    BatchGetItem, BatchWrite, BatchWriteItem, DeleteItem, GetItem, KeysAndProjection, OnConditionFailure,
    PutItem, Query, ReturnValues, Select, TransactAction, TransactGet, TransactGetItems, TransactWrite,
    TransactWriteItems, UpdateItem, WriteReturns,
};
use tabletheory_core::{Item, Value};

use super::definitions::TABLES;
use super::dice::Dice;
use super::reference::Model;
use super::table::Table;

/// Writes requests.
#[derive(Debug)]
pub(crate) struct Author<'w> {
    pub dice: &'w mut Dice,
    pub model: &'w Model,
    /// Whether items are large enough to fill pages.
    pub heavy: bool,
}

impl Author<'_> {
    pub(crate) fn table(&mut self) -> String {
        // The tables with most to get wrong are used most.
        (*self.dice.pick(&["pairs", "pairs", "pairs", "words", "words", "blobs", "plain"])).to_owned()
    }

    /// The key of an item that is there, or any key.
    fn key(&mut self, table: &str) -> Item {
        if let Some(known) = self.model.tables.get(table)
            && !known.items.is_empty()
            && self.dice.chance(60)
        {
            let at = self.dice.index(known.items.len());
            return known.key_attributes(known.items.values().nth(at).expect("below the length"));
        }
        self.dice.key(table)
    }

    fn item(&mut self, table: &str) -> Item {
        let mut item = self.dice.item(table, self.model.now, self.heavy);
        if self.dice.chance(40) {
            for (name, value) in self.key(table) {
                item.insert(name, value);
            }
        }
        item
    }

    fn condition(&mut self) -> Option<Condition> {
        self.dice.maybe(35, Dice::condition)
    }

    fn on_condition_failure(&mut self) -> OnConditionFailure {
        *self.dice.pick(&[OnConditionFailure::None, OnConditionFailure::AllOld])
    }

    fn returns(&mut self, values: &[ReturnValues]) -> WriteReturns {
        WriteReturns {
            values: *self.dice.pick(values),
            on_condition_failure: self.on_condition_failure(),
            collection_metrics: self.dice.chance(10),
            ..WriteReturns::default()
        }
    }

    fn old_returns(&mut self) -> WriteReturns {
        let refused = self.dice.chance(1);
        self.returns(if refused {
            &[ReturnValues::UpdatedNew]
        } else {
            &[ReturnValues::None, ReturnValues::AllOld]
        })
    }

    pub(crate) fn put(&mut self) -> PutItem {
        let table = self.table();
        PutItem { item: self.item(&table), condition: self.condition(), returns: self.old_returns(), table }
    }

    pub(crate) fn update(&mut self) -> UpdateItem {
        use ReturnValues::{AllNew, AllOld, None, UpdatedNew, UpdatedOld};
        let table = self.table();
        let now = self.model.now;
        UpdateItem {
            key: self.key(&table),
            update: self.dice.maybe(97, |dice| dice.update(now)),
            condition: self.condition(),
            returns: self.returns(&[None, AllOld, UpdatedOld, AllNew, UpdatedNew]),
            table,
        }
    }

    pub(crate) fn delete(&mut self) -> DeleteItem {
        let table = self.table();
        DeleteItem { key: self.key(&table), condition: self.condition(), returns: self.old_returns(), table }
    }

    pub(crate) fn get(&mut self) -> GetItem {
        let table = self.table();
        GetItem {
            key: self.key(&table),
            projection: self.dice.maybe(20, Dice::projection),
            consistent: self.dice.chance(50),
            table,
            ..GetItem::default()
        }
    }

    pub(crate) fn batch_get(&mut self) -> BatchGetItem {
        let mut request = BatchGetItem::default();
        for table in self.dice.some(&TABLES, 1, 3) {
            let keys = (0..=self.dice.below(8)).map(|_| self.key(table)).collect();
            let projection = self.dice.maybe(20, Dice::projection);
            let wanted = KeysAndProjection { keys, projection, consistent: self.dice.chance(50) };
            request.tables.insert((*table).to_owned(), wanted);
        }
        // Keys that come twice are refused, which would be most batches.
        if self.dice.chance(95) {
            for wanted in request.tables.values_mut() {
                let mut seen: Vec<Item> = Vec::new();
                wanted.keys.retain(|key| {
                    !seen.contains(key) && {
                        seen.push(key.clone());
                        true
                    }
                });
            }
        }
        request
    }

    pub(crate) fn batch_write(&mut self) -> BatchWriteItem {
        let mut tables: BTreeMap<String, Vec<BatchWrite>> = BTreeMap::new();
        let mut keys: Vec<(String, Item)> = Vec::new();
        for _ in 0..=self.dice.below(20) {
            let table = self.table();
            let write = if self.dice.chance(75) {
                BatchWrite::Put(self.item(&table))
            } else {
                BatchWrite::Delete(self.key(&table))
            };
            let (BatchWrite::Put(item) | BatchWrite::Delete(item)) = &write;
            if self.is_new(&mut keys, &table, item) {
                tables.entry(table).or_default().push(write);
            }
        }
        BatchWriteItem { tables, ..BatchWriteItem::default() }
    }

    /// Whether no other part of the request has this key yet; a few that have are let through, to be refused.
    fn is_new(&mut self, keys: &mut Vec<(String, Item)>, table: &str, item: &Item) -> bool {
        let key = item.iter().filter(|(name, _)| *name == "pk" || *name == "sk");
        let key = (table.to_owned(), key.map(|(name, value)| (name, value.clone())).collect());
        let new = !keys.contains(&key);
        keys.push(key);
        new || self.dice.chance(3)
    }

    pub(crate) fn transact_write(&mut self) -> TransactWriteItems {
        let mut request = TransactWriteItems::default();
        let mut keys: Vec<(String, Item)> = Vec::new();
        let now = self.model.now;
        for _ in 0..=self.dice.below(5) {
            let table = self.table();
            let action = match self.dice.below(10) {
                0..=3 => TransactAction::Put { item: self.item(&table) },
                4..=6 => TransactAction::Update { key: self.key(&table), update: self.dice.update(now) },
                7 | 8 => TransactAction::Delete { key: self.key(&table) },
                _ => TransactAction::ConditionCheck { key: self.key(&table) },
            };
            let (TransactAction::Put { item: key }
            | TransactAction::Update { key, .. }
            | TransactAction::Delete { key }
            | TransactAction::ConditionCheck { key }) = &action;
            if !self.is_new(&mut keys, &table, key) {
                continue;
            }
            let is_check = matches!(action, TransactAction::ConditionCheck { .. });
            let condition =
                if is_check { Some(self.dice.condition()) } else { self.dice.maybe(20, Dice::condition) };
            let on_condition_failure = self.on_condition_failure();
            request.writes.push(TransactWrite { table, action, condition, on_condition_failure });
        }
        request.client_request_token = self.dice.maybe(60, |dice| format!("token-{}", dice.below(40)));
        request
    }

    pub(crate) fn transact_get(&mut self) -> TransactGetItems {
        let mut request = TransactGetItems::default();
        let mut keys: Vec<(String, Item)> = Vec::new();
        for _ in 0..=self.dice.below(6) {
            let table = self.table();
            let key = self.key(&table);
            if !self.is_new(&mut keys, &table, &key) {
                continue;
            }
            request.gets.push(TransactGet { table, key, projection: self.dice.maybe(20, Dice::projection) });
        }
        request
    }

    /// The name of an index of the table, of the table itself, or, rarely, of nothing.
    pub(crate) fn index(&mut self, table: &str) -> Option<String> {
        let known = self.model.tables.get(table).map_or(&[][..], |table| &table.indexes);
        match self.dice.below(100) {
            0 => Some("nowhere".to_owned()),
            1..60 if !known.is_empty() => Some(self.dice.pick(known).name.clone()),
            _ => None,
        }
    }

    pub(crate) fn query(&mut self) -> Query {
        let table = self.table();
        if self.heavy && self.dice.chance(20) {
            // The partition with the large items.
            let key_condition = KeyCondition::partition("pk", "b");
            return Query { table, key_condition, forward: self.dice.chance(50), ..Query::default() };
        }
        let index = self.index(&table);
        let key_condition = match self.model.tables.get(&table) {
            Some(known) => self.key_condition(known, index.as_deref()),
            None => KeyCondition::partition("pk", "a"),
        };
        let selects = [Select::AllAttributes, Select::AllProjectedAttributes, Select::Count];
        let projection = self.dice.maybe(12, Dice::projection);
        let select = match projection {
            Some(_) => self.dice.maybe(10, |_| Select::SpecificAttributes),
            None => self.dice.maybe(25, |dice| *dice.pick(&selects)),
        };
        Query {
            table,
            index,
            key_condition,
            filter: self.dice.maybe(25, Dice::condition),
            projection,
            select,
            forward: self.dice.chance(60),
            limit: self.dice.maybe(60, |dice| u32::try_from(1 + dice.below(7)).unwrap()),
            consistent: self.dice.chance(10),
            ..Query::default()
        }
    }

    fn key_condition(&mut self, table: &Table, index: Option<&str>) -> KeyCondition {
        let index = index.and_then(|name| table.index(name));
        let rows = table.rows(index);
        let example = self.dice.maybe(85, |dice| (!rows.is_empty()).then(|| dice.pick(&rows).item)).flatten();
        let mut condition = KeyCondition::default();
        for part in table.keys_of(index) {
            let last = part.role == KeyRole::Range && self.dice.chance(60);
            if last && self.dice.chance(40) {
                break;
            }
            let predicate = match (last, example.and_then(|item| item.get(&part.name))) {
                (true, _) => self.range(table, part),
                (false, Some(value)) => KeyPredicate::Eq(value.clone()),
                (false, None) => KeyPredicate::Eq(self.key_value(table, part)),
            };
            condition = condition.and(part.name.clone(), predicate);
            if last {
                break;
            }
        }
        match self.dice.below(200) {
            0 => drop(condition.predicates.remove(0)),
            1 => condition.predicates.push(("hits".to_owned(), KeyPredicate::Eq(Value::n(1)))),
            2 => condition.predicates[0].1 = KeyPredicate::Gt(Value::s("a")),
            3 => condition.predicates[0].1 = KeyPredicate::Eq(Value::Bool(true)),
            _ => {}
        }
        condition
    }

    fn key_value(&mut self, table: &Table, part: &KeyElement) -> Value {
        match part.name.as_str() {
            "pk" | "sk" => self.dice.key_value(table.kinds[&part.name], part.name == "pk"),
            // Not the bad ones: as keys of a query they are refused in more ways than the model cares for.
            "color" => Value::s("red"),
            "label" => Value::s("la"),
            name => self.dice.attribute(name, self.model.now),
        }
    }

    fn range(&mut self, table: &Table, part: &KeyElement) -> KeyPredicate {
        let value = self.key_value(table, part);
        match self.dice.below(7) {
            0 => KeyPredicate::Lt(value),
            1 => KeyPredicate::Le(value),
            2 => KeyPredicate::Gt(value),
            3 => KeyPredicate::Ge(value),
            4 if table.kinds[&part.name] != KeyType::N => KeyPredicate::BeginsWith(value),
            _ => {
                let other = self.key_value(table, part);
                let ordered = match (&value, &other) {
                    (Value::S(low), Value::S(high)) => low <= high,
                    (Value::N(low), Value::N(high)) => low <= high,
                    (Value::B(low), Value::B(high)) => low <= high,
                    _ => unreachable!("both are values of one key"),
                };
                if ordered {
                    KeyPredicate::Between(value, other)
                } else {
                    KeyPredicate::Between(other, value)
                }
            }
        }
    }
}
