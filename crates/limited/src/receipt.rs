//! What a request was charged, so that it can be given back.

use tabletheory_core::Timestamp;

use crate::counter::Row;
use crate::decision::{Decision, Source};

/// A decision, and what was charged with it.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) decision: Decision,
    pub(crate) receipt: Option<Receipt>,
}

/// What was charged, where and when.
#[derive(Debug)]
pub(crate) struct Receipt {
    pub(crate) row: Row,
    pub(crate) charged: Timestamp,
    pub(crate) cost: u64,
    pub(crate) source: Source,
}
