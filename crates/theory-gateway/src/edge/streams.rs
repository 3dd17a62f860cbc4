//! The requests of an HTTP/2 connection, each a task, which end with the connection, or alone.

use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{AbortHandle, abortable};
use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::application::note_panic;

tokio::task_local! {
    /// Ends the task that asks for it.
    static END: AbortHandle;
}

/// What ends the request that is being answered without the others of its connection, where there may be others. What hyper has made
/// of its answer goes with it, and the client is told that there is no more.
pub(super) fn end() -> Option<AbortHandle> {
    END.try_with(AbortHandle::clone).ok()
}

/// The tasks of a connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Streams(Arc<Mutex<JoinSet<()>>>);

impl<F> hyper::rt::Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        let mut tasks = self.0.lock();
        // Tasks that ended are let go of here, so that a long connection does not collect them.
        while let Some(ended) = tasks.try_join_next() {
            note_panic(ended);
        }
        let (task, end) = abortable(task);
        tasks.spawn(END.scope(end, task.map(drop)));
    }
}
