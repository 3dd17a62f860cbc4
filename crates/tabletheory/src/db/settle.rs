//! Writes whose answer was lost. A write that may be repeated is sent once more; if that meets the write's own first
//! success, it is one.

use tabletheory_core::{Item, Operation, Store, StoreError, StoreExt};

/// What a write came to.
#[derive(Debug)]
pub(super) enum Settled<T> {
    /// It was done, and this is the answer.
    Done(T),
    /// It was done the first time, whose answer was lost, and this is the item as it is.
    DoneBefore(Option<Box<Item>>),
    /// Its condition was false because of this item.
    Refused(Option<Box<Item>>),
}

/// Whose write an item shows, when a write was repeated and refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ours,
    Others,
    /// Others may have written after us.
    Unknown,
}

/// Sends a write that is not repeated.
pub(super) async fn once<O: Operation>(
    store: &dyn Store,
    write: O,
) -> Result<Settled<O::Output>, StoreError> {
    match store.send(write).await {
        Ok(output) => Ok(Settled::Done(output)),
        Err(StoreError::ConditionalCheckFailed { item }) => Ok(Settled::Refused(item)),
        Err(error) => Err(error),
    }
}

/// Sends a write, and once more, byte for byte, if its answer was lost. If that does not settle it, the lost answer is the
/// error, because whether the write happened is unknown.
pub(super) async fn settle<O: Operation + Clone>(
    store: &dyn Store,
    write: O,
    judge: impl Fn(Option<&Item>) -> Verdict,
) -> Result<Settled<O::Output>, StoreError> {
    let lost = match once(store, write.clone()).await {
        Err(error) if error.is_ambiguous() => error,
        answer => return answer,
    };
    match once(store, write).await {
        Ok(Settled::Refused(item)) => match judge(item.as_deref()) {
            Verdict::Ours => Ok(Settled::DoneBefore(item)),
            Verdict::Others => Ok(Settled::Refused(item)),
            Verdict::Unknown => Err(lost),
        },
        Ok(settled) => Ok(settled),
        Err(_) => Err(lost),
    }
}
