//! What a copy will do, found out before it does anything: which tables, what becomes of their targets, and what stands in the way.

use tabletheory::table::{Difference, Layout, Standing, Table};
use tabletheory_core::schema::{StreamView, TableDescription};
use tabletheory_core::store::op::CreateTable;

use crate::error::Error;
use crate::journal::{Journal, Stage};
use crate::pair::Pair;
use crate::side::Side;

/// What a copy will do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The tables, in order.
    pub tables: Vec<TablePlan>,
}

/// What becomes of one table.
#[derive(Debug, Clone)]
pub struct TablePlan {
    /// The tables.
    pub pair: Pair,
    /// What the target has to be.
    pub layout: Layout,
    /// How many items the source is said to have; that may be hours old.
    pub items: u64,
    /// How large the source is said to be.
    pub bytes: u64,
    /// What there is of the target.
    pub target: Target,
    /// The stream of the source, if it has one.
    pub stream: Option<StreamView>,
    /// Ways in which a target that is there differs, and that do not stand in the way.
    pub differences: Vec<Difference>,
    pub(crate) from_id: String,
}

/// What there is of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Nothing: it will be made.
    Missing,
    /// The table, without items.
    Empty,
    /// The table, with items, which were said to be no reason not to copy.
    HasItems,
    /// A copy that was begun goes on.
    Begun,
    /// The copy came to its end.
    Done,
}

impl TablePlan {
    /// The names of the key's attributes.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.layout.create_table().keys.iter().map(|key| key.name.clone()).collect()
    }
}

impl Plan {
    /// Finds out what a copy of these tables will do. Nothing is changed.
    ///
    /// # Errors
    /// If a table is missing or would be copied into itself, if a target has another key, or items that neither the journal nor
    /// `into_existing` explains.
    pub async fn make(
        from: &Side,
        to: &Side,
        pairs: &[Pair],
        journal: Option<&Journal>,
        into_existing: bool,
    ) -> Result<Self, Error> {
        if pairs.is_empty() {
            return Err(Error::NoTables { store: from.name.clone() });
        }
        let mut tables: Vec<TablePlan> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            if tables.iter().any(|known| known.pair.to == pair.to) {
                return Err(Error::SameTarget { table: pair.to.clone() });
            }
            let entry =
                journal.and_then(|journal| journal.state.tables.iter().find(|entry| entry.pair == *pair));
            let mut table = look(from, to, pair).await?;
            if let Some(entry) = entry {
                is_same(from, &pair.from, &entry.from_id, &table.0.from_id)?;
                if let (Some(known), Some(found)) = (&entry.to_id, &table.1) {
                    is_same(to, &pair.to, known, &found.id)?;
                }
            }
            let has_own = entry.is_some_and(|entry| entry.has_own);
            let is_begun = |stage| entry.is_some_and(|entry| entry.stage == stage && entry.to_id.is_some());
            table.0.target = match &table.1 {
                Some(_) if is_begun(Stage::Done) => Target::Done,
                Some(_) if is_begun(Stage::Copying) || is_begun(Stage::Copied) => Target::Begun,
                None if entry.is_some_and(|entry| entry.to_id.is_some()) => {
                    return Err(Error::Replaced { table: pair.to.clone(), store: to.name.clone() });
                }
                None => Target::Missing,
                Some(_) if to.is_empty(&pair.to).await? => Target::Empty,
                // What was copied and found different is copied once more into what is there.
                Some(_) if into_existing || has_own || is_begun(Stage::Waiting) => Target::HasItems,
                Some(found) => {
                    let (table, store) = (pair.to.clone(), to.name.clone());
                    return Err(Error::NotEmpty { table, store, items: found.item_count });
                }
            };
            if entry.is_some_and(|entry| entry.is_made) {
                // It has its switches when it has its items.
                table
                    .0
                    .differences
                    .retain(|difference| !matches!(difference, Difference::TimeToLiveOff { .. }));
            }
            tables.push(table.0);
        }
        Ok(Self { tables })
    }

    /// How many items there are to copy, as far as the source tells.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.tables.iter().fold(0, |all, table| table.items.saturating_add(all))
    }
}

/// A table that was made anew is another table. Some stores give no identities.
fn is_same(side: &Side, table: &str, known: &str, found: &str) -> Result<(), Error> {
    if known.is_empty() || found.is_empty() || known == found {
        return Ok(());
    }
    Err(Error::Replaced { table: table.to_owned(), store: side.name.clone() })
}

/// Looks at both tables.
async fn look(from: &Side, to: &Side, pair: &Pair) -> Result<(TablePlan, Option<TableDescription>), Error> {
    let no_table = || Error::NoTable { table: pair.from.clone(), store: from.name.clone() };
    let described = from.describe(&pair.from).await?.ok_or_else(no_table)?;
    // A copy that was killed after it asked for the table finds it being made.
    let found = to.describe_made(&pair.to).await?;
    // Identities are random: the same one is the same table, by whatever address it was reached.
    if found.as_ref().is_some_and(|found| found.id == described.id && !found.id.is_empty()) {
        return Err(Error::Itself { table: pair.from.clone(), store: from.name.clone() });
    }
    let ttl = from.time_to_live(&pair.from).await?;
    let request = match (&found, described.keys.is_empty()) {
        (_, false) => request(&described, &pair.to),
        // An export may not say what its key is.
        (Some(found), true) => request(found, &pair.to),
        (None, true) => {
            let (table, store) = (pair.to.clone(), to.name.clone());
            return Err(Error::UnknownKey { table, source_name: from.name.clone(), store });
        }
    };
    let layout = Layout::of_request(request, ttl);
    let differences = match &found {
        Some(_) => differences(to, &layout).await?,
        None => Vec::new(),
    };
    let table = TablePlan {
        pair: pair.clone(),
        layout,
        items: described.item_count,
        bytes: described.size_bytes,
        target: Target::Missing,
        stream: described.stream.as_ref().filter(|stream| stream.enabled).map(|stream| stream.view),
        differences,
        from_id: described.id.clone(),
    };
    Ok((table, found))
}

/// How a target that is there differs, if it can take the items at all.
async fn differences(to: &Side, layout: &Layout) -> Result<Vec<Difference>, Error> {
    let drift = Table::laid_out(std::sync::Arc::clone(&to.store), layout).verify().await;
    let drift = drift.map_err(|source| Error::Table { store: to.name.clone(), source: Box::new(source) })?;
    let table = layout.create_table().table.clone();
    let keys: Vec<&str> = layout.create_table().keys.iter().map(|key| key.name.as_str()).collect();
    for difference in drift.differences() {
        let stands_in_the_way = match difference {
            Difference::Keys { .. } => true,
            Difference::AttributeType { attribute, .. } => keys.contains(&attribute.as_str()),
            _ => false,
        };
        if stands_in_the_way {
            let (store, difference) = (to.name.clone(), Box::new(difference.clone()));
            return Err(Error::OtherKeys { table, store, difference });
        }
    }
    Ok(drift
        .differences()
        .iter()
        .filter(|difference| difference.standing() != Standing::Harmless)
        .cloned()
        .collect())
}

/// The request that makes such a table under this name. A stream is copied only if that was asked for.
pub(crate) fn request(table: &TableDescription, name: &str) -> CreateTable {
    CreateTable { table: name.to_owned(), stream: None, ..CreateTable::like(table) }
}
