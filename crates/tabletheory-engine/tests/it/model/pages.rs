//! What a query must return, from the ordered rows of a table or index.

use tabletheory_core::expr::{Condition, KeyCondition, KeyPredicate};
use tabletheory_core::limits::PAGE_BYTES_MAX;
use tabletheory_core::schema::{KeyElement, KeyRole, Projection};
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{PageOutput, Query, Select};
use tabletheory_core::{Item, StoreError, Value};

use super::reference::Model;
use super::table::{Index, Key, KeyValue, Table, refused};

/// An item at its place in a table or index.
#[derive(Debug)]
pub(crate) struct Row<'t> {
    /// Partition and sort key, then the rest of the table's key.
    pub order: Key,
    pub item: &'t Item,
}

impl Table {
    pub(crate) fn keys_of<'t>(&'t self, index: Option<&'t Index>) -> &'t [KeyElement] {
        index.map_or(&self.keys, |index| &index.keys)
    }

    /// The attributes that order the rows, and tell where a page ended.
    fn places<'t>(&'t self, index: Option<&'t Index>) -> impl Iterator<Item = &'t str> {
        let keys = self.keys_of(index);
        let rest = self.keys.iter().filter(|part| keys.iter().all(|key| key.name != part.name));
        keys.iter().chain(rest).map(|part| part.name.as_str())
    }

    fn order(&self, index: Option<&Index>, item: &Item) -> Option<Key> {
        self.places(index).map(|name| KeyValue::new(item.get(name)?)).collect()
    }

    /// The partition of a row, and its place.
    pub(crate) fn partition_and_order(&self, index: Option<&Index>, row: &Item) -> (Key, Key) {
        let order = self.order(index, row).expect("a row has its keys");
        let parts = self.keys_of(index).iter().filter(|part| part.role == KeyRole::Hash).count();
        (order[..parts].to_vec(), order)
    }

    /// Where an item is, as the start of the next page.
    pub(crate) fn place(&self, index: Option<&Index>, item: &Item) -> Item {
        self.places(index).map(|name| (name, item.get(name).unwrap().clone())).collect()
    }

    /// The rows in their order. Items that lack a key of the index are not in it.
    pub(crate) fn rows(&self, index: Option<&Index>) -> Vec<Row<'_>> {
        let has_keys = |item: &&Item| {
            let fits = |part: &KeyElement| item.get(&part.name).is_some_and(|value| self.fits(part, value));
            index.is_none_or(|index| index.keys.iter().all(fits))
        };
        let items = self.items.values().filter(has_keys);
        let mut rows: Vec<Row<'_>> = items
            .map(|item| Row {
                order: self.order(index, item).expect("an item in an index has its keys"),
                item,
            })
            .collect();
        rows.sort_by(|left, right| left.order.cmp(&right.order));
        rows
    }

    fn carries(&self, index: &Index, name: &str) -> bool {
        let included = match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.iter().any(|included| included == name),
        };
        included || index.keys.iter().chain(&self.keys).any(|part| part.name == name)
    }

    /// What a row carries of its item.
    pub(crate) fn projected(&self, index: Option<&Index>, item: &Item) -> Item {
        let Some(index) = index else { return item.clone() };
        let carried = item.iter().filter(|(name, _)| self.carries(index, name));
        carried.map(|(name, value)| (name, value.clone())).collect()
    }

    /// Which index a request means, if it may use it.
    pub(crate) fn read_index(
        &self,
        name: Option<&str>,
        consistent: bool,
        whole: bool,
        attributes: &[&str],
    ) -> Result<Option<&Index>, StoreError> {
        let Some(name) = name else { return Ok(None) };
        let index = self.index(name).ok_or_else(refused)?;
        let reaches_beyond = attributes.iter().any(|name| !self.carries(index, name))
            || (whole && index.projection != Projection::All);
        if index.global && (consistent || index.filling || reaches_beyond) {
            return Err(refused());
        }
        Ok(Some(index))
    }
}

impl Model {
    pub(crate) fn query(&self, query: &Query) -> Result<PageOutput, StoreError> {
        let table = self.table(&query.table)?;
        let mut attributes: Vec<&str> = query.filter.iter().flat_map(Condition::attributes).collect();
        let filtered = attributes.clone();
        attributes.extend(query.projection.iter().flat_map(|projection| projection.attributes()));
        let whole = query.select == Some(Select::AllAttributes);
        let index = table.read_index(query.index.as_deref(), query.consistent, whole, &attributes)?;
        let keys = table.keys_of(index);
        check_key_condition(table, keys, &query.key_condition)?;
        check_select(query, index)?;
        if keys.iter().any(|part| filtered.contains(&part.name.as_str())) {
            return Err(refused());
        }
        if index.is_some_and(|index| filtered.iter().any(|name| !table.carries(index, name))) {
            return Err(refused());
        }
        let matches = |item: &Item| {
            let holds = |(name, predicate): &(String, KeyPredicate)| {
                item.get(name).is_some_and(|value| satisfies(value, predicate))
            };
            query.key_condition.predicates.iter().all(holds)
        };
        let start = match &query.start_key {
            None => None,
            Some(start) if !matches(start) => return Err(refused()),
            Some(start) => Some(table.order(index, start).ok_or_else(refused)?),
        };
        let mut rows = table.rows(index);
        rows.retain(|row| matches(row.item));
        if !query.forward {
            rows.reverse();
        }
        if let Some(start) = start {
            rows.retain(|row| if query.forward { row.order > start } else { row.order < start });
        }
        Ok(page(table, index, query, &rows))
    }
}

/// The first page of these rows.
fn page(table: &Table, index: Option<&Index>, query: &Query, rows: &[Row<'_>]) -> PageOutput {
    let mut output = PageOutput::default();
    let mut items = Vec::new();
    let mut bytes = 0;
    for row in rows {
        let projected = table.projected(index, row.item);
        bytes += item_bytes(&projected);
        if bytes > PAGE_BYTES_MAX && output.scanned_count > 0 {
            break;
        }
        output.scanned_count += 1;
        output.last_evaluated_key = Some(table.place(index, row.item));
        if query.filter.as_ref().is_none_or(|filter| filter.holds(row.item)) {
            items.push(match (&query.projection, query.select) {
                (Some(projection), _) => projection.apply(row.item),
                (None, Some(Select::AllAttributes)) => row.item.clone(),
                (None, _) => projected,
            });
        }
        if query.limit.is_some_and(|limit| output.scanned_count == u64::from(limit)) {
            break;
        }
    }
    let all = output.scanned_count == u64::try_from(rows.len()).unwrap();
    let stopped_by_limit = query.limit.is_some_and(|limit| output.scanned_count == u64::from(limit));
    if all && !stopped_by_limit {
        output.last_evaluated_key = None;
    }
    output.count = u64::try_from(items.len()).unwrap();
    output.items = (query.select != Some(Select::Count)).then_some(items);
    output
}

fn check_select(query: &Query, index: Option<&Index>) -> Result<(), StoreError> {
    let ok = match (query.select, &query.projection) {
        (None, _) | (Some(Select::AllAttributes | Select::Count), None) => true,
        (Some(Select::SpecificAttributes), projection) => projection.is_some(),
        (Some(Select::AllProjectedAttributes), None) => index.is_some(),
        (Some(_), Some(_)) => false,
    };
    if ok { Ok(()) } else { Err(refused()) }
}

/// The partition key must be given, and sort keys from left to right, a range only at the end.
fn check_key_condition(
    table: &Table,
    keys: &[KeyElement],
    condition: &KeyCondition,
) -> Result<(), StoreError> {
    let mut open = true;
    let mut used = 0;
    for part in keys {
        let predicate = condition.predicates.iter().find(|(name, _)| *name == part.name);
        let Some((_, predicate)) = predicate else {
            if part.role == KeyRole::Hash {
                return Err(refused());
            }
            open = false;
            continue;
        };
        let is_eq = matches!(predicate, KeyPredicate::Eq(_));
        let typed =
            values(predicate).into_iter().all(|value| value.kind() == table.kinds[&part.name].value_type());
        let prefix_of_number = matches!(predicate, KeyPredicate::BeginsWith(Value::N(_)));
        if !open || !typed || prefix_of_number || (part.role == KeyRole::Hash && !is_eq) {
            return Err(refused());
        }
        open = is_eq;
        used += 1;
    }
    if used == condition.predicates.len() { Ok(()) } else { Err(refused()) }
}

fn values(predicate: &KeyPredicate) -> Vec<&Value> {
    match predicate {
        KeyPredicate::Eq(value)
        | KeyPredicate::Lt(value)
        | KeyPredicate::Le(value)
        | KeyPredicate::Gt(value)
        | KeyPredicate::Ge(value)
        | KeyPredicate::BeginsWith(value) => vec![value],
        KeyPredicate::Between(low, high) => vec![low, high],
    }
}

fn satisfies(value: &Value, predicate: &KeyPredicate) -> bool {
    let key = |value: &Value| KeyValue::new(value).expect("keys are strings, numbers or binaries");
    let found = key(value);
    match predicate {
        KeyPredicate::Eq(wanted) => found == key(wanted),
        KeyPredicate::Lt(bound) => found < key(bound),
        KeyPredicate::Le(bound) => found <= key(bound),
        KeyPredicate::Gt(bound) => found > key(bound),
        KeyPredicate::Ge(bound) => found >= key(bound),
        KeyPredicate::Between(low, high) => key(low) <= found && found <= key(high),
        KeyPredicate::BeginsWith(prefix) => match (value, prefix) {
            (Value::S(text), Value::S(prefix)) => text.starts_with(prefix.as_str()),
            (Value::B(bytes), Value::B(prefix)) => bytes.starts_with(prefix),
            _ => false,
        },
    }
}
