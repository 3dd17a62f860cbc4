//! Work beside answers: renders, and requests that happen once, which go on when their client has gone. It is counted, so that a
//! stop can wait for it.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_util::FutureExt;
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

    /// What `work` gives. If it has to wait it becomes a task, and goes on when nobody waits for it any more; what it can do at once
    /// costs no task. Nothing, if it panics.
    pub(crate) async fn finish<F>(&self, work: F) -> Option<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        // Work that panicked is dropped, and nobody sees in what state, as with a task.
        let mut work = Box::pin(AssertUnwindSafe(work).catch_unwind());
        let done = match futures_util::poll!(&mut work) {
            Poll::Ready(done) => done,
            // Nothing is awaited between the two, so that nobody can leave in between.
            Poll::Pending => self.spawn(work).await.ok()?,
        };
        done.ok()
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
    async fn what_needs_no_waiting_is_done_in_place() {
        let tasks = Tasks::default();
        // Whoever tests is no task.
        assert_eq!(tasks.finish(async { tokio::task::try_id() }).await, Some(None));
        let later = tasks.finish(async {
            tokio::task::yield_now().await;
            tokio::task::try_id()
        });
        assert!(matches!(later.await, Some(Some(_))));
        assert_eq!(tasks.finish(async { panic!("at once") }).await, None::<()>);
        let panics_later = async {
            tokio::task::yield_now().await;
            panic!("later")
        };
        assert_eq!(tasks.finish(panics_later).await, None::<()>);
        assert_eq!(tasks.running(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_goes_on_when_its_caller_has_gone() {
        let tasks = Tasks::default();
        let (told, ending) = tokio::sync::oneshot::channel();
        let mut work = Box::pin(tasks.finish(async move {
            tokio::time::sleep(Duration::from_secs(5)).await;
            told.send(()).expect("somebody listens");
        }));
        assert!(futures_util::poll!(&mut work).is_pending());
        drop(work);
        assert_eq!(tasks.running(), 1);
        ending.await.expect("it went on");
        tasks.ended().await;
    }

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
