//! The lease of a page that is rendered: taken, renewed while work goes on, and given back with what came of it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tabletheory_core::{Timestamp, jittered};
use tokio::time::{Instant, sleep_until, timeout};

use super::{Attempt, Job};
use crate::adrift::Held;
use crate::error::Error;
use crate::event::Event;
use crate::key::Partition;
use crate::known::Known;
use crate::meta::{Acquire, Claimed, Lease, Refresh};
use crate::outcome::Flown;
use crate::render::{RenderError, Rendered};

/// So long before its end a lease that could not be renewed is given up, so that two do not render at once for long.
const GIVE_UP_BEFORE: Duration = Duration::from_millis(500);

/// Leases are renewed as if they were no longer than this.
const RENEWED_SECONDS_MAX: i64 = 3600;

impl Job {
    /// Takes the lease, with the intent if there is one.
    pub(super) async fn take(&self, partition: &Partition) -> Result<Result<Lease, Flown>, Error> {
        let (meta, term) = (&self.inner.meta, self.visit.policy.lease);
        let Some(intent) = &self.visit.intent else { return self.acquire(partition).await };
        let lost = match meta.claim(partition, intent, term).await? {
            Claimed::Granted(lease) => return Ok(Ok(self.granted(lease))),
            Claimed::Held { until } => Flown::Busy(until),
            Claimed::NotYet { at } => Flown::NotYet(at),
            Claimed::InProgress { until } => Flown::InProgress(until),
            Claimed::Mismatch => Flown::Mismatch,
            Claimed::Completed { .. } => {
                let read = self.inner.moment();
                let known = Known::new(meta.get(partition).await?, read);
                let is_there = known.pointer() != self.broken.as_deref();
                if !(is_there && known.can_be_served(self.inner.now(), &self.visit.policy)) {
                    // Its result was purged, or is lost or too old. The visitor needs a page, as any other.
                    return self.acquire(partition).await;
                }
                Flown::Found(Arc::new(known))
            }
        };
        Ok(Err(self.told(lost)))
    }

    /// Takes the lease without an intent.
    async fn acquire(&self, partition: &Partition) -> Result<Result<Lease, Flown>, Error> {
        Ok(match self.inner.meta.try_acquire(partition, self.visit.policy.lease).await? {
            Acquire::Granted(lease) => Ok(self.granted(lease)),
            Acquire::Held { until } => Err(self.told(Flown::Busy(until))),
            Acquire::NotYet { at } => Err(self.told(Flown::NotYet(at))),
        })
    }

    fn told(&self, lost: Flown) -> Flown {
        match &lost {
            Flown::Busy(_) => self.tell(&Event::Contended),
            Flown::NotYet(at) => self.tell(&Event::BackedOff { until: *at }),
            _ => {}
        }
        lost
    }

    fn granted(&self, lease: Lease) -> Lease {
        if self.after_expiry {
            self.tell(&Event::TakenOver);
        }
        lease
    }

    pub(super) fn lease_lost(&self, held: Held<'_>) -> Attempt {
        drop(held.end());
        self.tell(&Event::LeaseLost);
        Attempt::Anew(None)
    }

    /// Does something while the lease is renewed. It is dropped when the lease is lost: another has begun.
    pub(super) async fn under<T>(&self, lease: &mut Lease, work: impl Future<Output = T>) -> Option<T> {
        match select(std::pin::pin!(work), std::pin::pin!(self.renew(lease))).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }

    /// Renews the lease; ends when it is lost, or could not be renewed for so long that another may take it.
    async fn renew(&self, lease: &mut Lease) {
        let term = self.visit.policy.lease;
        let third = Duration::from_secs(term.0.clamp(1, RENEWED_SECONDS_MAX).unsigned_abs()) / 3;
        let mut next = lease.ends() - third * 2;
        loop {
            sleep_until(next).await;
            next = Instant::now() + third;
            let refreshed = timeout(third, self.inner.meta.refresh(lease, term)).await;
            match refreshed.unwrap_or(Err(Error::StoreTooSlow)) {
                Ok(Refresh::Extended) => {}
                Ok(Refresh::Lost) => return,
                Err(error) => {
                    self.inner.store_failed(&self.visit.key, &error);
                    let last = lease.ends() - GIVE_UP_BEFORE;
                    next = Instant::now() + jittered(third / 4, self.inner.entropy().as_ref());
                    if next >= last {
                        sleep_until(last).await;
                        return;
                    }
                }
            }
        }
    }

    pub(super) async fn found(&self, lease: Lease, known: Arc<Known>) -> Flown {
        self.tell(&Event::FoundFresh);
        if let Some(pointer) = known.pointer()
            && let Err(error) = self.inner.meta.satisfied(lease, pointer).await
        {
            // The page is there all the same; the lease ends by itself.
            self.inner.store_failed(&self.visit.key, &error);
        }
        Flown::Found(known)
    }

    pub(super) async fn failed(
        &self,
        lease: Lease,
        failures: u64,
        reason: RenderError,
        answer: Option<Arc<Rendered>>,
    ) -> Flown {
        let now = self.inner.now();
        let pause = jittered(
            self.visit.policy.pause_after(failures.saturating_add(1)),
            self.inner.entropy().as_ref(),
        );
        let pause_ms = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        let next = Timestamp::from_millis(now.millis().saturating_add(pause_ms));
        self.tell(&Event::BackedOff { until: next });
        if let Some(known) = self.inner.known.get(&self.visit.key) {
            known.put_off_until(next);
        }
        if let Err(error) = self.inner.meta.fail(lease, next, &reason.to_string()).await {
            self.inner.store_failed(&self.visit.key, &error);
        }
        Flown::Failed(reason, answer, now)
    }

    pub(super) async fn give_back_adrift(&self) {
        if let Some(lease) = self.inner.adrift.take(&self.visit.key) {
            self.give_back(lease).await;
        }
    }

    /// What cannot be given back ends by itself.
    pub(super) async fn give_back(&self, lease: Lease) {
        if let Err(error) = self.inner.meta.release(lease).await {
            self.inner.store_failed(&self.visit.key, &error);
        }
    }
}
