//! A thread of the store: it sleeps until there is work, and ends with the store.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::error::KvError;
use super::trees::Trees;
use crate::alarm::Alarm;
use crate::unwind::caught;

/// For how long a thread sleeps that has nothing to do. It is woken when it has.
pub(super) const IDLE: Duration = Duration::from_secs(600);

/// The thread. It ends, after what it is doing, when this is dropped.
pub(super) struct Worker {
    alarm: Arc<Alarm>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts a thread that works at once and whenever it is woken, and otherwise after the time that the work says. When the work
    /// fails, no further write is accepted.
    pub(super) fn start(
        name: &'static str,
        trees: &Arc<Trees>,
        mut work: impl FnMut() -> Result<Duration, KvError> + Send + 'static,
    ) -> Result<Self, KvError> {
        let alarm = Arc::new(Alarm::default());
        alarm.ring();
        let (waker, poisoned) = (Arc::clone(&alarm), Arc::clone(trees));
        let body = move || {
            let mut pause = IDLE;
            while waker.wait(pause) {
                let worked = caught(&mut work).unwrap_or_else(|message| {
                    let cause =
                        format!("the thread {name} of {} failed: {message}", poisoned.folder().display());
                    Err(KvError::Poisoned { cause })
                });
                // The next commit is told.
                pause = worked.unwrap_or_else(|error| {
                    poisoned.poisoned_by(error);
                    IDLE
                });
            }
        };
        let thread = std::thread::Builder::new().name(format!("theory-{name}")).spawn(body);
        let thread = thread.map_err(|source| KvError::io("start a thread for", trees.folder(), source))?;
        Ok(Self { alarm, thread: Some(thread) })
    }

    /// There may be work.
    pub(super) fn wake(&self) {
        self.alarm.ring();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.alarm.end();
        if let Some(thread) = self.thread.take() {
            // It catches its panics.
            let _ = thread.join();
        }
    }
}
