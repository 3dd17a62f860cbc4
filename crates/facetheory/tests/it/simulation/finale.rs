//! The end of a run: when faults stop and clocks agree, every page becomes fresh and current, no intent is stuck, and the
//! sweep leaves exactly what is named.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use facetheory::meta::{Claimed, Intent};
use facetheory::record::{Request, RequestStatus};
use facetheory::{Mode, State};
use http::Method;

use super::origin::PAGES;
use super::play::Play;
use super::visitor::{BACKOFF_MAX, BELIEVED_MS, LEASE, OFF_MS_MAX, REVALIDATE_S_MAX};
use super::wire::FLIGHT_MS_MAX;
use super::worker::GRACE;

/// Slack for renders and pauses between visits, in milliseconds.
const SLACK_MS: i64 = 5_000;

impl Play {
    pub(super) async fn finale(&mut self) -> Result<(), String> {
        let calm = self.calm();
        // What is still under way arrives; a clock that ran ahead has left leases and pauses that much longer.
        let lease_ms = LEASE.0 * 1000;
        let recovery_ms = i64::try_from(FLIGHT_MS_MAX).unwrap()
            + OFF_MS_MAX
            + lease_ms
            + i64::try_from(BACKOFF_MAX.as_millis()).unwrap()
            + SLACK_MS;
        let mut last_ms = 0;
        for place in 0..PAGES {
            for worker in 0..self.workers.len() {
                last_ms = last_ms.max(self.until_fresh(place, worker, calm.millis() + recovery_ms).await?);
            }
        }
        self.stage.note(format_args!("all fresh {} ms after calm", last_ms - calm.millis()));
        self.wait(Duration::from_secs(REVALIDATE_S_MAX) + OFF_MS_DURATION).await?;
        self.all_current().await?;
        self.no_intent_is_stuck().await?;
        self.sweep_is_exact().await
    }

    /// Visits until the page is fresh; says when it was.
    async fn until_fresh(&mut self, place: usize, worker: usize, by_ms: i64) -> Result<i64, String> {
        loop {
            if let Some((State::Hit | State::Miss | State::WaitHit, _)) = self.seen(place, worker).await? {
                return Ok(self.stage.now().millis());
            }
            if self.stage.now().millis() > by_ms {
                return Err(format!("page {place} is not fresh again at worker {worker}"));
            }
            self.wait(Duration::from_millis(500)).await?;
        }
    }

    /// One visit, and which version was seen.
    async fn seen(&mut self, place: usize, worker: usize) -> Result<Option<(State, u64)>, String> {
        let worker = Arc::clone(&self.workers[worker]);
        let mut visitor = self.visitor(place, &worker, Method::GET);
        visitor.policy.mode = Mode::Blocking;
        let renderer = self.origin.renderer(visitor.number);
        let visit = visitor.visit(&self.origin);
        let served = worker.isr().serve(&visit, &renderer).await;
        self.check()?;
        Ok(served.ok().and_then(|served| {
            let headers = served.page.headers();
            Some((served.state, self.origin.answer(headers.get("etag")?.to_str().ok()?)?.version))
        }))
    }

    async fn all_current(&mut self) -> Result<(), String> {
        self.wait(Duration::from_millis(BELIEVED_MS.unsigned_abs())).await?;
        for place in 0..PAGES {
            for worker in 0..self.workers.len() {
                let current = self.origin.version(place);
                match self.seen(place, worker).await? {
                    Some((_, version)) if version == current => {}
                    other => {
                        return Err(format!("page {place} is not current at worker {worker}: {other:?}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Every intent that was begun can be taken over, or is over.
    async fn no_intent_is_stuck(&self) -> Result<(), String> {
        let meta = self.workers[0].isr().meta().clone();
        let rows = meta.db().scan::<Request>().filter(Request::STATUS.eq(RequestStatus::Started));
        let stuck: Vec<Request> = rows.await.unwrap();
        for request in stuck {
            self.stage.count("intents left behind");
            let partition = facetheory::Partition::of_row(&request.pk).unwrap();
            let intent = Intent::raw(request.key.clone()).unwrap().with_request_hash(&request.request_hash);
            match meta.claim(&partition, &intent, LEASE).await {
                Ok(Claimed::Granted(lease)) => {
                    let _ = meta.release(lease).await;
                }
                other => return Err(format!("an intent is stuck: {other:?} {request:?}")),
            }
        }
        Ok(())
    }

    async fn sweep_is_exact(&self) -> Result<(), String> {
        let grace = Duration::from_secs(GRACE.0.unsigned_abs());
        self.wait(grace + Duration::from_secs(1)).await?;
        let isr = self.workers[1].isr();
        let swept = isr.sweep().await.unwrap();
        self.stage.note(format_args!("at the end {swept:?}"));
        let mut named = BTreeSet::new();
        isr.meta().live_pointers(|pointer| named.extend([pointer.to_owned()])).await.unwrap();
        let there: BTreeSet<String> = self.warehouse.list_all().into_iter().collect();
        if there != named {
            let (lost, left) = (named.difference(&there), there.difference(&named));
            return Err(format!("lost {:?}, left {:?}", lost.collect::<Vec<_>>(), left.collect::<Vec<_>>()));
        }
        self.upkeep();
        self.wait(Duration::ZERO).await
    }
}

/// Pages that a clock ahead has stamped are not believed, but one that was behind may be fresh for longer than it looks.
const OFF_MS_DURATION: Duration = Duration::from_millis(OFF_MS_MAX.unsigned_abs());
