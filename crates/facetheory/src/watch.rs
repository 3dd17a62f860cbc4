//! Waiting for another process that renders a page: a bounded number of reads, until there is something to do.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::{Timestamp, jittered};
use tokio::time::{Instant, sleep, timeout_at};

use crate::flight::Joined;
use crate::isr::Inner;
use crate::key::Partition;
use crate::known::Known;
use crate::outcome::Watched;
use crate::record::Lock;
use crate::visit::Visit;

/// The first pause between two reads, which grows by half each time. Half of it is the shortest, so that there are never
/// more than twenty reads in a second.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_millis(800);

impl Inner {
    /// Waits until another process has done something about the page, until `deadline`. All visitors here share the reads.
    pub(crate) async fn watch(
        self: &Arc<Self>,
        visit: &Visit,
        partition: &Partition,
        seen: Option<String>,
        deadline: Instant,
    ) -> Option<Watched> {
        let begin = || {
            let (inner, visit, partition) = (Arc::clone(self), visit.clone(), partition.clone());
            async move { inner.poll_until_news(&visit, &partition, seen.as_deref()).await }
        };
        let Joined { flight, .. } = self.watches.join(&visit.key, begin);
        timeout_at(deadline, flight).await.ok()
    }

    async fn poll_until_news(&self, visit: &Visit, partition: &Partition, seen: Option<&str>) -> Watched {
        let mut pause = PAUSE_FIRST;
        loop {
            sleep(jittered(pause, self.entropy().as_ref())).await;
            pause = (pause * 3 / 2).min(PAUSE_MAX);
            let read = self.moment();
            let look = match self.in_time(self.meta.watch(partition)).await {
                Ok(look) => look,
                Err(error) => {
                    self.store_failed(&visit.key, &error);
                    return Watched::Failed;
                }
            };
            let now = self.now();
            let lock = look.lock.clone();
            let known = Arc::new(Known::new(look, read));
            if known.pointer() != seen && known.can_be_served(now, &visit.policy) {
                self.remember(&visit.key, &known);
                return Watched::Published(known);
            }
            match lock {
                None => return Watched::Free,
                Some(lock) => {
                    if let Some(ended) = ended(&lock, now) {
                        return ended;
                    }
                }
            }
        }
    }
}

/// What a lock that nobody has any more says.
fn ended(lock: &Lock, now: Timestamp) -> Option<Watched> {
    if lock.is_held(now.seconds()) {
        return None;
    }
    match lock.next_attempt_ms.map(Timestamp::from_millis) {
        Some(at) if at > now => Some(Watched::NotYet(at)),
        // It was given back after a failure, and the pause is over.
        Some(_) => Some(Watched::Free),
        None => Some(Watched::Expired),
    }
}
