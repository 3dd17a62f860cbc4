//! Where answers are kept: in memory, bounded in bytes, for each address a few variants, newest first. Reading takes no lock that
//! another reader could hold for long; whatever is written replaces all that is known of an address at once.

use std::sync::Arc;

use http::HeaderMap;
use parking_lot::Mutex;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use super::stored::Stored;

/// Parts of the cache that are locked and bounded each on its own.
const SHARDS: usize = 4;
/// What one address may take at most, as a part of everything.
const SHARE_OF_ONE: usize = 16;
/// What an address takes besides its answers.
const ADDRESS_BYTES: usize = 256;
/// Used to guess how many addresses there will be.
const USUAL_BYTES: usize = 16 << 10;

/// The answers that are kept, by address.
#[derive(Debug)]
pub(super) struct Store {
    addresses: Cache<Arc<str>, Variants, Weight>,
    /// Held while an address is read, changed and written back.
    changing: Mutex<()>,
    address_bytes_max: usize,
}

/// The answers of one address, newest first.
#[derive(Debug, Clone)]
pub(super) struct Variants {
    list: Arc<[Arc<Stored>]>,
    weight: usize,
    /// Whether what a request says must be brought to the application's form before one is selected.
    pub(super) is_of_rewritten: bool,
}

#[derive(Debug, Clone)]
struct Weight;

impl Weighter<Arc<str>, Variants> for Weight {
    fn weight(&self, _: &Arc<str>, variants: &Variants) -> u64 {
        variants.weight as u64
    }
}

impl Variants {
    /// The newest answer that answers such a request.
    pub(super) fn select(&self, request: &HeaderMap) -> Option<&Arc<Stored>> {
        self.list.iter().find(|stored| stored.selection.is_of(request, &stored.headers))
    }

    fn of(key: &str, list: Vec<Arc<Stored>>) -> Self {
        let bytes: usize = list.iter().map(|stored| stored.bytes()).sum();
        let is_of_rewritten = list.iter().any(|stored| stored.selection.is_of_rewritten());
        Self { list: list.into(), weight: ADDRESS_BYTES + key.len() + bytes, is_of_rewritten }
    }
}

impl Store {
    /// An empty store of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        // The cache shares its room out among the shards and rounds up; the bound must hold for their sum.
        let bytes = bytes - bytes % SHARDS;
        let options = OptionsBuilder::new()
            .shards(SHARDS)
            .estimated_items_capacity((bytes / USUAL_BYTES).max(SHARDS * 32))
            .weight_capacity(bytes as u64)
            .build()
            .expect("both capacities are given");
        let (hashes, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        let addresses = Cache::with_options(options, Weight, hashes, lifecycle);
        Self { addresses, changing: Mutex::new(()), address_bytes_max: bytes / SHARE_OF_ONE }
    }

    /// What is kept for an address.
    pub(super) fn get(&self, key: &str) -> Option<Variants> {
        self.addresses.get(key)
    }

    /// How many bytes everything takes.
    pub(super) fn bytes(&self) -> u64 {
        self.addresses.weight()
    }

    /// How many it may take.
    pub(super) fn bytes_max(&self) -> u64 {
        self.addresses.capacity()
    }

    /// How many addresses there are.
    pub(super) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// The largest body that has a place.
    pub(super) fn body_bytes_max(&self) -> usize {
        self.address_bytes_max
    }

    /// Keeps an answer in place of those that answered `request`, and of the oldest where there are too many. An answer that was
    /// asked for before the one that is there changes nothing, nor does one that is not current any more.
    pub(super) fn put(
        &self,
        key: &Arc<str>,
        request: &HeaderMap,
        stored: Arc<Stored>,
        variants_max: usize,
        is_current: impl FnOnce() -> bool,
    ) {
        let _changing = self.changing.lock();
        // Whoever forgets says so before it waits for this lock: what is put before that is found, and later nothing is put.
        if !is_current() {
            return;
        }
        let known = self.addresses.peek(&**key);
        let known = known.as_ref().map_or(&[][..], |variants| &variants.list);
        let replaces = |known: &&Arc<Stored>| known.selection.is_of(request, &known.headers);
        if known.iter().filter(replaces).any(|known| known.sent > stored.sent) {
            return;
        }
        let others = known.iter().filter(|known| !replaces(known));
        let mut list: Vec<_> =
            std::iter::once(&stored).chain(others).take(variants_max.max(1)).cloned().collect();
        let mut variants = Variants::of(key, list.clone());
        while variants.weight > self.address_bytes_max {
            list.pop();
            if list.is_empty() {
                self.addresses.remove(&**key);
                return;
            }
            variants = Variants::of(key, list.clone());
        }
        self.addresses.insert(Arc::clone(key), variants);
    }

    /// Forgets one answer of an address.
    pub(super) fn forget(&self, key: &Arc<str>, stored: &Arc<Stored>) {
        let _changing = self.changing.lock();
        let Some(known) = self.addresses.peek(&**key) else { return };
        let others: Vec<_> = known.list.iter().filter(|known| !Arc::ptr_eq(known, stored)).cloned().collect();
        if others.is_empty() {
            self.addresses.remove(&**key);
        } else {
            self.addresses.insert(Arc::clone(key), Variants::of(key, others));
        }
    }

    /// Puts what `change` makes of them in place of all answers of these addresses; nothing forgets one. Tells how many were changed.
    pub(super) fn change(
        &self,
        is_place: impl Fn(&str) -> bool,
        is_meant: impl Fn(&Stored) -> bool,
        change: impl Fn(&Stored) -> Option<Stored>,
    ) -> usize {
        let _changing = self.changing.lock();
        let mut changed = 0;
        let places: Vec<_> = self.addresses.iter().filter(|(key, _)| is_place(key)).collect();
        for (key, variants) in places {
            let before = changed;
            let list = variants.list.iter().filter_map(|stored| {
                if !is_meant(stored) {
                    return Some(Arc::clone(stored));
                }
                changed += 1;
                change(stored).map(Arc::new)
            });
            let list: Vec<_> = list.collect();
            if list.is_empty() {
                self.addresses.remove(&*key);
            } else if changed > before {
                let variants = Variants::of(&key, list);
                self.addresses.insert(key, variants);
            }
        }
        changed
    }

    /// Forgets an address.
    pub(super) fn remove(&self, key: &str) {
        let _changing = self.changing.lock();
        self.addresses.remove(key);
    }
}
