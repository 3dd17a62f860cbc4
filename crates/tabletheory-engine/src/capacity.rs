//! What operations cost in the service's units. The engine never throttles; it tells what DynamoDB would charge.

use tabletheory_core::limits::{READ_UNIT_BYTES, WRITE_UNIT_BYTES};
use tabletheory_core::store::capacity::{ConsumedCapacity, ReturnCapacity, Units};

use crate::table::{Index, Table};

/// How often a unit is counted: transactions prepare and commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charge {
    /// A read that may be behind: half.
    Eventual,
    /// A consistent read, or a write.
    Full,
    /// Part of a transaction: twice.
    Transaction,
}

impl Charge {
    /// What a read is charged.
    pub(crate) fn read(consistent: bool) -> Self {
        if consistent { Self::Full } else { Self::Eventual }
    }

    fn factor(self) -> f64 {
        match self {
            Self::Eventual => 0.5,
            Self::Full => 1.0,
            Self::Transaction => 2.0,
        }
    }
}

fn units(bytes: usize, unit_bytes: usize) -> f64 {
    let whole = bytes.div_ceil(unit_bytes).max(1);
    f64::from(u32::try_from(whole).unwrap_or(u32::MAX))
}

/// The units for reading this many bytes.
pub(crate) fn read_units(bytes: usize, charge: Charge) -> f64 {
    units(bytes, READ_UNIT_BYTES) * charge.factor()
}

/// The units for writing this many bytes.
pub(crate) fn write_units(bytes: usize, charge: Charge) -> f64 {
    units(bytes, WRITE_UNIT_BYTES) * charge.factor()
}

/// Whether units were read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// Units on one table, gathered operation by operation.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    wanted: ReturnCapacity,
    kind: Kind,
    split: bool,
    capacity: ConsumedCapacity,
}

impl Tally {
    /// An empty tally for `table`; `split` tells reads and writes apart in the answer, as transactions do.
    pub(crate) fn new(table: &Table, wanted: ReturnCapacity, kind: Kind, split: bool) -> Self {
        // Nobody sees the name of a tally that is not wanted.
        let table = if wanted == ReturnCapacity::None { String::new() } else { table.spec.name.clone() };
        let capacity = ConsumedCapacity { table, split, ..ConsumedCapacity::default() };
        Self { wanted, kind, split, capacity }
    }

    /// Whether anybody asked.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted != ReturnCapacity::None
    }

    fn as_units(&self, amount: f64) -> Units {
        match (self.split, self.kind) {
            (false, _) => Units { total: amount, read: 0.0, write: 0.0 },
            (true, Kind::Read) => Units { total: amount, read: amount, write: 0.0 },
            (true, Kind::Write) => Units { total: amount, read: 0.0, write: amount },
        }
    }

    /// Adds units of the table itself.
    pub(crate) fn add_table(&mut self, amount: f64) {
        let units = self.as_units(amount);
        add(&mut self.capacity.units, units);
        if self.wanted == ReturnCapacity::Indexes {
            add(self.capacity.table_units.get_or_insert_default(), units);
        }
    }

    /// Adds units of an index.
    pub(crate) fn add_index(&mut self, index: &Index, amount: f64) {
        let units = self.as_units(amount);
        add(&mut self.capacity.units, units);
        if self.wanted != ReturnCapacity::Indexes {
            return;
        }
        let shares =
            if index.global { &mut self.capacity.global_indexes } else { &mut self.capacity.local_indexes };
        match shares.iter_mut().find(|(name, _)| *name == index.spec.name) {
            Some((_, share)) => add(share, units),
            None => shares.push((index.spec.name.clone(), units)),
        }
    }

    /// The answer, if anybody asked.
    pub(crate) fn into_capacity(self) -> Option<ConsumedCapacity> {
        let mut capacity = self.capacity;
        match self.wanted {
            ReturnCapacity::None => None,
            ReturnCapacity::Total => Some(capacity),
            ReturnCapacity::Indexes => {
                capacity.table_units.get_or_insert_default();
                Some(capacity)
            }
        }
    }
}

fn add(sum: &mut Units, more: Units) {
    sum.total += more.total;
    sum.read += more.read;
    sum.write += more.write;
}
