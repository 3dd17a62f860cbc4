//! Work beside answers: renders, and requests that happen once, which go on when their client has gone. It is counted, so that a
//! stop can wait for it.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The work that is under way. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    running: AtomicUsize,
    ended: Notify,
}

/// One task. It counts until it is dropped, also if the task panics.
struct Running(Arc<Counted>);

impl Tasks {
    pub(crate) fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.0.running.fetch_add(1, Ordering::SeqCst);
        let running = Running(Arc::clone(&self.0));
        tokio::spawn(async move {
            let output = work.await;
            drop(running);
            output
        })
    }

    pub(crate) fn running(&self) -> usize {
        self.0.running.load(Ordering::SeqCst)
    }

    /// Waits until nothing is under way.
    pub(crate) async fn ended(&self) {
        loop {
            // The place in the line comes before the look, so that an end between the two is not missed.
            let ended = self.0.ended.notified();
            if self.running() == 0 {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.running.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.ended.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_stop_waits_for_all_work_also_for_what_panics() {
        let tasks = Tasks::default();
        tasks.ended().await;
        let slow = tasks.spawn(tokio::time::sleep(Duration::from_secs(5)));
        let broken = tasks.spawn(async { panic!("as told") });
        assert_eq!(tasks.running(), 2);
        tasks.ended().await;
        assert!(slow.is_finished() && broken.await.is_err());
        assert_eq!(tasks.running(), 0);
    }
}
