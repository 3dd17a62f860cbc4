//! The shards of a stream while it is read: which of them there are, which may be read now, and whose turn it is. The
//! records of an item move from a shard to its children, so a child waits until its parent was read to the end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tabletheory_core::Timestamp;
use tabletheory_core::store::op::{Shard, StreamStatus};

use super::lane::{Entry, Lane};
use crate::stream::checkpoint::{Checkpoint, Position};

/// The shards of a stream.
#[derive(Debug, Default)]
pub(super) struct Shards {
    lanes: BTreeMap<String, Lane>,
    /// The shard that gave the last batch; the one after it comes next.
    turn: Option<String>,
    /// Whether the stream has ended.
    disabled: bool,
}

/// What the stream tells of its shards.
pub(super) struct Listing {
    pub(super) shards: Vec<Shard>,
    pub(super) status: StreamStatus,
}

impl Shards {
    /// Takes over what the stream tells. Answers whether a shard has gone before it was read to its end.
    pub(super) fn learn(&mut self, listing: &Listing, checkpoint: &mut Checkpoint) -> bool {
        self.disabled = listing.status == StreamStatus::Disabled;
        for shard in &listing.shards {
            let known = self.lanes.get_mut(&shard.id);
            match known {
                Some(lane) => lane.learn(shard),
                None => drop(self.lanes.insert(shard.id.clone(), Lane::of(shard))),
            }
        }
        let listed: BTreeSet<&str> = listing.shards.iter().map(|shard| shard.id.as_str()).collect();
        let mut known = self.lanes.keys().chain(checkpoint.shards.keys());
        let gap = known.any(|shard| !listed.contains(shard.as_str()) && !checkpoint.is_finished(shard));
        self.lanes.retain(|shard, _| listed.contains(shard.as_str()));
        checkpoint.shards.retain(|shard, _| listed.contains(shard.as_str()));
        let finished = self.lanes.iter_mut().filter(|(shard, _)| checkpoint.is_finished(shard));
        finished.for_each(|(_, lane)| lane.end());
        gap
    }

    /// Begins at the newest records: shards that are closed are done with, open ones are read from now on. The children
    /// that an open shard has by now were made in this moment; all they hold is new.
    pub(super) fn begin_at_newest(&mut self, now: Timestamp, checkpoint: &mut Checkpoint) {
        let open: BTreeSet<String> =
            self.lanes.iter().filter(|(_, lane)| !lane.closed).map(|(shard, _)| shard.clone()).collect();
        for (shard, lane) in &mut self.lanes {
            if lane.closed {
                checkpoint.shards.insert(shard.clone(), Position::Finished);
            } else if lane.parent.as_ref().is_none_or(|parent| !open.contains(parent)) {
                checkpoint.shards.insert(shard.clone(), Position::Since(now));
                lane.entry = Entry::Newest;
            }
        }
    }

    /// A shard that waits to be told where its newest record is.
    pub(super) fn unplaced(&self) -> Option<String> {
        self.lanes.iter().find(|(_, lane)| lane.entry == Entry::Newest).map(|(shard, _)| shard.clone())
    }

    /// The shards that may be read now, beginning with the one whose turn it is.
    pub(super) fn in_turn(&self, checkpoint: &Checkpoint) -> Vec<String> {
        let readable = self.lanes.keys().filter(|shard| self.is_readable(shard, checkpoint));
        let (mut later, sooner): (Vec<String>, Vec<String>) =
            readable.cloned().partition(|shard| self.turn.as_ref() >= Some(shard));
        later.splice(0..0, sooner);
        later
    }

    /// The shards that wait for this one and may be read now.
    pub(super) fn children(&self, parent: &str, checkpoint: &Checkpoint) -> Vec<String> {
        let is_child = |lane: &Lane| lane.parent.as_deref() == Some(parent);
        let children = self.lanes.iter().filter(|(_, lane)| is_child(lane)).map(|(shard, _)| shard.clone());
        children.filter(|shard| self.is_readable(shard, checkpoint)).collect()
    }

    fn is_readable(&self, shard: &str, checkpoint: &Checkpoint) -> bool {
        let parent = self.lanes.get(shard).and_then(|lane| lane.parent.as_deref());
        // A parent that is not listed any more has no records left.
        let parent_is_done =
            parent.is_none_or(|parent| !self.lanes.contains_key(parent) || checkpoint.is_finished(parent));
        !checkpoint.is_finished(shard) && parent_is_done
    }

    /// Whether a shard was read to its end within this time and has no children yet, although those of a living stream have.
    pub(super) fn await_children(&self, checkpoint: &Checkpoint, within: Duration) -> bool {
        let parents: BTreeSet<&str> = self.lanes.values().filter_map(|lane| lane.parent.as_deref()).collect();
        let mut finished = self.lanes.iter().filter(|(shard, _)| checkpoint.is_finished(shard));
        !self.disabled
            && finished.any(|(shard, lane)| !parents.contains(shard.as_str()) && lane.ended_within(within))
    }

    /// Whether nothing will ever come: the stream has ended, and every shard was read to its end.
    pub(super) fn are_finished(&self, checkpoint: &Checkpoint) -> bool {
        self.disabled && self.lanes.keys().all(|shard| checkpoint.is_finished(shard))
    }

    /// Whether everything before this moment was read. A closed shard tells its end itself; of an open one see
    /// [`Lane::has_reached`].
    pub(super) fn have_reached(&self, moment: Timestamp, tip_answers: u32, checkpoint: &Checkpoint) -> bool {
        self.lanes.iter().all(|(shard, lane)| {
            checkpoint.is_finished(shard) || (!lane.closed && lane.has_reached(moment, tip_answers))
        })
    }

    /// From now on answers without records count anew.
    pub(super) fn count_anew(&mut self) {
        self.lanes.values_mut().for_each(Lane::count_anew);
    }

    /// Gives the turn to the shard after this one.
    pub(super) fn pass_turn(&mut self, shard: &str) {
        self.turn = Some(shard.to_owned());
    }

    /// What is known of a shard, if it is still there.
    pub(super) fn lane(&mut self, shard: &str) -> Option<&mut Lane> {
        self.lanes.get_mut(shard)
    }
}
