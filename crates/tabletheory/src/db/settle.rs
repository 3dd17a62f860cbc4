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
///
/// This and [`settle`] are functions that give futures, and not `async` themselves: so the write is with the store before
/// there is a future, and does not make it larger. Futures of operations are boxed, and small boxes are cheap.
pub(super) fn once<O: Operation>(
    store: &dyn Store,
    write: O,
) -> impl Future<Output = Result<Settled<O::Output>, StoreError>> {
    let answer = store.send(write);
    async {
        match answer.await {
            Ok(output) => Ok(Settled::Done(output)),
            Err(StoreError::ConditionalCheckFailed { item }) => Ok(Settled::Refused(item)),
            Err(error) => Err(error),
        }
    }
}

/// Sends a write, and once more, byte for byte, if its answer was lost. If that does not settle it, the lost answer is the
/// error, because whether the write happened is unknown. Whoever writes is given back a copy of what was written.
pub(super) fn settle<O: Operation + Clone>(
    store: &dyn Store,
    write: O,
    judge: impl Fn(&O, Option<&Item>) -> Verdict,
) -> impl Future<Output = Result<(Settled<O::Output>, O), StoreError>> {
    let again = write.clone();
    let first = once(store, write);
    async move {
        let lost = match first.await {
            Err(error) if error.is_ambiguous() => error,
            answer => return answer.map(|settled| (settled, again)),
        };
        match once(store, again.clone()).await {
            Ok(Settled::Refused(item)) => match judge(&again, item.as_deref()) {
                Verdict::Ours => Ok((Settled::DoneBefore(item), again)),
                Verdict::Others => Ok((Settled::Refused(item), again)),
                Verdict::Unknown => Err(lost),
            },
            Ok(settled) => Ok((settled, again)),
            Err(_) => Err(lost),
        }
    }
}
