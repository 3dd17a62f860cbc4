//! The archive: records of a stream go in, and each removal by time to live becomes one object.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use tabletheory::stream::{LambdaEvent, Removal};
use tabletheory_core::store::op::{EventName, StreamRecord};
use tokio::time::{Instant, timeout_at};

use crate::dead_letter;
use crate::entry::Entry;
use crate::error::{self, Error, Failure};
use crate::layout::Layout;
use crate::objects::{self, Place};
use crate::outcome::{Kept, Outcome};
use crate::patience::try_again;
use crate::settings::ArchiveSettings;

/// An archive in an object store. Clones are the same archive.
///
/// - Each removal is one object, `{prefix}/{YYYY}/{MM}/{DD}/{event}.json`, under the day of the removal in UTC. A record that comes again,
///   also to another archiver, finds its object and writes none.
/// - What is archived is durable when the call returns, as far as the object store promises that.
/// - Records that are not removals by time to live are passed over.
/// - A removal that cannot be archived, such as one without the item, is kept under `{prefix}/dead-letters` with the reason.
///
/// ```
/// use std::sync::Arc;
///
/// use object_store::memory::InMemory;
/// use tabletheory::stream::LambdaEvent;
/// use theory_archive::{Archive, ArchiveSettings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = ArchiveSettings { ttl_attribute: Some("ends".into()), ..ArchiveSettings::default() };
/// let archive = Archive::new(Arc::new(InMemory::new()), "ttl-archive").with_settings(settings);
/// let event = LambdaEvent::parse(r#"{"Records": [{
///     "eventID": "c4ca4238", "eventName": "REMOVE", "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
///     "dynamodb": {
///         "ApproximateCreationDateTime": 1704067260, "SequenceNumber": "17", "StreamViewType": "OLD_IMAGE",
///         "Keys": {"id": {"S": "a"}}, "OldImage": {"id": {"S": "a"}, "ends": {"N": "1704067200"}}
///     }
/// }]}"#)?;
/// let outcome = archive.handle(&event).await;
/// assert_eq!((outcome.archived, outcome.present), (1, 0));
/// // Lambda calls again, because an answer was lost.
/// let outcome = archive.handle(&event).await;
/// assert_eq!((outcome.archived, outcome.present), (0, 1));
/// assert_eq!(serde_json::to_string(&outcome.failures())?, r#"{"batchItemFailures":[]}"#);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Archive {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) layout: Layout,
    pub(crate) settings: ArchiveSettings,
}

impl Archive {
    /// The archive below this prefix, which may be empty.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use object_store::memory::InMemory;
    /// let archive = theory_archive::Archive::new(Arc::new(InMemory::new()), "ttl-archive");
    /// assert_eq!(archive.settings().concurrency, 25);
    /// ```
    #[must_use]
    pub fn new(store: Arc<dyn ObjectStore>, prefix: impl Into<Path>) -> Self {
        Self { store, layout: Layout::new(prefix.into()), settings: ArchiveSettings::default() }
    }

    /// With other settings.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use object_store::memory::InMemory;
    /// # use theory_archive::{Archive, ArchiveSettings};
    /// let settings = ArchiveSettings { concurrency: 4, ..ArchiveSettings::default() };
    /// let archive = Archive::new(Arc::new(InMemory::new()), "").with_settings(settings);
    /// assert_eq!(archive.settings().concurrency, 4);
    /// ```
    #[must_use]
    pub fn with_settings(mut self, settings: ArchiveSettings) -> Self {
        self.settings = settings;
        self
    }

    /// How it writes.
    #[must_use]
    pub fn settings(&self) -> &ArchiveSettings {
        &self.settings
    }

    /// Archives the records that Lambda calls a function with. The function's answer is [`Outcome::failures`].
    pub async fn handle(&self, event: &LambdaEvent) -> Outcome {
        self.archive(event.stream.as_deref(), &event.records).await
    }

    /// As [`handle`](Self::handle), up to this moment: the first record that is not archived by then has [failed](Error::OutOfTime),
    /// and those before it are archived. Lambda then calls again from that record on, and not from the first.
    pub async fn handle_until(&self, event: &LambdaEvent, deadline: Instant) -> Outcome {
        self.archive_until(event.stream.as_deref(), &event.records, Some(deadline)).await
    }

    /// Archives records of a stream, in order, up to the first that fails for now. Those before it are archived; it and those
    /// behind it are to come again.
    pub async fn archive(&self, stream: Option<&str>, records: &[StreamRecord]) -> Outcome {
        self.archive_until(stream, records, None).await
    }

    async fn archive_until(
        &self,
        stream: Option<&str>,
        records: &[StreamRecord],
        deadline: Option<Instant>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let works = records.iter().map(|record| async move {
            let kept = match deadline {
                None => self.keep(stream, record).await,
                Some(deadline) => timeout_at(deadline, self.keep(stream, record))
                    .await
                    .unwrap_or_else(|_| Err(Error::OutOfTime { sequence: record.sequence.clone() })),
            };
            (record, kept)
        });
        let mut works = stream::iter(works).buffered(self.settings.concurrency.max(1));
        while let Some((record, kept)) = works.next().await {
            match kept {
                Ok(kept) => outcome.count(kept),
                Err(source) => {
                    let (sequence, event_id) = (record.sequence.clone(), record.event_id.clone());
                    outcome.failure = Some(Failure { sequence, event_id, source });
                    break;
                }
            }
        }
        outcome
    }

    async fn keep(&self, stream: Option<&str>, record: &StreamRecord) -> Result<Kept, Error> {
        if !is_expiry(record) {
            return Ok(Kept::Passed);
        }
        let ttl_attribute = self.settings.ttl_attribute.as_deref();
        let entry = match Entry::of(record, stream, ttl_attribute) {
            Ok(entry) => entry,
            Err(reason) => {
                self.bury(stream, record, &reason.to_string()).await?;
                return Ok(Kept::Dead);
            }
        };
        let place = self.layout.object(entry.day(), &entry.event_id);
        match try_again(&self.settings, || self.write(&entry)).await {
            Ok(kept) => Ok(kept),
            Err(error) => {
                let refused = Error::objects("written", &place, error);
                self.give_up(stream, record, &entry, refused).await
            }
        }
    }

    /// Writes the object of a removal, unless it is there. Another removal may have its name: engines number their records, and two
    /// of them may give one archive the same identifier. It then gets a name of its own.
    async fn write(&self, entry: &Entry) -> Result<Kept, object_store::Error> {
        let (day, bytes) = (entry.day(), entry.to_bytes());
        let is_same = |found: &[u8]| Entry::parse(found).is_ok_and(|found| found.is_same_removal(entry));
        match objects::put_once(&self.store, &self.layout.object(day, &entry.event_id), &bytes).await? {
            Place::Written => return Ok(Kept::Archived),
            Place::Taken(found) if is_same(&found) => return Ok(Kept::Present),
            Place::Taken(_) => {}
        }
        let twin = self.layout.twin(day, &entry.event_id, &entry.identity());
        match objects::put_once(&self.store, &twin, &bytes).await? {
            Place::Written => Ok(Kept::Archived),
            Place::Taken(found) if is_same(&found) => Ok(Kept::Present),
            // Somebody changed the object, or it was torn: its name says what it was.
            Place::Taken(_) => self.store.put(&twin, bytes.into()).await.map(|_| Kept::Archived),
        }
    }

    /// A removal could not be written. If the object store takes its dead letter and still not the removal, the record is the
    /// reason and holds up nobody; if it takes neither, the store is, and the record comes again.
    async fn give_up(
        &self,
        stream: Option<&str>,
        record: &StreamRecord,
        entry: &Entry,
        refused: Error,
    ) -> Result<Kept, Error> {
        let Ok(letter) = self.bury(stream, record, &error::line(&refused)).await else { return Err(refused) };
        match self.write(entry).await {
            Ok(kept) => {
                // It was the store after all. A letter that cannot be deleted now says too much, which does no harm.
                let _ = self.store.delete(&letter).await;
                Ok(kept)
            }
            Err(_) => Ok(Kept::Dead),
        }
    }

    /// Writes the dead letter of a record. One that comes again replaces its own.
    async fn bury(&self, stream: Option<&str>, record: &StreamRecord, reason: &str) -> Result<Path, Error> {
        let letter = dead_letter::place(&self.layout, record, stream);
        let text = dead_letter::text(record, stream, reason);
        let put = try_again(&self.settings, || self.store.put(&letter, text.clone().into())).await;
        put.map_err(|error| Error::objects("written", &letter, error))?;
        Ok(letter)
    }
}

/// Whether time to live removed an item.
fn is_expiry(record: &StreamRecord) -> bool {
    record.event == EventName::Remove && Removal::of(record.identity.as_ref()) == Removal::TimeToLive
}
