//! What came of a step, and whether it is what was expected.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use tabletheory::Error;
use tabletheory::dms::ModelDefinition;
use tabletheory_core::{Item, Value};

use crate::scenario::{Expect, Plain};
use crate::value;

/// What came of a step.
#[derive(Debug, Default)]
pub struct Answer {
    /// The kinds of the error, and its words.
    pub error: Option<(Vec<&'static str>, String)>,
    /// The item.
    pub item: Option<Item>,
    /// The items.
    pub items: Vec<Item>,
    /// The count, or the number of items.
    pub count: Option<u64>,
    /// The cursor; empty for none.
    pub cursor: String,
}

impl Answer {
    /// An answer that is an error.
    pub fn refused<M>(error: &Error<M>) -> Self {
        Self { error: Some((kinds(error), error.to_string())), ..Self::default() }
    }
}

/// What was kept of earlier answers.
#[derive(Debug, Default)]
pub struct Memory {
    /// Cursors by their names.
    pub cursors: BTreeMap<String, String>,
    values: BTreeMap<String, Value>,
}

impl Memory {
    fn value(&self, name: &str) -> Result<&Value> {
        self.values.get(name).with_context(|| format!("nothing was kept as `{name}`"))
    }
}

/// The kinds that an error is.
fn kinds<M>(error: &Error<M>) -> Vec<&'static str> {
    let own = match error {
        Error::NotFound { .. } => "not_found",
        Error::TransactionFailed(_) => "transaction_failed",
        Error::Throttled(_) => "throttled",
        Error::Validation(_) => "validation",
        Error::Model { .. } => "model",
        Error::Encryption { .. } => "encryption",
        Error::Cursor(_) => "cursor",
        Error::Bulk(_) => "bulk",
        Error::Store(_) => "store",
        _ => "",
    };
    let asked = [
        (error.is_condition_failed(), "condition_failed"),
        (error.is_version_conflict(), "version_conflict"),
        (!own.is_empty(), own),
    ];
    asked.into_iter().filter_map(|(holds, kind)| holds.then_some(kind)).collect()
}

/// Whether the answer is what was expected; if not, why.
pub fn check(answer: &Answer, expect: &Expect, model: &ModelDefinition, memory: &mut Memory) -> Result<()> {
    match &answer.error {
        Some((kinds, words)) => {
            ensure!(!expect.error.is_empty(), "failed: {words}");
            for kind in &expect.error {
                ensure!(kinds.contains(&kind.as_str()), "expected the error {kind}, got {kinds:?}: {words}");
            }
        }
        None => ensure!(expect.error.is_empty(), "expected the error {:?}, and it succeeded", expect.error),
    }
    ensure!(!expect.nothing || answer.item.is_none(), "expected no item, and there is one");
    if asks_of_an_item(expect) {
        let Some(item) = &answer.item else { bail!("there is no item") };
        check_item(item, expect, model, memory)?;
    }
    if let Some(count) = expect.count {
        let found = answer.count.unwrap_or(answer.items.len() as u64);
        ensure!(found == count, "expected {count}, counted {found}");
    }
    if let Some(items) = &expect.items {
        ensure!(
            items.len() == answer.items.len(),
            "expected {} items, got {}",
            items.len(),
            answer.items.len()
        );
        for (at, (expected, found)) in items.iter().zip(&answer.items).enumerate() {
            has(found, expected, model).map_err(|error| error.context(format!("item {at}")))?;
        }
    }
    if let Some(cursor) = &expect.cursor {
        ensure!(*cursor == answer.cursor, "expected the cursor {cursor:?}, got {:?}", answer.cursor);
    }
    if let Some(name) = &expect.keep_cursor {
        ensure!(!answer.cursor.is_empty(), "there is no cursor to keep");
        memory.cursors.insert(name.clone(), answer.cursor.clone());
    }
    Ok(())
}

fn asks_of_an_item(expect: &Expect) -> bool {
    let Expect { item, exactly, types, stored, absent, keep, same_as, other_than, .. } = expect;
    *exactly
        || !(item.is_empty()
            && types.is_empty()
            && stored.is_empty()
            && absent.is_empty()
            && keep.is_empty()
            && same_as.is_empty()
            && other_than.is_empty())
}

fn check_item(item: &Item, expect: &Expect, model: &ModelDefinition, memory: &mut Memory) -> Result<()> {
    has(item, &expect.item, model)?;
    if expect.exactly {
        for name in item.names() {
            ensure!(expect.item.contains_key(name), "the item has an attribute `{name}`, too");
        }
    }
    for (name, kind) in &expect.types {
        let found = item.get(name).map(|value| value.kind().name());
        ensure!(found == Some(kind.as_str()), "expected `{name}` to be {kind}, it is {found:?}");
    }
    for (name, json) in &expect.stored {
        let expected: Value = serde_json::from_value(json.clone())?;
        ensure!(item.get(name) == Some(&expected), "`{name}` is stored as {:?}", item.get(name));
    }
    for name in &expect.absent {
        ensure!(!item.contains(name), "the item has the attribute `{name}`");
    }
    for (name, kept) in &expect.keep {
        let Some(value) = item.get(name) else { bail!("there is no `{name}` to keep") };
        memory.values.insert(kept.clone(), value.clone());
    }
    for (name, kept) in &expect.same_as {
        ensure!(item.get(name) == Some(memory.value(kept)?), "`{name}` is another than `{kept}`");
    }
    for (name, kept) in &expect.other_than {
        let Some(value) = item.get(name) else { bail!("there is no `{name}` to compare") };
        ensure!(value != memory.value(kept)?, "`{name}` is the same as `{kept}`");
    }
    Ok(())
}

/// Whether an item has these attributes.
fn has(item: &Item, expected: &Plain, model: &ModelDefinition) -> Result<()> {
    for (name, json) in expected {
        let value = value::value(model, name, json)?;
        ensure!(
            item.get(name) == Some(&value),
            "expected `{name}` to be {value:?}, it is {:?}",
            item.get(name)
        );
    }
    Ok(())
}
