//! A transaction as it is sent: not too large, each item once, with a token that it keeps.

use tabletheory_core::limits::TRANSACT_ITEMS_MAX;
use tabletheory_core::store::op::{TransactWrite, TransactWriteItems};

use super::operation::{Operation, Prepared};
use crate::db::Db;
use crate::db::identity::places;
use crate::error::BulkFault;
use crate::token;

/// A transaction that is ready to be sent, and what is to be known when it was refused.
pub(super) struct Ready {
    pub(super) request: TransactWriteItems,
    pub(super) operations: Vec<Operation>,
}

impl Ready {
    /// The transaction of these operations. If no token is given, one is drawn here; it is the same however often the
    /// transaction is sent.
    pub(super) fn of(db: &Db, prepared: Vec<Prepared>, token: Option<String>) -> Self {
        let (writes, operations): (Vec<TransactWrite>, Vec<Operation>) =
            prepared.into_iter().map(|Prepared { write, operation, .. }| (write, operation)).unzip();
        let token = token.unwrap_or_else(|| token::draw(&**db.entropy()));
        let request =
            TransactWriteItems { writes, client_request_token: Some(token), ..TransactWriteItems::default() };
        Self { request, operations }
    }
}

/// Whether so many operations can be a transaction.
pub(super) fn check_count(given: usize) -> Result<(), BulkFault> {
    match given {
        0 => Err(BulkFault::Empty),
        1..=TRANSACT_ITEMS_MAX => Ok(()),
        _ => Err(BulkFault::TooMany { given }),
    }
}

/// Whether each operation is about another item.
pub(super) fn check_distinct(prepared: &[Prepared]) -> Result<(), BulkFault> {
    let known = prepared.iter().enumerate().filter_map(|(place, prepared)| {
        let identity = prepared.operation.identity.as_ref()?;
        Some((place, prepared.operation.model, identity))
    });
    places(known).map(drop)
}
