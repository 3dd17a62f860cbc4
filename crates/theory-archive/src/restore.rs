//! Putting archived items back into a table, as they were. Days are walked from the newest to the oldest, so of an item that was
//! archived several times the newest one is restored.

mod choice;
mod target;

use std::collections::HashSet;
use std::collections::hash_map::{Entry as Slot, HashMap};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use tabletheory_core::{Clock, Item, Store};

use crate::archive::Archive;
use crate::day::Day;
use crate::entry::{Entry, Order};
use crate::error::{self, Error};
use crate::layout::Identity;
use crate::list::{Listed, Shelf};

pub use choice::{RestoreSettings, Ttl};
use target::{Put, Target};

/// Items of a day that are kept in memory between looking and writing; what is beyond is read again.
const KEPT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// So many other tables are named.
const OTHERS_MAX: usize = 5;

/// What came of a restoration.
///
/// ```
/// assert_eq!(theory_archive::Restored::default().restored, 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// Items that were put into the table, or would be.
    pub restored: u64,
    /// Items that are there exactly so.
    pub present: u64,
    /// Items whose key is in use by now; what is there is newer, and stays.
    pub newer: u64,
    /// Archived items of which a later one was archived as well.
    pub superseded: u64,
    /// Objects that cannot be read, and items that the table refuses.
    pub refused: u64,
    /// Archived items of other tables.
    pub of_others: u64,
}

/// Something that is told while items are restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum Told<'a> {
    /// This day is looked at.
    Day(Day),
    /// So far this came of it.
    Progress(&'a Restored),
    /// An object cannot be restored.
    Refused {
        /// The object.
        place: &'a str,
        /// Why.
        reason: &'a str,
    },
}

/// Restores archived items into a table.
///
/// An item is put only where no item has its key, unless [`RestoreSettings::is_overwriting`]: what is there by now is newer. It
/// may be repeated, and two may restore at once. For each item a few dozen bytes are kept in memory.
///
/// ```
/// use std::sync::Arc;
///
/// use object_store::memory::InMemory;
/// use tabletheory::stream::LambdaEvent;
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
/// use tabletheory_core::store::op::{CreateTable, GetItem};
/// use tabletheory_core::{Item, StoreExt, Value};
/// use theory_archive::{Archive, Restore, RestoreSettings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let archive = Archive::new(Arc::new(InMemory::new()), "");
/// let event = LambdaEvent::parse(r#"{"Records": [{
///     "eventID": "c4ca4238", "eventName": "REMOVE", "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
///     "dynamodb": {
///         "ApproximateCreationDateTime": 1704067260, "SequenceNumber": "17", "StreamViewType": "OLD_IMAGE",
///         "Keys": {"id": {"S": "a"}}, "OldImage": {"id": {"S": "a"}, "n": {"N": "1"}}
///     }
/// }]}"#)?;
/// archive.handle(&event).await;
///
/// let store = Arc::new(TestStore::new());
/// # let (attributes, keys) = (vec![AttributeDefinition { name: "id".into(), kind: KeyType::S }], vec![KeyElement::hash("id")]);
/// # let billing = BillingMode::PayPerRequest;
/// # let create = CreateTable { table: "app".into(), attributes, keys, billing, ..CreateTable::default() };
/// store.create_table(create).await?;
/// let restore = Restore::open(archive, store.clone(), RestoreSettings::new("app"), &*store.clock()).await?;
/// assert_eq!(restore.run(&mut |_| {}).await?.restored, 1);
///
/// let key = Item::from([("id", Value::s("a"))]);
/// let found = store.get_item(GetItem { table: "app".into(), key, ..GetItem::default() }).await?;
/// assert_eq!(found.item.and_then(|item| item.get("n").cloned()), Some(Value::n(1)));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Restore {
    archive: Archive,
    target: Target,
    settings: RestoreSettings,
}

/// The newest archived item of a key, of one day.
struct Candidate {
    order: Order,
    listed: Listed,
    /// The item, if there was room to keep it.
    kept: Option<Item>,
    ttl_attribute: Option<String>,
}

/// A restoration that is under way.
struct Run<'a> {
    restored: Restored,
    /// Keys of which a newer day was restored.
    seen: HashSet<Identity>,
    others: Vec<String>,
    /// The first object whose key did not fit, as long as nothing else was found.
    misfit: Option<Error>,
    has_fitted: bool,
    tell: &'a mut dyn FnMut(Told<'_>),
}

impl Restore {
    /// Looks at the table, and changes nothing.
    ///
    /// # Errors
    /// [`Error::Table`], [`Error::WouldExpire`], [`Error::KeyExpires`].
    pub async fn open(
        archive: Archive,
        store: Arc<dyn Store>,
        settings: RestoreSettings,
        clock: &dyn Clock,
    ) -> Result<Self, Error> {
        let target = Target::open(store, &settings, clock.now()).await?;
        Ok(Self { archive, target, settings })
    }

    /// Restores all items that are meant, and tells of it on the way.
    ///
    /// # Errors
    /// [`Error`]. What was restored by then stays; it can be run again.
    pub async fn run(&self, tell: &mut dyn FnMut(Told<'_>)) -> Result<Restored, Error> {
        let (restored, seen, others) = (Restored::default(), HashSet::new(), Vec::new());
        let mut run = Run { restored, seen, others, misfit: None, has_fitted: false, tell };
        let mut days = self.archive.days(Shelf::Items, &self.settings.days).await?;
        days.reverse();
        for day in days {
            (run.tell)(Told::Day(day));
            let candidates = self.look(day, &mut run).await?;
            if let (false, Some(misfit)) = (run.has_fitted, run.misfit.take()) {
                return Err(misfit);
            }
            self.put_all(candidates, &mut run).await?;
        }
        let found = &run.restored;
        if found.of_others > 0 && !run.has_fitted && found.refused == 0 {
            let (table, others) = (self.settings.source().to_owned(), run.others.join(", "));
            return Err(Error::OtherTables { table, others });
        }
        Ok(run.restored)
    }

    /// Reads a day: the newest archived item of each key that no later day has.
    async fn look(&self, day: Day, run: &mut Run<'_>) -> Result<HashMap<Identity, Candidate>, Error> {
        let concurrency = self.archive.settings.concurrency.max(1);
        let archive = &self.archive;
        let listed = archive.list(Shelf::Items, day);
        let mut read = listed
            .map(|listed| async move {
                let listed = listed?;
                let entry = archive.read(&listed).await;
                Ok::<_, Error>((listed, entry))
            })
            .buffer_unordered(concurrency);
        let (mut candidates, mut kept_bytes) = (HashMap::new(), 0);
        while let Some((listed, entry)) = read.try_next().await? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if concerns_one(&error) => {
                    run.refuse(listed.path.as_ref(), &error::line(&error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let Some(entry) = self.wanted(&listed, entry, run) else { continue };
            let key =
                Identity::of([&serde_json::to_vec(&entry.keys).expect("an item has text for keys")[..]]);
            if run.seen.contains(&key) {
                run.restored.superseded += 1;
                continue;
            }
            kept_bytes += listed.bytes;
            let candidate = Candidate::of(listed, entry, kept_bytes <= KEPT_BYTES_MAX);
            match candidates.entry(key) {
                Slot::Vacant(slot) => drop(slot.insert(candidate)),
                Slot::Occupied(mut slot) => {
                    run.restored.superseded += 1;
                    let slot: &mut Candidate = slot.get_mut();
                    if slot.order < candidate.order {
                        *slot = candidate;
                    }
                }
            }
        }
        Ok(candidates)
    }

    /// The entry, if it is meant and fits.
    fn wanted(&self, listed: &Listed, entry: Entry, run: &mut Run<'_>) -> Option<Entry> {
        if let Some(table) = entry.table().filter(|table| *table != self.settings.source()) {
            run.restored.of_others += 1;
            if run.others.len() < OTHERS_MAX && !run.others.iter().any(|known| known == table) {
                run.others.push(table.to_owned());
            }
            return None;
        }
        if self.settings.key.as_ref().is_some_and(|key| *key != entry.keys) {
            run.has_fitted = true;
            return None;
        }
        match self.target.misfit(listed.path.as_ref(), &entry) {
            None => {
                run.has_fitted = true;
                Some(entry)
            }
            Some(misfit) => {
                run.refuse(listed.path.as_ref(), &misfit.to_string());
                run.misfit.get_or_insert(misfit);
                None
            }
        }
    }

    /// Puts the items of a day.
    async fn put_all(
        &self,
        candidates: HashMap<Identity, Candidate>,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        run.seen.extend(candidates.keys().copied());
        let concurrency = self.archive.settings.concurrency.max(1);
        let works = candidates.into_values().map(|candidate| async move {
            let place = candidate.listed.path.to_string();
            (place, self.put(candidate).await)
        });
        let mut works = stream::iter(works).buffer_unordered(concurrency);
        while let Some((place, put)) = works.next().await {
            match put {
                Ok(Put::Restored) => run.restored.restored += 1,
                Ok(Put::Present) => run.restored.present += 1,
                Ok(Put::Newer) => run.restored.newer += 1,
                Ok(Put::Refused(reason)) => run.refuse(&place, &reason),
                Err(error) if concerns_one(&error) => run.refuse(&place, &error::line(&error)),
                Err(error) => return Err(error),
            }
            (run.tell)(Told::Progress(&run.restored));
        }
        Ok(())
    }

    async fn put(&self, candidate: Candidate) -> Result<Put, Error> {
        let item = match candidate.kept {
            Some(item) => item,
            None => self.archive.read(&candidate.listed).await?.item,
        };
        self.target.put(item, candidate.ttl_attribute.as_deref()).await
    }
}

impl Candidate {
    fn of(listed: Listed, entry: Entry, is_kept: bool) -> Self {
        let order = entry.order();
        Self { order, listed, kept: is_kept.then_some(entry.item), ttl_attribute: entry.ttl_attribute }
    }
}

impl Run<'_> {
    fn refuse(&mut self, place: &str, reason: &str) {
        self.restored.refused += 1;
        (self.tell)(Told::Refused { place, reason });
    }
}

/// Whether an error is about one object, and others may be read: it was deleted or changed, or it lies where it cannot be read now.
fn concerns_one(error: &Error) -> bool {
    use object_store::Error::{NotFound, NotSupported, PermissionDenied};
    match error {
        Error::NotAnEntry { .. } => true,
        Error::Objects { source, .. } => {
            matches!(source, NotFound { .. } | NotSupported { .. } | PermissionDenied { .. })
        }
        _ => false,
    }
}
