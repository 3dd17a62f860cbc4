//! The walk through a stream: list the shards, give each a place, read them in turn. Between two awaits the walk is always
//! whole, so a caller may stop waiting at any of them.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::store::op::{
    DescribeStream, GetRecords, GetRecordsOutput, GetShardIterator, StreamStatus,
};
use tabletheory_core::{Clock, Store, StoreError, StoreExt, Timestamp};
use tokio::time::Instant;

use super::shards::{Listing, Shards};
use crate::stream::batch::Batch;
use crate::stream::checkpoint::{Checkpoint, Position};

/// How long a list of shards is good for. A shard that ends makes a new list due at once.
const LISTING: Duration = Duration::from_secs(30);
/// How long a list is good for that does not show yet where a shard that ended goes on.
const LISTING_SHORT: Duration = Duration::from_secs(1);
/// A shard that ended so long ago and has no children in the list is taken to have none.
const CHILDLESS: Duration = Duration::from_secs(10);
/// How many iterators are tried for one read: one may be too old, and its successor may begin at a record that is gone.
const ITERATORS_MAX: usize = 3;

/// A walk through a stream.
#[derive(Debug)]
pub(super) struct Walk {
    store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) checkpoint: Checkpoint,
    /// Whether the first list of shards shall be read from its newest records on.
    pub(super) from_newest: bool,
    shards: Shards,
    /// When the shards were listed, if that is still good.
    listed_at: Option<Instant>,
    /// Whether records may be missing before the next batch.
    gap: bool,
    /// Whether the last look ended before what is known to come.
    busy: bool,
}

/// What reading a shard once came to.
enum Page {
    Records(Batch),
    Nothing,
    End,
}

impl Walk {
    pub(super) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, checkpoint: Checkpoint) -> Self {
        let (shards, listed_at) = (Shards::default(), None);
        let (from_newest, gap, busy) = (false, false, false);
        Self { store, clock, checkpoint, from_newest, shards, listed_at, gap, busy }
    }

    /// Goes on from a checkpoint. What was learnt on the way here does not matter there.
    pub(super) fn resume(&mut self, checkpoint: Checkpoint) {
        *self = Self::new(Arc::clone(&self.store), Arc::clone(&self.clock), checkpoint);
    }

    /// Whether the stream has ended and was read to its end.
    pub(super) fn is_finished(&self) -> bool {
        self.listed_at.is_some() && self.shards.are_finished(&self.checkpoint)
    }

    /// Whether everything before this moment was read, as far as that can be told. The children of a shard that ended may hold
    /// some of it, and are waited for as long as a stream may take to list them.
    pub(super) fn has_reached(&self, moment: Timestamp, tip_answers: u32) -> bool {
        let is_listed = self.listed_at.is_some() && !self.shards.await_children(&self.checkpoint, CHILDLESS);
        is_listed && self.shards.have_reached(moment, tip_answers, &self.checkpoint)
    }

    /// From now on answers without records count anew.
    pub(super) fn count_anew(&mut self) {
        self.shards.count_anew();
    }

    /// Whether records may be missing that no batch has told of. It is told once.
    pub(super) fn take_gap(&mut self) -> bool {
        std::mem::take(&mut self.gap)
    }

    /// Whether the last look gave nothing although there is more to come.
    pub(super) fn is_busy(&self) -> bool {
        self.busy
    }

    /// Reads the shards in turn, each once, up to the first that has records.
    pub(super) async fn look(&mut self, records_max: u32) -> Result<Option<Batch>, StoreError> {
        let answer = self.look_around(records_max).await;
        if answer.is_err() {
            // What failed may be about a shard that is gone.
            self.listed_at = None;
        }
        answer
    }

    async fn look_around(&mut self, records_max: u32) -> Result<Option<Batch>, StoreError> {
        self.busy = false;
        self.list_if_due().await?;
        // All shards are placed before the first is read, or the others would begin later than the first.
        while let Some(shard) = self.shards.unplaced() {
            self.place(&shard).await?;
        }
        let mut turns = self.shards.in_turn(&self.checkpoint);
        turns.reverse();
        while let Some(shard) = turns.pop() {
            match self.read(&shard, records_max).await? {
                Page::Records(batch) => {
                    self.shards.pass_turn(&shard);
                    return Ok(Some(batch));
                }
                Page::Nothing => {}
                Page::End => {
                    self.list_if_due().await?;
                    turns.extend(self.shards.children(&shard, &self.checkpoint));
                }
            }
        }
        Ok(None)
    }

    async fn list_if_due(&mut self) -> Result<(), StoreError> {
        let is_short = self.shards.await_children(&self.checkpoint, Duration::MAX);
        let good_for = if is_short { LISTING_SHORT } else { LISTING };
        if self.listed_at.is_none_or(|listed_at| listed_at.elapsed() >= good_for) {
            self.list().await?;
        }
        Ok(())
    }

    async fn list(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let listing = self.listing().await?;
        self.gap |= self.shards.learn(&listing, &mut self.checkpoint);
        if std::mem::take(&mut self.from_newest) {
            self.shards.begin_at_newest(now, &mut self.checkpoint);
        }
        self.listed_at = Some(Instant::now());
        Ok(())
    }

    async fn listing(&self) -> Result<Listing, StoreError> {
        let mut listing = Listing { shards: Vec::new(), status: StreamStatus::Enabled };
        let mut last = None;
        loop {
            let (arn, start_after_shard) = (self.checkpoint.stream.clone(), last.clone());
            let asked = DescribeStream { arn, start_after_shard, ..DescribeStream::default() };
            let page = self.store.describe_stream(asked).await?;
            listing.shards.extend(page.shards);
            listing.status = page.status;
            // A page that ends where it began would be asked for forever.
            if page.last_evaluated_shard.is_none() || page.last_evaluated_shard == last {
                return Ok(listing);
            }
            last = page.last_evaluated_shard;
        }
    }

    /// Gives the shard an iterator, if it is still there.
    async fn place(&mut self, shard: &str) -> Result<Option<String>, StoreError> {
        let position = self.checkpoint.shards.get(shard);
        let Some(lane) = self.shards.lane(shard) else { return Ok(None) };
        let (start, skip_before) = lane.start(position);
        let (arn, id) = (self.checkpoint.stream.clone(), shard.to_owned());
        let given = self.store.get_shard_iterator(GetShardIterator { arn, shard: id, start }).await?;
        lane.placed(given.iterator.clone(), skip_before);
        Ok(Some(given.iterator))
    }

    /// Reads the shard once, with another iterator if the one it has is of no use any more.
    async fn read(&mut self, shard: &str, records_max: u32) -> Result<Page, StoreError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let refused = match self.ask(shard, records_max).await {
                Ok(None) => return Ok(Page::Nothing),
                Ok(Some(output)) => return Ok(self.take(shard, output)),
                Err(refused) => refused,
            };
            let Some(lane) = self.shards.lane(shard) else { return Ok(Page::Nothing) };
            match refused {
                StoreError::ExpiredIterator(_) => lane.iterator = None,
                StoreError::TrimmedDataAccess(_) => {
                    lane.fall_back();
                    self.gap = true;
                }
                StoreError::ResourceNotFound(_) => return self.miss(shard, refused).await,
                _ => return Err(refused),
            }
            if tried == ITERATORS_MAX {
                return Err(refused);
            }
        }
    }

    async fn ask(&mut self, shard: &str, records_max: u32) -> Result<Option<GetRecordsOutput>, StoreError> {
        let known = self.shards.lane(shard).and_then(|lane| lane.iterator.clone());
        let iterator = match known {
            Some(iterator) => iterator,
            None => match self.place(shard).await? {
                Some(iterator) => iterator,
                None => return Ok(None),
            },
        };
        let limit = Some(records_max.clamp(1, tabletheory_core::limits::STREAM_RECORDS_MAX));
        self.store.get_records(GetRecords { iterator, limit }).await.map(Some)
    }

    /// A shard was not found. One that the stream has dropped is done with; the stream itself may be gone as well.
    async fn miss(&mut self, shard: &str, refused: StoreError) -> Result<Page, StoreError> {
        self.list().await?;
        if self.shards.lane(shard).is_some() { Err(refused) } else { Ok(Page::End) }
    }

    /// Moves on behind the records: the batch is handed out without another await.
    fn take(&mut self, shard: &str, output: GetRecordsOutput) -> Page {
        let Some(lane) = self.shards.lane(shard) else { return Page::Nothing };
        let ended = output.next_iterator.is_none();
        lane.iterator = output.next_iterator;
        let mut records = output.records;
        lane.answered(&records);
        if let Some(moment) = lane.skip_before {
            let past = records.iter().take_while(|record| record.at < moment).count();
            records.drain(..past);
            self.busy |= past > 0;
        }
        self.busy |= lane.closed && !ended;
        if let Some(last) = records.last() {
            lane.moved();
            self.checkpoint.advance(shard, last.sequence.clone());
        }
        if ended {
            self.checkpoint.shards.insert(shard.to_owned(), Position::Finished);
            self.listed_at = None;
        }
        match (records.is_empty(), ended) {
            (false, _) => {
                let gap = self.take_gap();
                Page::Records(Batch { shard: shard.to_owned(), records, gap })
            }
            (true, true) => Page::End,
            (true, false) => Page::Nothing,
        }
    }
}
