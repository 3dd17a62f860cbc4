//! Waiting for a request that another does: how long, and how often to look.

use std::time::Duration;

use tabletheory_core::jittered;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use crate::machine::Idempotency;

/// The first pause between two claims of one who waits; each is twice as long as the one before.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// No pause is longer.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The patience of one who waits.
#[derive(Debug)]
pub(crate) struct Patience {
    deadline: Instant,
    pause: Duration,
}

impl Patience {
    /// As much as the settings say; `None` if that is none, or if nothing can wait here.
    pub(crate) fn new(machine: &Idempotency) -> Option<Self> {
        let wait = machine.settings.wait_up_to;
        if wait.is_zero() || Handle::try_current().is_err() {
            return None;
        }
        Some(Self { deadline: Instant::now() + wait, pause: PAUSE_FIRST })
    }

    /// Waits until it is time to look again and says `true`, or says `false` if all patience is spent.
    pub(crate) async fn wait(&mut self, machine: &Idempotency) -> bool {
        let now = Instant::now();
        if now >= self.deadline {
            return false;
        }
        // Those who wait for the same request do not come back together.
        let next = now + jittered(self.pause, machine.db.entropy().as_ref());
        sleep_until(next.min(self.deadline)).await;
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        true
    }
}
