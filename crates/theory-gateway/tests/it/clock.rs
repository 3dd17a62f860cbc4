//! Tokio's clock, stopped: however long the machine stands still, nobody is late until the test lets time pass.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// The stopped clock of a test's runtime, which has one thread. Sockets go on as always.
#[derive(Debug)]
pub(crate) struct StillClock {
    /// A task of the blocking pool waits for the end of this: while there is one, tokio does not move a stopped clock by itself.
    _hold: Sender<()>,
}

impl StillClock {
    /// Stops the clock.
    pub(crate) fn stop() -> Self {
        tokio::time::pause();
        let (hold, ended) = channel::<()>();
        tokio::task::spawn_blocking(move || ended.recv());
        Self { _hold: hold }
    }

    /// Lets so much time pass at once.
    pub(crate) async fn pass(&self, span: Duration) {
        tokio::time::advance(span).await;
    }
}
