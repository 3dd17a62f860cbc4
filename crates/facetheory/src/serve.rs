//! A visitor is served: from what is known, from what is read, or from a render; and when something fails, from the next
//! best thing.

use std::sync::Arc;

use tabletheory_core::Timestamp;
use tokio::time::{Instant, timeout_at};

use crate::body::Body;
use crate::error::Error;
use crate::event::{Event, State};
use crate::flight::Joined;
use crate::freshness::Plan;
use crate::isr::{Inner, Isr};
use crate::known::Known;
use crate::outcome::{Flown, Regeneration, Watched};
use crate::page::Page;
use crate::regenerate::Job;
use crate::render::Renderer;
use crate::uncached::passed;
use crate::visit::{Served, Visit};

/// What the cache has for a visitor.
enum Cached {
    Served(Served),
    /// Nothing that can be served. The pointer is one whose body is gone.
    Nothing {
        broken: Option<String>,
    },
}

impl Isr {
    /// Serves a visitor.
    ///
    /// A stale page may come with work to be done beside it ([`Served::later`]). If the visitor goes away and this is
    /// dropped, a render under way is dropped with it unless others wait for it too.
    ///
    /// # Errors
    /// If there is no page that could be served, and none could be rendered.
    pub async fn serve(&self, visit: &Visit, renderer: &Arc<dyn Renderer>) -> Result<Served, Error> {
        let served = self.inner.answer(visit, renderer).await;
        match &served {
            Ok(served) => self.inner.served(&visit.key, served.state),
            Err(_) => self.inner.tell(&visit.key, &Event::Refused),
        }
        served
    }
}

impl Inner {
    async fn answer(self: &Arc<Self>, visit: &Visit, renderer: &Arc<dyn Renderer>) -> Result<Served, Error> {
        if !visit.is_cacheable() {
            return self.pass_alone(visit, &**renderer).await;
        }
        let now = self.moment();
        let recent =
            self.known.get(&visit.key).filter(|known| known.is_recent(now, self.settings.meta_cache));
        if let Some(known) = recent {
            match self.cached(visit, renderer, &known).await {
                Cached::Served(served) => return Ok(served),
                // What was read a moment ago may name a body that was replaced since.
                Cached::Nothing { broken: Some(_) } => {}
                Cached::Nothing { broken: None } => return self.render(visit, renderer, known, None).await,
            }
        }
        let partition = self.meta.partition(&visit.key)?;
        let Some(known) = self.look(visit, &partition).await else {
            return self.without_store(visit, renderer).await;
        };
        match self.cached(visit, renderer, &known).await {
            Cached::Served(served) => Ok(served),
            Cached::Nothing { broken } => self.render(visit, renderer, known, broken).await,
        }
    }

    /// Serves what is known, as far as the plan allows.
    async fn cached(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        known: &Arc<Known>,
    ) -> Cached {
        let now = self.now();
        let state = match known.plan(now, &visit.policy) {
            Plan::Serve | Plan::Negative => State::Hit,
            Plan::ServeStale => State::Stale,
            Plan::Render => return Cached::Nothing { broken: None },
        };
        match self.page_with_body(visit, known, state, now).await {
            Some(mut served) => {
                if state == State::Stale {
                    served.later = self.offer(visit, renderer, known, now);
                }
                Cached::Served(served)
            }
            None => Cached::Nothing { broken: known.pointer().map(str::to_owned) },
        }
    }

    /// The page, if its body is there.
    async fn page_with_body(
        &self,
        visit: &Visit,
        known: &Known,
        state: State,
        now: Timestamp,
    ) -> Option<Served> {
        let page = known.page.as_ref()?;
        let body = self.body(visit, page).await?;
        Some(Served { state, page: Arc::clone(page), body, age: page.age(now), later: None })
    }

    /// A body that is gone, or that the store does not give, is a miss.
    async fn body(&self, visit: &Visit, page: &Page) -> Option<Body> {
        let meta = page.meta()?;
        match self.bodies.get(&meta.s3_key, page.stored()).await {
            Ok(Some(body)) => Some(body),
            Ok(None) => {
                self.tell(&visit.key, &Event::BodyMissing);
                None
            }
            Err(error) => {
                self.tell(&visit.key, &Event::BodyFailed { why: error.to_string() });
                None
            }
        }
    }

    /// The work beside a stale page, unless it is under way or was in vain a moment ago.
    fn offer(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        known: &Arc<Known>,
        now: Timestamp,
    ) -> Option<Regeneration> {
        if known.is_quiet(now) || self.regenerations.is_under_way(&visit.key) {
            return None;
        }
        let begin = || {
            let (job, known) = (self.job(visit, renderer, None, false), Arc::clone(known));
            async move {
                let flown = job.run().await;
                if let Flown::Busy(until) | Flown::NotYet(until) = &flown {
                    known.be_quiet_until(*until);
                }
                flown
            }
        };
        let Joined { flight, is_first } = self.regenerations.join(&visit.key, begin);
        is_first.then_some(Regeneration { flight })
    }

    fn job(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        broken: Option<String>,
        after_expiry: bool,
    ) -> Job {
        Job {
            inner: Arc::clone(self),
            visit: visit.clone(),
            renderer: Arc::clone(renderer),
            broken,
            after_expiry,
        }
    }

    /// Has the page rendered here or elsewhere, and waits for it.
    async fn render(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
        mut known: Arc<Known>,
        mut broken: Option<String>,
    ) -> Result<Served, Error> {
        let deadline = Instant::now() + visit.policy.wait;
        let mut after_expiry = false;
        loop {
            let begin = || self.job(visit, renderer, broken.clone(), after_expiry).run();
            let Joined { flight, is_first } = self.regenerations.join(&visit.key, begin);
            let flown = if is_first { Some(flight.await) } else { timeout_at(deadline, flight).await.ok() };
            let error = match flown {
                // The flight began before a purge that this visitor came after: the rows have the last word.
                Some(flown) if flown.page().is_some_and(|page| known.is_newer_than(Some(page))) => {
                    let partition = self.meta.partition(&visit.key)?;
                    let Some(news) = self.look(visit, &partition).await else {
                        return self.without_store(visit, renderer).await;
                    };
                    known = news;
                    match self.cached(visit, renderer, &known).await {
                        Cached::Served(served) => return Ok(served),
                        Cached::Nothing { broken: gone } => broken = gone,
                    }
                    Error::Busy { until: None }
                }
                Some(Flown::Published(page, body)) => {
                    let state = if is_first { State::Miss } else { State::WaitHit };
                    let age = page.age(self.now());
                    return Ok(Served { state, page, body, age, later: None });
                }
                Some(Flown::Found(found)) => {
                    if let Some(served) = self.page_with_body(visit, &found, State::WaitHit, self.now()).await
                    {
                        return Ok(served);
                    }
                    broken = found.pointer().map(str::to_owned);
                    Error::Busy { until: None }
                }
                Some(Flown::Unkept(rendered, generated)) if is_first => {
                    return Ok(passed(&self.bodies, &rendered, generated));
                }
                Some(Flown::Unkept(..)) => return self.pass_alone(visit, &**renderer).await,
                Some(Flown::Busy(until)) => match self.wait(visit, &known, deadline).await? {
                    Waited::Served(served) => return Ok(served),
                    Waited::Again { expired } => {
                        after_expiry = expired;
                        Error::Busy { until: Some(until) }
                    }
                    Waited::StoreFailed => return self.without_store(visit, renderer).await,
                    Waited::NotYet(at) => {
                        return self.instead(visit, Error::BackedOff { at, now: self.now() }).await;
                    }
                },
                None => return self.instead(visit, Error::Busy { until: None }).await,
                Some(Flown::NotYet(at)) => {
                    return self.instead(visit, Error::BackedOff { at, now: self.now() }).await;
                }
                Some(Flown::Failed(reason, answer, at)) => {
                    return match (self.instead(visit, Error::Render(reason)).await, answer) {
                        // It may be meant for the one it was rendered for.
                        (Err(_), Some(answer)) if is_first => Ok(passed(&self.bodies, &answer, at)),
                        (instead, _) => instead,
                    };
                }
                Some(Flown::InProgress(until)) => {
                    return self.instead(visit, Error::InProgress { until }).await;
                }
                Some(Flown::Mismatch) => return Err(Error::IntentMismatch),
                Some(Flown::StoreFailed) => return self.without_store(visit, renderer).await,
            };
            if Instant::now() >= deadline {
                return self.instead(visit, error).await;
            }
        }
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
            Some(Watched::Published(news)) if !known.is_newer_than(news.page.as_deref()) => {
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

    /// An older page instead of an error, if the policy allows.
    async fn instead(&self, visit: &Visit, error: Error) -> Result<Served, Error> {
        let now = self.now();
        let Some(known) =
            self.known.get(&visit.key).filter(|known| known.may_serve_on_error(now, &visit.policy))
        else {
            return Err(error);
        };
        let state = match error {
            Error::Busy { .. } | Error::InProgress { .. } => State::Stale,
            _ => State::StaleError,
        };
        self.page_with_body(visit, &known, state, now).await.ok_or(error)
    }

    /// Serves without the store: what was known last, or a render that is not kept.
    async fn without_store(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
    ) -> Result<Served, Error> {
        match self.instead(visit, Error::Busy { until: None }).await {
            Ok(served) => Ok(Served { state: State::StaleError, ..served }),
            Err(_) => self.pass_together(visit, renderer).await,
        }
    }
}

/// What waiting for another process came to.
enum Waited {
    Served(Served),
    Again { expired: bool },
    NotYet(Timestamp),
    StoreFailed,
}
