//! The keys of a batch, each once, and what was found for them.

use std::collections::{BTreeMap, HashMap, HashSet};

use tabletheory_core::Item;
use tabletheory_core::limits::BATCH_GET_KEYS_MAX;
use tabletheory_core::store::op::{BatchGetItem, BatchGetItemOutput, KeysAndProjection};

use super::work::Work;
use crate::db::Db;
use crate::db::identity::Identity;
use crate::model::{KeyNames, Model};

/// The keys to read, each once, and what was found.
pub(super) struct Reads {
    pub(super) table: String,
    names: KeyNames,
    consistent: bool,
    keys: Vec<Item>,
    places: HashMap<Identity, usize>,
    pub(super) found: Vec<Option<Item>>,
}

impl Reads {
    /// No reads yet of the model's items.
    pub(super) fn new<M: Model>(db: &Db, consistent: bool) -> Self {
        Self {
            table: db.table_of::<M>().into_owned(),
            names: KeyNames::of(&M::SCHEMA),
            consistent,
            keys: Vec::new(),
            places: HashMap::new(),
            found: Vec::new(),
        }
    }

    /// The place of a key, which may be there already.
    pub(super) fn place(&mut self, key: Item) -> usize {
        *self.places.entry(Identity::of_key(&self.table, &key)).or_insert_with(|| {
            self.keys.push(key);
            self.found.push(None);
            self.keys.len() - 1
        })
    }
}

impl Work for Reads {
    type Request = BatchGetItem;
    const REQUEST_MAX: usize = BATCH_GET_KEYS_MAX;

    fn count(&self) -> usize {
        self.keys.len()
    }

    fn request(&self, places: &[usize]) -> BatchGetItem {
        let keys = places.iter().map(|place| self.keys[*place].clone()).collect();
        let keys = KeysAndProjection { keys, projection: None, consistent: self.consistent };
        let tables = BTreeMap::from([(self.table.clone(), keys)]);
        BatchGetItem { tables, ..BatchGetItem::default() }
    }

    fn take(&mut self, answer: BatchGetItemOutput) -> Option<HashSet<usize>> {
        for item in answer.items.into_values().flatten() {
            if let Some(place) = self.places.get(&Identity::of_item(&self.table, &item, self.names)) {
                self.found[*place] = Some(item);
            }
        }
        let left = answer.unprocessed.into_values().flat_map(|left| left.keys);
        left.map(|key| self.places.get(&Identity::of_key(&self.table, &key)).copied()).collect()
    }
}
