//! One page, rendered again: lease, second look, render under a renewed lease, body, publish. A lost race is an outcome, and
//! then nothing was written. How the lease is held meanwhile is in `holding`.

mod holding;

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::{Seconds, Timestamp};
use tokio::time::timeout;

use crate::adrift::Held;
use crate::body::BodyKey;
use crate::error::Error;
use crate::event::Event;
use crate::freshness::is_negative;
use crate::isr::Inner;
use crate::key::Partition;
use crate::known::{Known, Moment};
use crate::meta::{Commit, Draft, Ground};
use crate::outcome::Flown;
use crate::page::Page;
use crate::policy::Policy;
use crate::render::{Refusal, Render, RenderError, Rendered, Renderer, Verdict, ask, judge};
use crate::underway::Underway;
use crate::visit::Visit;

/// So often a page is begun anew when it was purged or taken over meanwhile.
const ATTEMPTS_MAX: u32 = 3;

/// For so long the table keeps that there is no page after its time is over: longer than clocks are apart. Whoever publishes after it was
/// forgotten begins with the clock as its generation.
const NEGATIVE_BUFFER: Seconds = Seconds(180);

/// A regeneration to be flown.
pub(crate) struct Job {
    pub(crate) inner: Arc<Inner>,
    pub(crate) visit: Visit,
    pub(crate) renderer: Arc<dyn Renderer>,
    /// The pointer of a body that is gone: metadata that show it are not fresh, whatever they say.
    pub(crate) broken: Option<String>,
    /// Whether the last holder's lease ended although it was not given back.
    pub(crate) after_expiry: bool,
    /// Whether the page is rendered although it is fresh.
    pub(crate) is_forced: bool,
}

/// What an attempt came to.
enum Attempt {
    Done(Flown),
    /// The page must be begun anew. What was rendered for everybody, if anything was, could not be published.
    Anew(Option<(Arc<Rendered>, Timestamp)>),
}

/// What a render stands on.
struct Footing {
    ground: Ground,
    /// When the table may forget the page that is there, in seconds since 1970.
    ttl: Option<i64>,
    /// How many renders failed before.
    failures: u64,
    /// The moment before the origin is asked: what changes there from then on is not in the page.
    generated: Timestamp,
    /// When the ground was looked at.
    looked: Moment,
}

impl Job {
    pub(crate) async fn run(self) -> Flown {
        let partition = match self.inner.meta.partition(&self.visit.key) {
            Ok(partition) => partition,
            Err(error) => {
                self.inner.store_failed(&self.visit.key, &error);
                return Flown::StoreFailed;
            }
        };
        let mut last = None;
        for _ in 0..ATTEMPTS_MAX {
            match self.attempt(&partition).await {
                Ok(Attempt::Done(flown)) => return flown,
                Ok(Attempt::Anew(rendered)) => last = rendered.or(last),
                Err(error) => {
                    self.inner.store_failed(&self.visit.key, &error);
                    return Flown::StoreFailed;
                }
            }
        }
        self.give_back_adrift().await;
        match last {
            // Whoever waited began to before this was rendered. It cannot be kept, but it is no failure.
            Some((rendered, generated)) => Flown::Unstored(rendered, generated),
            None => {
                let reason =
                    RenderError::new("the lease was lost again and again while the page was rendered");
                Flown::Failed(reason, None, self.inner.now())
            }
        }
    }

    /// One attempt.
    async fn attempt(&self, partition: &Partition) -> Result<Attempt, Error> {
        let inner = &*self.inner;
        self.give_back_adrift().await;
        let lease = match self.take(partition).await? {
            Ok(lease) => lease,
            Err(flown) => return Ok(Attempt::Done(flown)),
        };
        let mut held = inner.adrift.hold(&self.visit.key, lease);
        let looked = inner.moment();
        let second = match inner.meta.look_again(held.lease()).await {
            Ok(second) => second,
            Err(error) => {
                self.give_back(held.end()).await;
                return Err(error);
            }
        };
        if !second.still_ours {
            return Ok(self.lease_lost(held));
        }
        if second.look.malformed {
            self.tell(&Event::Malformed);
        }
        let ttl = second.look.meta.as_ref().and_then(|meta| meta.ttl);
        let known = Arc::new(Known::new(second.look, looked));
        inner.remember(&self.visit.key, &known);
        let is_fresh = known.is_fresh(inner.now(), &self.visit.policy) && !self.is_forced;
        if is_fresh && known.pointer() != self.broken.as_deref() {
            return Ok(Attempt::Done(self.found(held.end(), known).await));
        }
        let footing =
            Footing { ground: second.ground, ttl, failures: second.failures, generated: inner.now(), looked };
        let underway = Underway::begin(inner, &self.visit.key);
        let Some(rendered) = self.under(held.lease(), self.render()).await else {
            return Ok(self.lease_lost(held));
        };
        let took = underway.end();
        match rendered {
            Err(reason) if reason.is_unkeepable() => {
                self.tell(&Event::Rendered { took });
                self.tell(&Event::NotKept(Refusal::Unkeepable));
                inner.pass_for_a_while(&self.visit.key);
                self.give_back(held.end()).await;
                Ok(Attempt::Done(Flown::Failed(reason, None, footing.generated)))
            }
            // That it was not tried says nothing of the page: it is not counted, and puts nobody off.
            Err(reason) if reason.is_not_begun() => {
                self.give_back(held.end()).await;
                Ok(Attempt::Done(Flown::Failed(reason, None, footing.generated)))
            }
            Err(reason) => {
                self.tell(&Event::RenderFailed { took, why: reason.to_string() });
                Ok(Attempt::Done(self.failed(held.end(), footing.failures, reason, None).await))
            }
            Ok(rendered) => Ok(self.rendered(held, &footing, rendered, took).await),
        }
    }

    async fn render(&self) -> Result<Rendered, RenderError> {
        let render = Render::new(&self.visit.key, http::Method::GET);
        ask(&*self.renderer, render, self.visit.policy.render_max).await
    }

    /// What becomes of an answer.
    async fn rendered(
        &self,
        held: Held<'_>,
        footing: &Footing,
        rendered: Rendered,
        took: Duration,
    ) -> Attempt {
        let verdict = judge(&http::Method::GET, &rendered, &self.visit.policy);
        self.tell(&match &verdict {
            Verdict::Failed(refusal) => Event::RenderFailed { took, why: refusal.as_str().to_owned() },
            Verdict::Keep { .. } | Verdict::Pass(_) => Event::Rendered { took },
        });
        match verdict {
            Verdict::Failed(refusal) => {
                let reason = RenderError::new(refusal.as_str());
                // Half a body is worse than none.
                let answer = (refusal != Refusal::Incomplete).then(|| Arc::new(rendered));
                Attempt::Done(self.failed(held.end(), footing.failures, reason, answer).await)
            }
            Verdict::Pass(refusal) => {
                self.tell(&Event::NotKept(refusal));
                self.inner.pass_for_a_while(&self.visit.key);
                self.give_back(held.end()).await;
                Attempt::Done(Flown::Unkept(Arc::new(rendered), footing.generated))
            }
            Verdict::Keep { revalidate, headers } => {
                let etag = rendered.headers.get(http::header::ETAG).and_then(|etag| etag.to_str().ok());
                let generated = footing.generated - rendered.age();
                let left = footing.ttl.map(|ttl| Seconds(ttl.saturating_sub(generated.seconds())));
                let (retention, ttl_buffer) = if is_negative(rendered.status.as_u16()) {
                    (negative_retention(revalidate, left, &self.visit.policy), NEGATIVE_BUFFER)
                } else {
                    (self.visit.policy.retention, self.visit.policy.ttl_buffer)
                };
                let draft = Draft {
                    retention,
                    ttl_buffer,
                    etag: etag.map(str::to_owned),
                    status: rendered.status.as_u16(),
                    headers,
                    tags: rendered.tags.clone(),
                    page: self.visit.key.address(),
                    ..Draft::new("", generated, revalidate)
                };
                let draft = match self.visit.key.page_path() {
                    Some(path) => draft.with_path(path),
                    None => draft,
                };
                self.keep(held, footing, rendered, draft).await
            }
        }
    }

    /// The body could not be stored: whoever waits gets it all the same.
    async fn unstored(&self, held: Held<'_>, rendered: Rendered, draft: &Draft, why: String) -> Attempt {
        self.tell(&Event::BodyFailed { why });
        self.give_back(held.end()).await;
        Attempt::Done(Flown::Unstored(Arc::new(rendered), draft.generated))
    }

    /// Stores the body, which may take its time too, and publishes it.
    async fn keep(
        &self,
        mut held: Held<'_>,
        footing: &Footing,
        rendered: Rendered,
        mut draft: Draft,
    ) -> Attempt {
        let lease = held.lease();
        let key = BodyKey::new(lease.partition().as_str(), lease.token());
        // A place that never answers must not keep the lease from those whose place does.
        let putting =
            timeout(self.visit.policy.render_max, self.inner.bodies.put(&key, rendered.body.clone()));
        let stored = match self.under(held.lease(), putting).await {
            None => return self.lease_lost(held),
            Some(Ok(Ok(stored))) => stored,
            Some(Ok(Err(error))) => return self.unstored(held, rendered, &draft, error.to_string()).await,
            Some(Err(_)) => {
                return self.unstored(held, rendered, &draft, "it took too long".to_owned()).await;
            }
        };
        draft.s3_key = key.as_str().to_owned();
        draft.body_sha256 = stored.sha256.to_string();
        draft.body_len = stored.len;
        let body = self.inner.bodies.cached(key.as_str(), Some(&stored));
        let body = body.unwrap_or_else(|| self.inner.bodies.unkept(rendered.body.clone()));
        draft.etag = draft.etag.or_else(|| Some(body.etag().to_owned()));
        let versions = self.visit.policy.versions;
        match self.inner.meta.publish(held.lease(), &footing.ground, &draft, versions).await {
            Ok(Commit::Published(meta)) => {
                drop(held.end());
                self.tell(&Event::Published);
                let page = Arc::new(Page::of(&meta));
                let known = Arc::new(Known::published(Arc::clone(&page), footing.looked));
                self.inner.remember(&self.visit.key, &known);
                Attempt::Done(Flown::Published(page, body))
            }
            // The body stays where it is: only the sweep knows that nothing can name it any more.
            Ok(Commit::Lost(to)) => {
                // Not every loss takes the lease too. It is adrift, and given back before the next attempt.
                self.tell(&Event::PublishLost(to));
                Attempt::Anew(Some((Arc::new(rendered), draft.generated)))
            }
            // The lease may be ours yet, and is adrift: giving it back stops a publish that is still on its way.
            Ok(Commit::Unknown) => {
                self.tell(&Event::PublishUnknown);
                Attempt::Done(Flown::Unstored(Arc::new(rendered), draft.generated))
            }
            Err(error) => {
                self.inner.store_failed(&self.visit.key, &error);
                self.give_back(held.end()).await;
                Attempt::Done(Flown::Unstored(Arc::new(rendered), draft.generated))
            }
        }
    }

    fn tell(&self, event: &Event) {
        self.inner.tell(&self.visit.key, event);
    }
}

/// For how long the table keeps that there is no page. It is not served after its time, and whoever asks for pages at random must not fill the
/// table; but a page that was there is forgotten no sooner for it, and its generations do not begin anew at a clock that is behind.
fn negative_retention(revalidate: Seconds, left: Option<Seconds>, policy: &Policy) -> Seconds {
    let kept_max = policy.retention.0.saturating_add(policy.ttl_buffer.0);
    let left = left.map_or(0, |left| left.0.min(kept_max));
    Seconds(revalidate.0.max(left.saturating_sub(NEGATIVE_BUFFER.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_there_is_no_page_any_more_is_kept_as_long_as_the_page_would_have_been() {
        let policy = Policy { retention: Seconds(1000), ttl_buffer: Seconds(200), ..Policy::default() };
        let kept = |left| negative_retention(Seconds(5), left, &policy).0 + NEGATIVE_BUFFER.0;
        let alone = 5 + NEGATIVE_BUFFER.0;
        assert_eq!((kept(None), kept(Some(Seconds(-7))), kept(Some(Seconds(10)))), (alone, alone, alone));
        assert_eq!(kept(Some(Seconds(700))), 700);
        assert_eq!(kept(Some(Seconds(i64::MAX))), 1200, "a hostile row is not kept for ever");
        assert_eq!(kept(Some(Seconds(i64::MIN))), alone);
    }
}
