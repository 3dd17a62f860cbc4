//! A page that must be rendered: its visitor has it rendered here, or waits for whoever renders it, within a budget.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::{Timestamp, jittered};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::error::Error;
use crate::event::State;
use crate::flight::Joined;
use crate::isr::Inner;
use crate::known::Known;
use crate::outcome::{Flown, Watched};
use crate::render::{Renderer, is_for_all};
use crate::serve::Cached;
use crate::uncached::passed;
use crate::visit::{Served, Visit};

/// Nobody waits longer, whatever a policy says: a moment too far away is no moment any more.
const WAIT_MAX: Duration = Duration::from_secs(86_400);

/// Turns that follow each other at once. Between more of them a visitor waits for a little: whatever it is that does not go together, the
/// store does not pay for it.
const TURNS_AT_ONCE: u32 = 4;
const TURN_PAUSE: Duration = Duration::from_millis(100);

/// What one visitor wants rendered, and what was learned on the way.
struct Errand {
    /// What was known when it began.
    known: Arc<Known>,
    /// A pointer whose body is gone.
    broken: Option<String>,
    /// Whether the last holder's lease ended although it was not given back.
    after_expiry: bool,
    /// How long the visitor waits for others.
    deadline: Instant,
}

/// What one attempt to have a page rendered came to.
enum Turn {
    Over(Result<Served, Error>),
    /// It is to be tried again; if there is no time left, with this error.
    Again(Error),
}

/// What waiting for another process came to.
enum Waited {
    Served(Served),
    Again { expired: bool },
    NotYet(Timestamp),
    StoreFailed,
}

impl Inner {
    /// Has the page rendered here or elsewhere, and waits for it.
    pub(crate) async fn render(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        known: Arc<Known>,
        broken: Option<String>,
    ) -> Result<Served, Error> {
        // What cannot be kept needs no lease: visitors would wait for each other, and in vain.
        if self.is_passing(&visit.key) {
            return self.pass_alone(visit, &**renderer).await;
        }
        if let Some(at) = known.put_off(self.now()) {
            return self.instead(visit, Error::BackedOff { at, now: self.now() }).await;
        }
        let deadline = Instant::now() + visit.policy.wait.min(WAIT_MAX);
        let mut errand = Errand { known, broken, after_expiry: false, deadline };
        let mut turns = 0_u32;
        loop {
            let error = match self.turn(visit, renderer, &mut errand).await {
                Turn::Over(served) => return served,
                Turn::Again(error) => error,
            };
            if Instant::now() >= deadline {
                return self.instead(visit, error).await;
            }
            if let Some(served) = self.meanwhile(visit, errand.broken.as_deref()).await {
                return Ok(served);
            }
            turns = turns.saturating_add(1);
            if turns >= TURNS_AT_ONCE {
                let pause = jittered(TURN_PAUSE, self.entropy().as_ref());
                sleep_until(deadline.min(Instant::now() + pause)).await;
            }
        }
    }

    /// One attempt to have the page rendered.
    async fn turn(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        errand: &mut Errand,
    ) -> Turn {
        // Others here wait for another process already. To ask for the lease once more would be in vain.
        if self.watches.is_under_way(&visit.key) && !self.regenerations.is_under_way(&visit.key) {
            return self.elsewhere(visit, renderer, errand, None).await;
        }
        let begin = || self.job(visit, renderer, errand.broken.clone(), errand.after_expiry).run();
        let Joined { flight, is_first } = self.regenerations.join(&visit.key, begin);
        let flown =
            if is_first { Some(flight.await) } else { timeout_at(errand.deadline, flight).await.ok() };
        Turn::Over(match flown {
            // It began before a purge that this visitor came after: the rows have the last word.
            Some(flown) if flown.is_older_than(&errand.known) => {
                return self.look_after_purge(visit, renderer, errand).await;
            }
            Some(Flown::Published(page, body)) => {
                let state = if is_first { State::Miss } else { State::WaitHit };
                let age = page.age(self.now());
                Ok(Served { state, page, body, age, later: None })
            }
            Some(Flown::Found(found)) => {
                match self.page_with_body(visit, &found, State::WaitHit, self.now()).await {
                    Some(served) => Ok(served),
                    None => {
                        errand.broken = found.pointer().map(str::to_owned);
                        return Turn::Again(Error::Busy { until: None });
                    }
                }
            }
            Some(Flown::Unstored(rendered, generated)) => Ok(passed(&self.bodies, &rendered, generated)),
            Some(Flown::Unkept(rendered, generated)) if is_first => {
                Ok(passed(&self.bodies, &rendered, generated))
            }
            Some(Flown::Unkept(..)) => self.pass_alone(visit, &**renderer).await,
            Some(Flown::Busy(until)) => return self.elsewhere(visit, renderer, errand, Some(until)).await,
            None => self.instead(visit, Error::Busy { until: None }).await,
            Some(Flown::NotYet(at)) => self.put_off(visit, &errand.known, at).await,
            // It is no page any more, so an older one is no answer.
            Some(Flown::Failed(reason, ..)) if reason.is_unkeepable() => Err(Error::Render(reason)),
            Some(Flown::Failed(reason, answer, at)) => {
                let answer = answer.filter(|answer| is_first || is_for_all(answer));
                match (self.instead(visit, Error::Render(reason)).await, answer) {
                    (Err(_), Some(answer)) => Ok(passed(&self.bodies, &answer, at)),
                    (instead, _) => instead,
                }
            }
            // What was refused is the intent of whoever began, not this visitor's.
            Some(Flown::InProgress(_) | Flown::Mismatch) if !is_first => {
                return Turn::Again(Error::Busy { until: None });
            }
            Some(Flown::InProgress(until)) => self.instead(visit, Error::InProgress { until }).await,
            Some(Flown::Mismatch) => Err(Error::IntentMismatch),
            Some(Flown::StoreFailed) => self.without_store(visit, renderer).await,
        })
    }

    /// What the rows say about a page that others here have rendered or found before it was purged.
    async fn look_after_purge(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        errand: &mut Errand,
    ) -> Turn {
        let partition = match self.meta.partition(&visit.key) {
            Ok(partition) => partition,
            Err(error) => return Turn::Over(Err(error)),
        };
        let Some(known) = self.look(visit, &partition).await else {
            return Turn::Over(self.without_store(visit, renderer).await);
        };
        errand.known = known;
        match self.cached(visit, renderer, &errand.known).await {
            Cached::Served(served) => Turn::Over(Ok(served)),
            Cached::Nothing { broken } => {
                errand.broken = broken;
                Turn::Again(Error::Busy { until: None })
            }
        }
    }

    /// The page, if it came while this visitor waited: then there is nothing to be rendered.
    async fn meanwhile(&self, visit: &Visit, broken: Option<&str>) -> Option<Served> {
        let now = self.now();
        let known = self.known.get(&visit.key)?;
        let is_new = known.is_recent(self.moment(), self.settings.meta_cache) && known.pointer() != broken;
        if !(is_new && known.is_fresh(now, &visit.policy)) {
            return None;
        }
        self.page_with_body(visit, &known, State::WaitHit, now).await
    }

    /// Waits for the process that renders the page, and says what is next.
    async fn elsewhere(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        errand: &mut Errand,
        until: Option<Timestamp>,
    ) -> Turn {
        Turn::Over(match self.wait(visit, &errand.known, errand.deadline).await {
            Ok(Waited::Served(served)) => Ok(served),
            Ok(Waited::Again { expired }) => {
                errand.after_expiry = expired;
                return Turn::Again(Error::Busy { until });
            }
            Ok(Waited::StoreFailed) => self.without_store(visit, renderer).await,
            Ok(Waited::NotYet(at)) => self.put_off(visit, &errand.known, at).await,
            Err(error) => Err(error),
        })
    }

    /// Nobody renders the page before this moment. Whoever comes until then is told so without asking the store.
    async fn put_off(self: &Arc<Self>, visit: &Visit, known: &Known, at: Timestamp) -> Result<Served, Error> {
        known.put_off_until(at);
        self.instead(visit, Error::BackedOff { at, now: self.now() }).await
    }

    /// Waits for the process that renders the page.
    async fn wait(
        self: &Arc<Self>,
        visit: &Visit,
        known: &Known,
        deadline: Instant,
    ) -> Result<Waited, Error> {
        let partition = self.meta.partition(&visit.key)?;
        let seen = known.pointer().map(str::to_owned);
        Ok(match self.watch(visit, &partition, seen, deadline).await {
            Some(Watched::Published(news))
                if !news.page.as_deref().is_some_and(|page| known.is_newer_than(page)) =>
            {
                match self.page_with_body(visit, &news, State::WaitHit, self.now()).await {
                    Some(served) => Waited::Served(served),
                    None => Waited::Again { expired: false },
                }
            }
            Some(Watched::Published(_) | Watched::Free) | None => Waited::Again { expired: false },
            Some(Watched::Expired) => Waited::Again { expired: true },
            Some(Watched::NotYet(at)) => Waited::NotYet(at),
            Some(Watched::Failed) => Waited::StoreFailed,
        })
    }
}
