//! Sending a conditional write until something is known: a lost answer is asked for once more, byte for byte, and trouble that
//! passes is waited out.

use std::sync::Arc;

use tabletheory::Db;
use tabletheory::db::Attempts;
use tabletheory_core::store::op::WriteOutput;
use tabletheory_core::{Item, Operation, StoreError, StoreExt};

use crate::error::Error;

/// What a write came to.
#[derive(Debug)]
pub(crate) enum Sent {
    /// It was done, and this is what the store tells of it.
    Done(Option<Item>),
    /// Its condition was false, for this item if the store tells. The answer to an earlier sending of it may have been lost;
    /// then it may be what it was refused for.
    Refused { item: Option<Item>, after_a_lost_answer: bool },
}

/// Sends a write. What cannot be settled is the error of the lost answer, because a later one may claim that nothing
/// happened.
pub(crate) async fn settle<O>(db: &Db, write: O) -> Result<Sent, Error>
where
    O: Operation<Output = WriteOutput> + Clone,
{
    let mut lost = None;
    let mut attempts = Attempts::new(db.backoff(), Arc::clone(db.entropy()));
    loop {
        match db.store().send(write.clone()).await {
            Ok(output) => return Ok(Sent::Done(output.attributes)),
            Err(StoreError::ConditionalCheckFailed { item }) => {
                let item = item.map(|item| *item);
                return Ok(Sent::Refused { item, after_a_lost_answer: lost.is_some() });
            }
            Err(error) if error.is_ambiguous() && lost.is_none() => lost = Some(error),
            Err(error) if passes(&error) && attempts.again().await => {}
            Err(error) => return Err(lost.unwrap_or(error).into()),
        }
    }
}

/// Whether nothing happened, and the same write may succeed later.
fn passes(error: &StoreError) -> bool {
    !error.is_ambiguous() && error.is_retryable()
}
