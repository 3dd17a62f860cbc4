//! The writes of a batch, and which of them an answer is about.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;

use tabletheory_core::limits::BATCH_WRITE_REQUESTS_MAX;
use tabletheory_core::store::op::{BatchWrite as One, BatchWriteItem, BatchWriteItemOutput};

use super::work::Work;
use crate::db::identity::{Identity, places};
use crate::error::Error;
use crate::model::KeyNames;

/// A write that will be ready: values may have to be encrypted first.
pub(super) type Preparing = Pin<Box<dyn Future<Output = Result<Prepared, Error>> + Send>>;

/// A write that is ready.
pub(super) struct Prepared {
    pub(super) model: &'static str,
    pub(super) table: String,
    pub(super) write: One,
    pub(super) names: KeyNames,
}

/// The writes, built once: what is sent again is the same.
pub(super) struct Writes {
    writes: Vec<(String, One)>,
    places: HashMap<Identity, usize>,
    names: HashMap<String, KeyNames>,
}

impl Writes {
    /// Waits for the writes.
    ///
    /// # Errors
    /// If one cannot be, or two are about the same item.
    pub(super) async fn prepare(preparing: Vec<Preparing>) -> Result<Self, Error> {
        let (mut writes, mut names) = (Vec::with_capacity(preparing.len()), HashMap::new());
        let mut identities = Vec::with_capacity(preparing.len());
        for write in preparing {
            let Prepared { model, table, write, names: own } = write.await?;
            identities.push((model, identity(&table, &write, own)));
            names.insert(table.clone(), own);
            writes.push((table, write));
        }
        let known = identities.iter().enumerate();
        let places = places(known.map(|(place, (model, identity))| (place, *model, identity)))?;
        let places = places.into_iter().map(|(identity, place)| (identity.clone(), place)).collect();
        Ok(Self { writes, places, names })
    }
}

fn identity(table: &str, write: &One, names: KeyNames) -> Identity {
    match write {
        One::Put(item) => Identity::of_item(table, item, names),
        One::Delete(key) => Identity::of_key(table, key),
    }
}

impl Work for Writes {
    type Request = BatchWriteItem;
    const REQUEST_MAX: usize = BATCH_WRITE_REQUESTS_MAX;

    fn count(&self) -> usize {
        self.writes.len()
    }

    fn request(&self, places: &[usize]) -> BatchWriteItem {
        let mut tables: BTreeMap<String, Vec<One>> = BTreeMap::new();
        for (table, write) in places.iter().map(|place| &self.writes[*place]) {
            tables.entry(table.clone()).or_default().push(write.clone());
        }
        BatchWriteItem { tables, ..BatchWriteItem::default() }
    }

    fn take(&mut self, answer: BatchWriteItemOutput) -> Option<HashSet<usize>> {
        let mut left = HashSet::new();
        for (table, writes) in answer.unprocessed {
            let names = self.names.get(&table)?;
            for write in &writes {
                left.insert(*self.places.get(&identity(&table, write, *names))?);
            }
        }
        Some(left)
    }
}
