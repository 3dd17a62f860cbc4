//! Following the streams of a table: read a batch, archive it, note how far it was read. What was not noted comes again and is not
//! written twice, so it may be stopped or killed at any moment.

use std::sync::Arc;
use std::time::Duration;

use tabletheory::stream::{Batch, Checkpoint, ReadSettings, Reader};
use tabletheory_core::{Store, Timestamp};
use tokio::time::Instant;

use crate::archive::Archive;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::settings::ArchiveSettings;
use crate::source::Source;

/// As long as nothing is archived, it is noted only so often how far the stream was read.
const NOTE_EVERY: Duration = Duration::from_secs(5);

/// Archives what a table's time to live removes, from the oldest record on or from where an earlier follower stopped.
///
/// Dropping a future of it loses nothing. Two followers of one table do no harm: each object is written once.
///
/// ```
/// use std::sync::Arc;
///
/// use object_store::memory::InMemory;
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, StreamView};
/// use tabletheory_core::store::op::{CreateTable, PutItem, UpdateTimeToLive};
/// use tabletheory_core::{Item, Seconds, StoreExt, Value};
/// use theory_archive::{Archive, Follower};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(TestStore::new());
/// # let (attributes, keys) = (vec![AttributeDefinition { name: "id".into(), kind: KeyType::S }], vec![KeyElement::hash("id")]);
/// # let billing = BillingMode::PayPerRequest;
/// # let table = CreateTable { table: "app".into(), attributes, keys, billing, ..CreateTable::default() };
/// store.create_table(CreateTable { stream: Some(StreamView::OldImage), ..table }).await?;
/// # let (table, attribute) = ("app".into(), "ends".into());
/// store.update_time_to_live(UpdateTimeToLive { table, attribute, enabled: true }).await?;
/// let item = Item::from([("id", Value::s("a")), ("ends", Value::n(1_704_067_260))]);
/// store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
/// store.advance(Seconds(3600));
///
/// let archive = Archive::new(Arc::new(InMemory::new()), "ttl-archive");
/// let mut follower = Follower::open(archive, store, "app").await?;
/// let progress = follower.try_next().await?.expect("the item was removed");
/// assert_eq!(progress.outcome.archived, 1);
/// assert!(follower.try_next().await?.is_none());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Follower {
    archive: Archive,
    source: Source,
    reader: Reader,
    settings: ReadSettings,
    /// A batch that was handed out and is not archived yet.
    pending: Option<Batch>,
    /// What came of a batch that is archived and that nobody was told of yet.
    untold: Option<Progress>,
    /// What was noted last, and when.
    noted: Checkpoint,
    noted_at: Instant,
    /// Whether records may be missing that nobody was told of yet.
    gap: bool,
}

/// What came of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Progress {
    /// What was archived. There is no failure in it: that is an error here.
    pub outcome: Outcome,
    /// Whether records before these may be missing, because the stream drops them after a day. Items that were removed then are
    /// not archived.
    pub gap: bool,
    /// When the last record of the batch happened.
    pub reached: Timestamp,
}

impl Follower {
    /// Looks at the table and its stream, at the archive, and at how far the stream was read. Notes that again, so that an archive
    /// that cannot be written is told now.
    ///
    /// # Errors
    /// What is not fit: [`Error::Table`], [`Error::NoStream`], [`Error::NoOldImages`],
    /// [`Error::Objects`], [`Error::Checkpoint`].
    pub async fn open(archive: Archive, store: Arc<dyn Store>, table: &str) -> Result<Self, Error> {
        let mut source = Source::open(store, table).await?;
        let ttl_attribute = source.ttl_attribute.clone().or_else(|| archive.settings.ttl_attribute.clone());
        let settings = ArchiveSettings { ttl_attribute, ..archive.settings.clone() };
        let archive = archive.with_settings(settings);
        let stream = source.streams.pop_front().expect("the newest stream was found fit");
        let settings = ReadSettings::default();
        let reader = resumed(&archive, &source, stream, &settings).await?;
        archive.note(table, reader.checkpoint()).await?;
        let (noted, noted_at) = (reader.checkpoint().clone(), Instant::now());
        Ok(Self {
            archive,
            source,
            reader,
            settings,
            pending: None,
            untold: None,
            noted,
            noted_at,
            gap: false,
        })
    }

    /// Looks whether a table is fit to be followed, and changes nothing.
    ///
    /// # Errors
    /// What is not fit: [`Error::Table`], [`Error::NoStream`], [`Error::NoOldImages`].
    pub async fn look(store: Arc<dyn Store>, table: &str) -> Result<(), Error> {
        Source::open(store, table).await.map(drop)
    }

    /// With other settings of reading.
    #[must_use]
    pub fn with_settings(mut self, settings: ReadSettings) -> Self {
        self.reader = self.reader.with_settings(settings.clone());
        self.settings = settings;
        self
    }

    /// The attribute by which items of the table expire, if they do.
    #[must_use]
    pub fn ttl_attribute(&self) -> Option<&str> {
        self.source.ttl_attribute.as_deref()
    }

    /// Archives the next records, when there are some; none when the stream was turned off and all of it is archived.
    ///
    /// # Errors
    /// [`Error`]. The same records are archived by the next call.
    pub async fn next(&mut self) -> Result<Option<Progress>, Error> {
        loop {
            if !self.is_pending() {
                self.pending = self.reader.next().await?;
            }
            if self.is_pending() {
                return self.archive_pending().await;
            }
            if !self.turn_to_next_stream().await? {
                return Ok(None);
            }
        }
    }

    /// Archives the next records, if there are some now.
    ///
    /// # Errors
    /// [`Error`]. The same records are archived by the next call.
    pub async fn try_next(&mut self) -> Result<Option<Progress>, Error> {
        loop {
            if !self.is_pending() {
                self.pending = self.reader.try_next().await?;
            }
            if self.is_pending() {
                return self.archive_pending().await;
            }
            if !self.reader.is_finished() || !self.turn_to_next_stream().await? {
                return Ok(None);
            }
        }
    }

    /// Archives the next records, as [`next`](Self::next) does; none when everything that happened before this moment is archived, as
    /// far as the stream tells ([`ReadSettings::tip_answers`]).
    ///
    /// # Errors
    /// [`Error`]. The same records are archived by the next call.
    pub async fn next_until(&mut self, moment: Timestamp) -> Result<Option<Progress>, Error> {
        loop {
            if !self.is_pending() {
                self.pending = self.reader.next_until(moment).await?;
            }
            if self.is_pending() {
                return self.archive_pending().await;
            }
            if !self.reader.is_finished() || !self.turn_to_next_stream().await? {
                return Ok(None);
            }
        }
    }

    /// Whether records may be missing that no [progress](Progress::gap) has told of, because none has come since. It is told once.
    pub fn take_gap(&mut self) -> bool {
        self.reader.take_gap() | std::mem::take(&mut self.gap)
    }

    /// Archives records that were read and are not archived yet, if there are such, and notes how far the stream was read.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn settle(&mut self) -> Result<Option<Progress>, Error> {
        let progress = self.archive_pending().await?;
        self.note().await?;
        Ok(progress)
    }

    /// Notes how far the stream was read, if that is not noted yet. Without it the next follower reads a little again.
    ///
    /// # Errors
    /// [`Error::Objects`].
    pub async fn note(&mut self) -> Result<(), Error> {
        // The reader is ahead of a batch that is not archived yet.
        if self.pending.is_none() && *self.reader.checkpoint() != self.noted {
            self.archive.note(&self.source.table, self.reader.checkpoint()).await?;
            (self.noted, self.noted_at) = (self.reader.checkpoint().clone(), Instant::now());
        }
        Ok(())
    }

    /// The batch stays where it is until all of it is archived, and what came of it until it is told: this future may be dropped.
    async fn archive_pending(&mut self) -> Result<Option<Progress>, Error> {
        if let Some(batch) = &self.pending {
            let stream = &self.reader.checkpoint().stream;
            let mut outcome = self.archive.archive(Some(stream), &batch.records).await;
            if let Some(failure) = outcome.failure.take() {
                return Err(Error::Record(Box::new(failure)));
            }
            let reached = batch.records.last().map_or(Timestamp::from_millis(0), |record| record.at);
            let gap = batch.gap | std::mem::take(&mut self.gap);
            self.untold = Some(Progress { gap, outcome, reached });
            self.pending = None;
        }
        let Some(untold) = &self.untold else { return Ok(None) };
        let has_written = untold.outcome.archived + untold.outcome.dead > 0;
        if has_written || self.noted_at.elapsed() >= NOTE_EVERY {
            self.note().await?;
        }
        Ok(self.untold.take())
    }

    /// Whether there are records to archive, or to tell of.
    fn is_pending(&self) -> bool {
        self.pending.is_some() || self.untold.is_some()
    }

    /// The stream has ended. The next one is another that has ended since, or the one that the table has by now.
    async fn turn_to_next_stream(&mut self) -> Result<bool, Error> {
        self.note().await?;
        let stream = self.source.next_stream().await?;
        let Some(stream) = stream else { return Ok(false) };
        let reader = resumed(&self.archive, &self.source, stream, &self.settings).await?;
        self.gap |= self.reader.take_gap();
        (self.noted, self.reader) = (reader.checkpoint().clone(), reader);
        self.source.streams.pop_front();
        Ok(true)
    }
}

/// A reader of the stream, from where it was read to or from its oldest record.
async fn resumed(
    archive: &Archive,
    source: &Source,
    stream: String,
    settings: &ReadSettings,
) -> Result<Reader, Error> {
    let checkpoint = archive.checkpoint(&source.table, &stream).await?;
    let reader = Reader::new(Arc::clone(&source.store), stream).with_settings(settings.clone());
    match checkpoint {
        Some(checkpoint) => Ok(reader.resume(checkpoint)?),
        None => Ok(reader),
    }
}
