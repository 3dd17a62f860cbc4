//! What a request was charged, so that it can be given back.

use crate::counter::{Charge, Row};
use crate::decision::Decision;

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
    pub(crate) charge: Charge,
    pub(crate) cost: u64,
    /// Until when the units could be spent, if they came from the purse.
    pub(crate) from_purse_until_ms: Option<i64>,
}
