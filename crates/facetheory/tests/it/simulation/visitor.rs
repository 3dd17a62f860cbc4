//! Visitors: how they come, and the laws about what they get.

use std::time::Duration;

use facetheory::freshness::Lifetime;
use facetheory::{Mode, Policy, Served, State, Visit};
use http::{Method, header};
use tabletheory_core::{Seconds, Timestamp};

use super::origin::Origin;
use super::stage::Stage;
use super::witness::Witness;

/// For how long rows are believed without being read again, in milliseconds.
pub(super) const BELIEVED_MS: i64 = 1_000;
/// How far a clock is off at most, in milliseconds.
pub(super) const OFF_MS_MAX: i64 = 90_000;
/// The lease of all renders.
pub(super) const LEASE: Seconds = Seconds(4);
/// The longest pause after failures.
pub(super) const BACKOFF_MAX: Duration = Duration::from_secs(4);
/// The longest time of freshness, in seconds.
pub(super) const REVALIDATE_S_MAX: u64 = 20;

/// Somebody who comes to see a page.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) number: u64,
    pub(super) place: usize,
    /// The worker, and which of its lives.
    pub(super) at: (usize, u64),
    pub(super) method: Method,
    pub(super) policy: Policy,
    pub(super) came: Timestamp,
    /// The same moment by the worker's clock.
    pub(super) came_by_worker: Timestamp,
    /// How often the worker's clock had jumped.
    pub(super) jumps: i64,
}

/// What happened to the worker during a visit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meanwhile {
    pub(super) clock_jumped: bool,
    pub(super) store_failed: bool,
}

/// A policy by the dice.
pub(super) fn policy(stage: &Stage) -> Policy {
    let pick = |choices: &[i64]| Seconds(choices[usize::try_from(stage.roll(choices.len() as u64)).unwrap()]);
    Policy {
        stale_max: pick(&[0, 5, 20, 60]),
        stale_if_error: pick(&[0, 10, 40]),
        negative: pick(&[0, 5]),
        retention: Seconds(300),
        ttl_buffer: Seconds(60),
        mode: if stage.chance(50) { Mode::Blocking } else { Mode::Background },
        wait: stage.span(500, 8_000),
        render_max: Duration::from_secs(20),
        lease: LEASE,
        backoff: Duration::from_millis(300),
        backoff_max: BACKOFF_MAX,
        versions: stage.chance(50),
        ..Policy::fresh_for(Seconds(i64::try_from(3 + stage.roll(REVALIDATE_S_MAX - 2)).unwrap()))
    }
}

impl Visitor {
    pub(super) fn visit(&self, origin: &Origin) -> Visit {
        let key = origin.places[self.place].key.clone();
        Visit::to(key).policy(self.policy.clone()).method(self.method.clone())
    }

    /// Judges what the visitor got.
    pub(super) fn judge(&self, witness: &Witness, served: &Served, meanwhile: Meanwhile) {
        let (stage, state) = (&witness.stage, served.state);
        let accuse = |law: &str| stage.accuse(format_args!("{law} ({state}) {self:?}"));
        let headers = served.page.headers();
        let etag = headers.get(header::ETAG).and_then(|etag| etag.to_str().ok());
        let Some(answer) = etag.and_then(|etag| witness.origin.answer(etag)) else {
            return accuse("a visitor got what the origin never answered");
        };
        if answer.place != self.place {
            accuse("a visitor got another page");
        }
        if served.body.bytes() != &answer.body {
            accuse("a visitor got another body than the page's");
        }
        if !answer.is_whole {
            accuse("a visitor got half a page");
        }
        if self.method == Method::GET && answer.is_head {
            accuse("a visitor got a page without its body");
        }
        if answer.visitor != self.number && answer.is_private {
            accuse("a visitor got what was made for another");
        }
        if answer.visitor != self.number && self.method == Method::POST {
            accuse("a visitor who changes something got another's answer");
        }
        self.judge_age(witness, served, meanwhile);
        self.judge_purges(witness, served, meanwhile);
    }

    fn judge_purges(&self, witness: &Witness, served: &Served, meanwhile: Meanwhile) {
        let headers = served.page.headers();
        let etag = headers.get(header::ETAG).and_then(|etag| etag.to_str().ok());
        let Some(answer) = etag.and_then(|etag| witness.origin.answer(etag)) else { return };
        let without_store = meanwhile.store_failed
            && matches!(served.state, State::Hit | State::StaleError | State::Uncached);
        let as_stale = matches!(served.state, State::Stale | State::StaleError);
        for purge in witness.purges() {
            let believed_ms = if purge.by == self.at { 0 } else { BELIEVED_MS };
            let is_after = self.came.millis() >= purge.acked.millis() + believed_ms;
            // Where the store is out of reach, nobody can know what others have purged.
            let is_known = !without_store || purge.by == self.at;
            if is_after && is_known && (purge.gone || !as_stale) && witness.is_before(&purge, &answer, etag) {
                witness.stage.accuse(format_args!(
                    "a visitor got what was purged ({}) {answer:?} {purge:?} {self:?}",
                    served.state
                ));
            }
        }
    }

    fn judge_age(&self, witness: &Witness, served: &Served, meanwhile: Meanwhile) {
        let Some(kept) = served.page.kept() else { return };
        let revalidate_s = witness.revalidate_s(self.place, kept);
        let Lifetime { generated, purged_since, .. } = kept.lifetime;
        let fresh_until_ms = revalidate_s.map_or(i64::MAX, |seconds| generated.millis() + seconds * 1000);
        let since_ms = purged_since.map_or(fresh_until_ms, |at| at.millis().min(fresh_until_ms));
        let window_s = match served.state {
            State::Hit => None,
            State::Stale => Some(self.policy.stale_max.max(self.policy.stale_if_error).0),
            State::StaleError => Some(self.policy.stale_if_error.0),
            State::Miss | State::WaitHit | State::Uncached => return,
        };
        // A clock that jumped meanwhile may have said anything between.
        let slack_ms = if meanwhile.clock_jumped { 2 * OFF_MS_MAX } else { 0 };
        let over_ms = self.came_by_worker.millis() - since_ms - slack_ms;
        let allowed_ms = window_s.map_or(-1, |window_s| window_s * 1000 + 999);
        if over_ms > allowed_ms {
            let (state, stage) = (served.state, &witness.stage);
            stage.accuse(format_args!(
                "a visitor got a page {over_ms} ms too old ({state}) {kept:?} {self:?}"
            ));
        }
    }
}
