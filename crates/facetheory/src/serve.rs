//! A visitor is served: from what is known, or from what is read. What must be rendered is an errand.

use std::sync::Arc;

use tabletheory_core::{Seconds, Timestamp};

use crate::body::Body;
use crate::error::Error;
use crate::event::{Event, State};
use crate::flight::Joined;
use crate::freshness::Plan;
use crate::isr::{Inner, Isr};
use crate::known::Known;
use crate::outcome::{Flown, Regeneration};
use crate::page::Page;
use crate::regenerate::Job;
use crate::render::Renderer;
use crate::visit::{Served, Visit};

/// After work that a store did not let be kept, the next who comes within this time does not begin it again.
const QUIET: Seconds = Seconds(1);

/// What the cache has for a visitor.
pub(crate) enum Cached {
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
        visit.policy.check()?;
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
    pub(crate) async fn cached(
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
    pub(crate) async fn page_with_body(
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
        let kept = page.kept()?;
        match self.bodies.get(&kept.pointer, kept.stored.as_ref()).await {
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
        if known.is_quiet(now) || self.is_passing(&visit.key) || self.regenerations.is_under_way(&visit.key) {
            return None;
        }
        let begin = || {
            let (job, known) = (self.job(visit, renderer, None, false), Arc::clone(known));
            async move {
                let flown = job.run().await;
                match &flown {
                    Flown::Busy(until) | Flown::NotYet(until) => known.be_quiet_until(*until),
                    Flown::Unstored(..) | Flown::StoreFailed => known.be_quiet_until(now + QUIET),
                    _ => {}
                }
                flown
            }
        };
        let Joined { flight, is_first } = self.regenerations.join(&visit.key, begin);
        is_first.then_some(Regeneration { flight })
    }

    pub(crate) fn job(
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
            is_forced: false,
        }
    }
}
