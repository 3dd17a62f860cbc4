//! The laws, checked on the rows each time a transaction was performed, and on what each visitor saw.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use facetheory::meta::Look;
use facetheory::record::Meta;
use facetheory::{Kept, MetaStore, Partition};
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tabletheory::testing::TestStore;
use tabletheory_core::{Request, Response, Store as _, StoreError, Timestamp};

use super::origin::{Answer, Origin};
use super::stage::Stage;
use super::warehouse::Warehouse;

/// What a purge concerns.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scope {
    Place(usize),
    Tag(usize, &'static str),
    Path(usize, &'static str),
    All(usize),
}

/// A purge that was acknowledged.
#[derive(Debug, Clone)]
pub(super) struct Purged {
    pub(super) scope: Scope,
    pub(super) gone: bool,
    pub(super) begun: Timestamp,
    pub(super) acked: Timestamp,
    /// The worker and which of its lives.
    pub(super) by: (usize, u64),
}

/// A version that somebody brought back, or may have.
#[derive(Debug)]
struct Shown {
    etag: String,
    until: Timestamp,
}

/// What a page's rows have said so far.
#[derive(Debug, Default)]
struct History {
    generation: Option<u64>,
    tokens: BTreeSet<String>,
    /// For how long each generation was fresh when it was published, in seconds.
    revalidate_s: BTreeMap<u64, i64>,
}

#[derive(Debug)]
pub(super) struct Witness {
    pub(super) stage: Arc<Stage>,
    pub(super) origin: Arc<Origin>,
    pub(super) warehouse: Arc<Warehouse>,
    rows: MetaStore,
    partitions: Vec<Partition>,
    histories: Mutex<BTreeMap<usize, History>>,
    purges: Mutex<Vec<Purged>>,
    shown: Mutex<Vec<Shown>>,
}

impl Witness {
    pub(super) fn new(
        stage: &Arc<Stage>,
        origin: &Arc<Origin>,
        warehouse: &Arc<Warehouse>,
        store: &TestStore,
    ) -> Arc<Self> {
        let rows = MetaStore::new(store.db());
        let partitions = origin.places.iter().map(|place| rows.partition(&place.key).unwrap()).collect();
        Arc::new(Self {
            stage: Arc::clone(stage),
            origin: Arc::clone(origin),
            warehouse: Arc::clone(warehouse),
            rows,
            partitions,
            histories: Mutex::default(),
            purges: Mutex::default(),
            shown: Mutex::default(),
        })
    }

    /// The rows as they are, past the network.
    pub(super) fn rows(&self) -> &MetaStore {
        &self.rows
    }

    pub(super) fn partition(&self, place: usize) -> &Partition {
        &self.partitions[place]
    }

    pub(super) fn purges(&self) -> Vec<Purged> {
        self.purges.lock().clone()
    }

    pub(super) fn ask(&self, store: &TestStore, request: Request) -> Result<Response, StoreError> {
        store.call(request).now_or_never().unwrap()
    }

    pub(super) fn purged(&self, purged: Purged) {
        self.purges.lock().push(purged);
        (0..self.partitions.len()).for_each(|place| self.look_at_place(place));
    }

    /// Somebody brings a version back; until that is settled, it may happen at any time.
    pub(super) fn may_show(&self, etag: String) -> usize {
        let mut shown = self.shown.lock();
        shown.push(Shown { etag, until: Timestamp::from_millis(i64::MAX) });
        shown.len() - 1
    }

    /// It was done before `until`, or not at all.
    pub(super) fn settled(&self, shown: usize, until: Timestamp) {
        self.shown.lock()[shown].until = until;
    }

    pub(super) fn look_at(&self, pk: &str) {
        if let Some(place) = self.partitions.iter().position(|partition| partition.as_str() == pk) {
            self.look_at_place(place);
        }
    }

    /// Looks at all pages.
    pub(super) fn look_around(&self) {
        (0..self.partitions.len()).for_each(|place| self.look_at_place(place));
    }

    fn look_at_place(&self, place: usize) {
        let look = self.rows.get(&self.partitions[place]).now_or_never().unwrap().unwrap();
        if look.malformed {
            self.stage.accuse(format_args!("a row of page {place} cannot be read"));
        }
        let Some(meta) = &look.meta else { return };
        self.check_history(place, meta);
        let Some(answer) = self.check_body(place, meta) else { return };
        for purge in self.purges.lock().iter() {
            if self.is_before(purge, &answer, meta.etag.as_deref()) && !is_marked(&look, purge.gone) {
                self.stage.accuse(format_args!("page {place} shows what was purged: {purge:?}"));
            }
        }
    }

    /// For how long a page was to be fresh when it was published, in seconds.
    pub(super) fn revalidate_s(&self, place: usize, kept: &Kept) -> Option<i64> {
        let histories = self.histories.lock();
        let published = histories.get(&place).and_then(|history| history.revalidate_s.get(&kept.generation?));
        // What was shown and purged between two looks was never seen fresh; then the row itself says since when it is not.
        published
            .copied()
            .or_else(|| kept.lifetime.purged_since.is_none().then_some(kept.lifetime.revalidate.0))
    }

    fn check_history(&self, place: usize, meta: &Meta) {
        let mut histories = self.histories.lock();
        let history = histories.entry(place).or_default();
        if history.generation == meta.generation {
            return;
        }
        self.stage.count("publishes");
        self.stage.note(format_args!("page {place} shows {:?}", meta.etag));
        if meta.generation < history.generation {
            self.stage.accuse(format_args!("the generation of page {place} goes back"));
        }
        history.generation = meta.generation;
        history.revalidate_s.insert(meta.generation.unwrap_or(0), meta.revalidate_seconds);
        let token = meta.publisher_token.clone().unwrap_or_default();
        if !history.tokens.insert(token) {
            self.stage.accuse(format_args!("page {place} was published twice under one lease"));
        }
    }

    /// The pointer must lead to a whole answer of the origin, for this page and for everybody.
    fn check_body(&self, place: usize, meta: &Meta) -> Option<Answer> {
        let Some(answer) = meta.etag.as_deref().and_then(|etag| self.origin.answer(etag)) else {
            self.stage.accuse(format_args!("page {place} shows what the origin never answered"));
            return None;
        };
        let body = self.warehouse.peek(&meta.s3_key);
        if body.as_ref() != Some(&answer.body) {
            self.stage.accuse(format_args!("page {place} names a body that is missing or altered"));
        }
        let digest: String = Sha256::digest(&answer.body).iter().map(|byte| format!("{byte:02x}")).collect();
        let measured = (meta.body_sha256.as_deref(), meta.body_len);
        if measured != (Some(digest.as_str()), Some(answer.body.len() as u64)) {
            self.stage.accuse(format_args!("page {place} is measured wrongly"));
        }
        if answer.place != place || !answer.is_whole || answer.is_private || answer.is_head {
            self.stage.accuse(format_args!("page {place} shows what must not be kept: {answer:?}"));
        }
        Some(answer)
    }

    /// Whether a purge concerns an answer: it was read before the purge began, and nobody has brought it back since.
    pub(super) fn is_before(&self, purge: &Purged, answer: &Answer, etag: Option<&str>) -> bool {
        let place = &self.origin.places[answer.place];
        let same_site = |other: usize| self.origin.places[other].tenant == place.tenant;
        let concerns = match purge.scope {
            Scope::Place(other) => other == answer.place,
            Scope::Tag(other, tag) => same_site(other) && tag == place.tag,
            Scope::Path(other, path) => same_site(other) && path == place.path,
            Scope::All(other) => same_site(other),
        };
        concerns
            && answer.read_at < purge.begun
            && !self.shown.lock().iter().any(|shown| Some(&*shown.etag) == etag && shown.until >= purge.begun)
    }
}

/// Whether the rows say that the page was purged.
fn is_marked(look: &Look, gone: bool) -> bool {
    let alone =
        look.meta.as_ref().is_some_and(|meta| meta.stale_since_ms.is_some() && meta.revalidate_seconds == 0);
    look.is_gone() || (!gone && (alone || look.is_purged_stale()))
}
