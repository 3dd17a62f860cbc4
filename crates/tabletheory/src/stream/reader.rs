//! Reading a stream from any store: shard after shard, parents before children, batch by batch. There is no task behind
//! it: everything happens while the caller waits for the next batch.

mod backoff;
mod lane;
mod shards;
mod walk;

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::store::op::DescribeTable;
use tabletheory_core::sys::{SystemClock, SystemEntropy};
use tabletheory_core::{Clock, Entropy, Store, StoreExt, Timestamp};
use tokio::time::sleep;

use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::error::ReadError;
use super::settings::ReadSettings;
use walk::Walk;

/// The wait before asking again when there is more to come: DynamoDB answers five times a second for each shard.
const BUSY_PAUSE: Duration = Duration::from_millis(200);
/// No wait is shorter, so that other tasks of the thread get their turn whatever the settings say.
const PAUSE_MIN: Duration = Duration::from_millis(1);

/// Reads a stream, from any [`Store`] and from wherever a [`Checkpoint`] says.
///
/// - The records of an item come in order, also when its shard was split: parents are read before their children.
/// - Dropping the future of [`next`](Self::next) or [`try_next`](Self::try_next) loses nothing. The reader moves on in the
///   moment in which it hands out a batch.
/// - Iterators that expired are replaced. Records that the stream dropped before they were read are told by
///   [`Batch::gap`].
/// - Two readers of one stream each get every record.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::stream::Reader;
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyType, StreamView};
/// use tabletheory_core::store::op::{CreateTable, PutItem};
/// use tabletheory_core::{Item, StoreExt, Value};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(TestStore::new());
/// # let (attributes, keys) = (vec![AttributeDefinition { name: "id".into(), kind: KeyType::S }], vec![KeyElement::hash("id")]);
/// # let billing = tabletheory_core::schema::BillingMode::PayPerRequest;
/// # let table = CreateTable { table: "app".into(), attributes, keys, billing, ..CreateTable::default() };
/// store.create_table(CreateTable { stream: Some(StreamView::NewImage), ..table }).await?;
/// let put = |id: &str| PutItem {
///     table: "app".into(), item: Item::from([("id", Value::s(id))]), ..PutItem::default()
/// };
/// store.put_item(put("a")).await?;
///
/// let mut reader = Reader::of_table(store.clone(), "app").await?;
/// let batch = reader.next().await?.expect("the stream has not ended");
/// assert_eq!(batch.records.len(), 1);
/// let kept = serde_json::to_string(reader.checkpoint())?;
///
/// store.put_item(put("b")).await?;
/// let mut reader = Reader::of_table(store, "app").await?.resume(serde_json::from_str(&kept)?)?;
/// let batch = reader.next().await?.expect("the stream has not ended");
/// assert_eq!(batch.records[0].keys.get("id"), Some(&Value::s("b")));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Reader {
    walk: Walk,
    entropy: Arc<dyn Entropy>,
    settings: ReadSettings,
}

impl Reader {
    /// A reader of the stream with this resource name, from the oldest record that the stream keeps.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// let reader = Reader::new(Arc::new(TestStore::new()), "arn:aws:dynamodb:local:000000000000:table/app/stream/2024");
    /// assert!(reader.checkpoint().shards.is_empty());
    /// ```
    #[must_use]
    pub fn new(store: Arc<dyn Store>, stream: impl Into<String>) -> Self {
        Self {
            walk: Walk::new(store, Arc::new(SystemClock), Checkpoint::new(stream)),
            entropy: Arc::new(SystemEntropy),
            settings: ReadSettings::default(),
        }
    }

    /// A reader of a table's stream, from the oldest record that the stream keeps. A stream that was turned off can be read
    /// for a day.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::{ReadError, Reader};
    /// # use tabletheory::lease::LeaseSettings;
    /// # use tabletheory::testing::TestStore;
    /// # use tabletheory_core::StoreExt;
    /// # futures_executor::block_on(async {
    /// let store = Arc::new(TestStore::new());
    /// store.create_table(LeaseSettings::default().create_table("leases")).await?;
    /// let refused = Reader::of_table(store, "leases").await.unwrap_err();
    /// assert_eq!(refused, ReadError::NoStream { table: "leases".into() });
    /// # Ok::<(), tabletheory_core::StoreError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ReadError::NoStream`], and [`ReadError::Store`].
    pub async fn of_table(store: Arc<dyn Store>, table: impl Into<String>) -> Result<Self, ReadError> {
        let table = table.into();
        let described = store.describe_table(DescribeTable { table: table.clone() }).await?;
        let Some(stream) = described.table.stream else { return Err(ReadError::NoStream { table }) };
        Ok(Self::new(store, stream.arn))
    }

    /// From the newest record on: what happened before the first answer of [`next`](Self::next) or
    /// [`try_next`](Self::try_next) is not read.
    ///
    /// A reader that [resumes](Self::resume) a checkpoint with positions goes on from them instead, whichever of the two
    /// is said first. As long as a shard gave no record, its checkpoint is a moment of this reader's clock; whoever goes on from there may also get records of the five minutes
    /// before it, in case the clocks differ.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// let reader = Reader::new(Arc::new(TestStore::new()), "arn").from_newest();
    /// assert!(!reader.is_finished());
    /// ```
    #[must_use]
    pub fn from_newest(mut self) -> Self {
        self.walk.from_newest = self.walk.checkpoint.shards.is_empty();
        self
    }

    /// From where the checkpoint was made.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::{Checkpoint, ReadError, Reader};
    /// # use tabletheory::testing::TestStore;
    /// let mut checkpoint = Checkpoint::new("arn");
    /// checkpoint.advance("shardId-1", "17");
    /// let reader = Reader::new(Arc::new(TestStore::new()), "arn").resume(checkpoint.clone())?;
    /// assert_eq!(*reader.checkpoint(), checkpoint);
    /// let other = Reader::new(Arc::new(TestStore::new()), "arn of another").resume(checkpoint);
    /// assert!(matches!(other, Err(ReadError::OtherStream { .. })));
    /// # Ok::<(), ReadError>(())
    /// ```
    ///
    /// # Errors
    /// [`ReadError::OtherStream`]. The stream of the checkpoint, if it ended within a day, can be read to its end with a
    /// reader of its own before the new one is begun.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Result<Self, ReadError> {
        let stream = &self.walk.checkpoint.stream;
        if checkpoint.stream != *stream {
            return Err(ReadError::OtherStream { stream: stream.clone(), checkpoint: checkpoint.stream });
        }
        self.walk.resume(checkpoint);
        Ok(self)
    }

    /// With other settings.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::{ReadSettings, Reader};
    /// # use tabletheory::testing::TestStore;
    /// let settings = ReadSettings { records_max: 10, ..ReadSettings::default() };
    /// let reader = Reader::new(Arc::new(TestStore::new()), "arn").with_settings(settings);
    /// assert!(format!("{reader:?}").contains("records_max: 10"));
    /// ```
    #[must_use]
    pub fn with_settings(mut self, settings: ReadSettings) -> Self {
        self.settings = settings;
        self
    }

    /// With another clock, which [`from_newest`](Self::from_newest) looks at.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// let store = Arc::new(TestStore::new());
    /// let clock = store.clock();
    /// let reader = Reader::new(store, "arn").with_clock(clock).from_newest();
    /// assert!(reader.checkpoint().shards.is_empty());
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.walk.clock = clock;
        self
    }

    /// How far the stream was read: up to the end of the last batch that was handed out.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// assert_eq!(Reader::new(Arc::new(TestStore::new()), "arn").checkpoint().stream, "arn");
    /// ```
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.walk.checkpoint
    }

    /// Whether the stream has ended and was read to its end.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// assert!(!Reader::new(Arc::new(TestStore::new()), "arn").is_finished());
    /// ```
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.walk.is_finished()
    }

    /// The next records, when there are some; none when the stream has ended and was read to its end. Throttling and
    /// stores that do not answer are waited out, as the [settings](ReadSettings) say. Needs a tokio runtime with time.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::LeaseSettings;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::schema::StreamView;
    /// # use tabletheory_core::store::op::{CreateTable, StreamUpdate, UpdateTable};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let store = Arc::new(TestStore::new());
    /// # let table = LeaseSettings::default().create_table("app");
    /// # store.create_table(CreateTable { stream: Some(StreamView::KeysOnly), ..table }).await?;
    /// # let (table, stream) = ("app".into(), Some(StreamUpdate::Disable));
    /// # store.update_table(UpdateTable { table, stream, ..UpdateTable::default() }).await?;
    /// let mut reader = Reader::of_table(store, "app").await?;
    /// while let Some(batch) = reader.next().await? {
    ///     println!("{} things happened", batch.records.len());
    /// }
    /// assert!(reader.is_finished());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ReadError::Store`]. The reader stands where it stood and can be asked again.
    pub async fn next(&mut self) -> Result<Option<Batch>, ReadError> {
        let pause = self.settings.pause;
        self.next_unless(pause, Walk::is_finished).await
    }

    /// The next records, as [`next`](Self::next) gives them; none when everything that happened before this moment was read. For an
    /// open shard that is when it gave a record of that moment or later, or as many answers without one as
    /// [`tip_answers`](ReadSettings::tip_answers) says.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::LeaseSettings;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// # use tabletheory_core::{Clock, StoreExt};
    /// # use tabletheory_core::schema::StreamView;
    /// # use tabletheory_core::store::op::CreateTable;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let store = Arc::new(TestStore::new());
    /// # let table = LeaseSettings::default().create_table("app");
    /// # store.create_table(CreateTable { stream: Some(StreamView::KeysOnly), ..table }).await?;
    /// let now = store.clock().now();
    /// let mut reader = Reader::of_table(store, "app").await?;
    /// while let Some(batch) = reader.next_until(now).await? {
    ///     println!("{} things had happened", batch.records.len());
    /// }
    /// assert!(!reader.is_finished(), "more may happen");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ReadError::Store`]. The reader stands where it stood and can be asked again.
    pub async fn next_until(&mut self, moment: Timestamp) -> Result<Option<Batch>, ReadError> {
        let (pause, tip_answers) = (self.settings.pause.min(BUSY_PAUSE), self.settings.tip_answers);
        let is_over = |walk: &Walk| walk.is_finished() || walk.has_reached(moment, tip_answers);
        // A stream that always has more is left where every shard has passed the moment.
        let batch = if is_over(&self.walk) { None } else { self.next_unless(pause, is_over).await? };
        if batch.is_none() {
            self.walk.count_anew();
        }
        Ok(batch)
    }

    /// The next records, unless it is over.
    async fn next_unless(
        &mut self,
        pause: Duration,
        is_over: impl Fn(&Walk) -> bool,
    ) -> Result<Option<Batch>, ReadError> {
        let mut failures = 0;
        loop {
            let wait = match self.try_next().await {
                Ok(Some(batch)) => return Ok(Some(batch)),
                Ok(None) if is_over(&self.walk) => return Ok(None),
                Ok(None) => {
                    failures = 0;
                    if self.walk.is_busy() { pause.min(BUSY_PAUSE) } else { pause }
                }
                Err(ReadError::Store(error)) if backoff::may_pass(&error) => {
                    failures += 1;
                    if failures >= self.settings.attempts {
                        return Err(error.into());
                    }
                    backoff::wait(failures, self.settings.backoff_max, &*self.entropy)
                }
                Err(error) => return Err(error),
            };
            sleep(wait.max(PAUSE_MIN)).await;
        }
    }

    /// Whether records may be missing that no [batch](Batch::gap) has told of, because none has come since. It is told once.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::Reader;
    /// # use tabletheory::testing::TestStore;
    /// assert!(!Reader::new(Arc::new(TestStore::new()), "arn").take_gap());
    /// ```
    pub fn take_gap(&mut self) -> bool {
        self.walk.take_gap()
    }

    /// The next records, if there are some now. Every shard is asked at most once, and nothing is waited for.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::stream::{ReadError, Reader};
    /// # use tabletheory::testing::TestStore;
    /// let mut reader = Reader::new(Arc::new(TestStore::new()), "arn of nothing");
    /// let answer = futures_executor::block_on(reader.try_next());
    /// assert!(matches!(answer, Err(ReadError::Store(_))));
    /// ```
    ///
    /// # Errors
    /// [`ReadError::Store`]. The reader stands where it stood and can be asked again.
    pub async fn try_next(&mut self) -> Result<Option<Batch>, ReadError> {
        Ok(self.walk.look(self.settings.records_max).await?)
    }
}
