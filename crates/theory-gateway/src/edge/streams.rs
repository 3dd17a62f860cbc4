//! The requests of an HTTP/2 connection, each a task, which end with the connection.

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::application::note_panic;

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
        tasks.spawn(task);
    }
}
