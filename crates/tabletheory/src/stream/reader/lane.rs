//! One shard while it is read: its place among the shards, and where its reading goes on.

use std::time::Duration;

use tabletheory_core::store::op::{IteratorStart, Shard, StreamRecord};
use tabletheory_core::{Seconds, Timestamp};
use tokio::time::Instant;

use crate::stream::checkpoint::Position;

/// How far the clock that wrote [`Position::Since`] may be ahead of the service's. Records that are older by more happened
/// before; the others are handed out, because a record too many can be told and one too few cannot.
const SKEW: Seconds = Seconds(300);

/// What is known of a shard.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// The shard that has to be read before it.
    pub(super) parent: Option<String>,
    /// Whether no record will be added to it.
    pub(super) closed: bool,
    /// Where to read on, while the service takes it.
    pub(super) iterator: Option<String>,
    /// Where to begin without an iterator.
    pub(super) entry: Entry,
    /// Records from before this moment are passed over until the first that is not.
    pub(super) skip_before: Option<Timestamp>,
    /// When the last record that it gave happened.
    reached: Option<Timestamp>,
    /// How many answers in a row brought nothing.
    empty: u32,
    /// When it was first listed after it had been read to its end.
    ended_at: Option<Instant>,
}

/// Where reading begins when there is no iterator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Entry {
    /// Where the checkpoint says.
    #[default]
    Place,
    /// After the newest record: reading begins, and nobody wants the past.
    Newest,
    /// At the oldest record, because the checkpoint's is gone.
    Oldest,
}

impl Lane {
    /// A shard that nothing is known of but what the stream tells.
    pub(super) fn of(shard: &Shard) -> Self {
        let mut lane = Self::default();
        lane.learn(shard);
        lane
    }

    /// What the stream tells of the shard now.
    pub(super) fn learn(&mut self, shard: &Shard) {
        // Only a broken store names a shard as its own parent; it would wait for itself forever.
        self.parent = shard.parent.clone().filter(|parent| *parent != shard.id);
        self.closed = shard.last_sequence.is_some();
    }

    /// Where an iterator has to begin, and before which moment its records are to be passed over.
    pub(super) fn start(&self, position: Option<&Position>) -> (IteratorStart, Option<Timestamp>) {
        match (self.entry, position) {
            (Entry::Newest, _) => (IteratorStart::Latest, None),
            (Entry::Place, Some(Position::After(sequence))) => (IteratorStart::After(sequence.clone()), None),
            (_, Some(Position::Since(moment))) => (IteratorStart::TrimHorizon, Some(*moment - SKEW)),
            (_, _) => (IteratorStart::TrimHorizon, None),
        }
    }

    /// Has been given an iterator that begins as [`start`](Self::start) said.
    pub(super) fn placed(&mut self, iterator: String, skip_before: Option<Timestamp>) {
        self.iterator = Some(iterator);
        self.skip_before = skip_before;
        // The newest record is asked for once. When that iterator expires, the records since then are not the newest.
        if self.entry == Entry::Newest {
            self.entry = Entry::Place;
        }
    }

    /// It gave these records, or none.
    pub(super) fn answered(&mut self, records: &[StreamRecord]) {
        match records.last() {
            Some(last) => (self.reached, self.empty) = (Some(last.at), 0),
            None => self.empty = self.empty.saturating_add(1),
        }
    }

    /// Whether everything before this moment was read of it, as far as an open shard can tell: a record of that moment or later
    /// came, or so many answers in a row brought nothing.
    pub(super) fn has_reached(&self, moment: Timestamp, tip_answers: u32) -> bool {
        self.empty >= tip_answers.max(1) || self.reached.is_some_and(|reached| reached >= moment)
    }

    /// From now on answers without records count anew.
    pub(super) fn count_anew(&mut self) {
        self.empty = 0;
    }

    /// It is listed, and was read to its end.
    pub(super) fn end(&mut self) {
        self.ended_at.get_or_insert_with(Instant::now);
    }

    /// Whether it was read to its end, not longer ago than this.
    pub(super) fn ended_within(&self, span: Duration) -> bool {
        self.ended_at.is_none_or(|ended_at| ended_at.elapsed() < span)
    }

    /// A record was handed out: the checkpoint says where this shard stands.
    pub(super) fn moved(&mut self) {
        self.entry = Entry::Place;
        self.skip_before = None;
    }

    /// The records where this shard stood are gone: what is left of it begins at its oldest record.
    pub(super) fn fall_back(&mut self) {
        self.iterator = None;
        self.entry = Entry::Oldest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(entry: Entry) -> Lane {
        Lane { entry, ..Lane::default() }
    }

    #[test]
    fn reading_begins_where_the_checkpoint_says_unless_that_is_gone() {
        let after = Position::After("17".to_owned());
        assert_eq!(lane(Entry::Place).start(None), (IteratorStart::TrimHorizon, None));
        assert_eq!(lane(Entry::Place).start(Some(&after)), (IteratorStart::After("17".to_owned()), None));
        assert_eq!(lane(Entry::Oldest).start(Some(&after)), (IteratorStart::TrimHorizon, None));
    }

    #[test]
    fn the_newest_record_is_asked_for_once() {
        let since = Position::Since(Timestamp::from_seconds(1000));
        let mut lane = lane(Entry::Newest);
        assert_eq!(lane.start(Some(&since)), (IteratorStart::Latest, None));
        lane.placed("iterator".to_owned(), None);
        let (start, skip_before) = lane.start(Some(&since));
        assert_eq!((start, skip_before), (IteratorStart::TrimHorizon, Some(Timestamp::from_seconds(700))));
    }
}
