//! A thread of the store: it sleeps until there is work, and ends with the store.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::error::KvError;
use super::trees::Trees;
use crate::alarm::{Alarm, Waking};
use crate::unwind::caught;

/// For how long a thread sleeps that has nothing to do. It is woken when it has.
pub(super) const IDLE: Duration = Duration::from_secs(600);

/// The thread. It ends, after what it is doing, when this is dropped.
pub(super) struct Worker {
    trees: Arc<Trees>,
    alarm: fn(&Trees) -> &Alarm,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts a thread that works at once, whenever this alarm rings, and otherwise after the time that the work says. When the work
    /// fails, no further write is accepted.
    pub(super) fn start(
        name: &'static str,
        trees: &Arc<Trees>,
        alarm: fn(&Trees) -> &Alarm,
        mut work: impl FnMut(Waking) -> Result<Duration, KvError> + Send + 'static,
    ) -> Result<Self, KvError> {
        let trees = Arc::clone(trees);
        let own = Arc::clone(&trees);
        let body = move || {
            // At once.
            let mut pause = Duration::ZERO;
            while let Some(waking) = alarm(&own).wait(pause) {
                let worked = caught(|| work(waking)).unwrap_or_else(|message| {
                    let cause = format!("the thread {name} of {} failed: {message}", own.folder().display());
                    Err(KvError::Poisoned { cause })
                });
                // The next commit is told.
                pause = worked.unwrap_or_else(|error| {
                    own.poisoned_by(error);
                    IDLE
                });
            }
        };
        let thread = std::thread::Builder::new().name(format!("theory-{name}")).spawn(body);
        let thread = thread.map_err(|source| KvError::io("start a thread for", trees.folder(), source))?;
        Ok(Self { trees, alarm, thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        (self.alarm)(&self.trees).end();
        if let Some(thread) = self.thread.take() {
            // It catches its panics.
            let _ = thread.join();
        }
    }
}
