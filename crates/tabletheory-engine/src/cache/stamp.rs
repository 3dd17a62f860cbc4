//! Whether anything of a partition was written since it was read: a number for each, which a commit makes odd when it begins and even
//! when it is done. Partitions are many and numbers few, so some share one; what was read is then given up without need.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::layout::{self, PartitionHash};

/// How many numbers there are.
const STAMPS: usize = 1 << 16;

/// The numbers.
#[derive(Debug)]
pub(crate) struct Stamps(Box<[AtomicU64]>);

/// Where the number of a partition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(usize);

impl Slot {
    /// The slot of the partition that a row of a table or of an index is in.
    pub(crate) fn of_row(rows: u64, key: &[u8]) -> Self {
        Self::of(rows, layout::partition_hash(key).unwrap_or_default())
    }

    pub(super) fn of(rows: u64, partition: PartitionHash) -> Self {
        // The hashes of partitions are spread evenly already; the numbers of tables' rows follow each other.
        let mixed = rows.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 ^ u64::from(u32::from_be_bytes(partition));
        Self(usize::try_from(mixed % STAMPS as u64).expect("it is less than the number of stamps"))
    }
}

impl Default for Stamps {
    fn default() -> Self {
        Self((0..STAMPS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Stamps {
    /// The number, unless a commit is under way. What is read from storage afterwards is as new as the number, or newer; it is as
    /// new as any commit that anybody has seen for as long as the number stays.
    pub(super) fn settled(&self, slot: Slot) -> Option<u64> {
        let stamp = self.0[slot.0].load(Ordering::Acquire);
        stamp.is_multiple_of(2).then_some(stamp)
    }

    /// A commit begins. There is one at a time.
    pub(super) fn begin(&self, slot: Slot) {
        self.step(slot, 0);
    }

    /// The commit is done, and everybody can see it.
    pub(super) fn end(&self, slot: Slot) {
        self.step(slot, 1);
    }

    /// Goes on by one from an even or an odd number. Several rows of a commit may share a slot.
    fn step(&self, slot: Slot, from: u64) {
        let stamp = &self.0[slot.0];
        let current = stamp.load(Ordering::Relaxed);
        if current % 2 == from {
            stamp.store(current.wrapping_add(1), Ordering::Release);
        }
    }
}
