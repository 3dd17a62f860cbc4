//! Waiting no longer than a while. What has its answer at once, such as an engine in this process, costs no timer.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;

/// The output, or `None` if it took longer. Without a runtime it takes as long as it takes.
pub(crate) async fn within<F: Future>(timeout: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let at_once = poll_fn(|context| {
        Poll::Ready(match future.as_mut().poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    });
    match at_once.await {
        Some(output) => Some(output),
        None if Handle::try_current().is_err() => Some(future.await),
        None => tokio::time::timeout(timeout, future).await.ok(),
    }
}
