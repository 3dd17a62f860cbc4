//! Several pieces of work at once on the caller's task: nothing here spawns.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Does all of it, or stops everything at the first error. The results come in the order of the work.
pub(super) async fn together<T, E, F: Future<Output = Result<T, E>>>(work: Vec<F>) -> Result<Vec<T>, E> {
    let mut pending: Vec<(Pin<Box<F>>, Option<T>)> =
        work.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut all_done = true;
        for (future, result) in pending.iter_mut().filter(|(_, result)| result.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(Ok(value)) => *result = Some(value),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => all_done = false,
            }
        }
        if all_done { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await?;
    Ok(pending.into_iter().filter_map(|(_, result)| result).collect())
}
