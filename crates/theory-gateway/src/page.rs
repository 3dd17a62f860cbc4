//! Pages that are kept and regenerated: a request becomes a key, the key a page, and the page an answer.
//!
//! | module | what it is for |
//! |---|---|
//! | `site`, `key`, `query`, `cookies` | what makes another page |
//! | `request`, `render`, `directives`, `vary` | what the application is asked, and what its answer says |
//! | `place` | a route of a site at work |
//! | `encoding`, `compress`, `conditional`, `range`, `head`, `status`, `answer` | what clients get |
//! | `refused` | what they get when there is no page |

mod answer;
mod compress;
mod conditional;
mod cookies;
mod directives;
mod encoding;
mod head;
mod key;
mod place;
mod query;
mod range;
mod refused;
mod render;
mod request;
mod site;
mod status;
mod vary;

use std::fmt;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::time::Duration;

use facetheory::{Error, Isr, PageKey, Regenerated, Served, State, Visit};
use http::header::{ACCEPT, HeaderName, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::answer::Body;
use crate::asked::{self, Asked};
use crate::refusal::Refusal;
use crate::settings::{PageRoute, Secret};
use crate::tasks::Tasks;

use answer::Reply;
use compress::{Choice, Compressing};

pub use key::may_be_keyed;
pub use place::PagePlace;
pub use site::{Fetching, SiteAtWork, Upstream};

/// The header, or the cookie, with which an operator sees a page past the cache.
const PREVIEW: HeaderName = HeaderName::from_static("x-theory-preview");

/// For so long what the application gave at an address, and could not be kept, is not asked for as a page again.
const STREAMED_FOR: Duration = Duration::from_secs(60);

/// Of so many addresses it is known that they give no pages.
const STREAMED_MAX: usize = 4_096;

/// What is at this address has no end, or is too long to be kept: it is no page, and is to be passed as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what is at this address is no page: it is too long, or has no end")]
pub struct Unkeepable;

/// Why a visitor gets no page.
enum Unserved {
    Unkeepable,
    Refused(Refusal),
}

/// Pages that are kept and regenerated.
pub struct Pages {
    isr: Isr,
    preview: Option<Secret>,
    compressing: Compressing,
    tasks: Tasks,
    /// Addresses whose last answer was no page, and until when that is believed.
    streamed: Arc<Cache<PageKey, Instant>>,
}

impl Pages {
    /// Pages in this cache. Whoever shows the secret sees pages past it.
    #[must_use]
    pub fn new(isr: Isr, preview: Option<Secret>) -> Self {
        let (compressing, tasks) = (Compressing::default(), Tasks::default());
        Self { isr, preview, compressing, tasks, streamed: Arc::new(Cache::new(STREAMED_MAX)) }
    }

    /// The cache.
    #[must_use]
    pub fn isr(&self) -> &Isr {
        &self.isr
    }

    /// How much goes on beside answers.
    #[must_use]
    pub fn running(&self) -> usize {
        self.tasks.running()
    }

    /// Waits until nothing goes on beside answers. Whoever stops bounds this.
    pub async fn settled(&self) {
        self.tasks.ended().await;
    }

    /// Forgets which addresses give no pages: the application may have been mended.
    pub(crate) fn forget_streamed(&self) {
        self.streamed.clear();
    }

    /// What goes on beside answers.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Answers a request for a page as [`answer`](Self::answer) does, if that needs no waiting: the page is at hand, or the request is
    /// refused. Else goes on with the visit.
    pub fn at_hand(
        &self,
        place: &PagePlace,
        wanted: &Asked,
        head: &Parts,
        has_body: bool,
    ) -> ControlFlow<Response<Body>, Visit> {
        // One that is left unread could be taken for the next request.
        if has_body || asked::has_body(head) {
            return Break(Refusal::last(StatusCode::BAD_REQUEST, "a request for a page has no body").into());
        }
        let visit = match place.visit(wanted, &head.headers) {
            Ok(visit) => visit,
            Err(refusal) => return Break(refusal.into()),
        };
        if self.is_preview(&head.headers) {
            return Continue(visit);
        }
        let Some(served) = self.isr.at_hand(&visit) else { return Continue(visit) };
        let reply = Reply::to(head, &served, place.vary());
        match reply.choose(&self.compressing) {
            Choice::Ready(encoding, bytes) => Break(reply.with(encoding, bytes)),
            Choice::Wait(_) => Continue(visit),
        }
    }

    /// Answers a request for a page: `GET` or `HEAD`. `has_body` is whether it has a body that it did not announce, as HTTP/2 allows.
    ///
    /// # Errors
    /// If what is there is no page, and the request is to be passed.
    pub async fn answer(
        &self,
        place: &PagePlace,
        wanted: &Asked,
        head: &Parts,
        has_body: bool,
    ) -> Result<Response<Body>, Unkeepable> {
        let visit = match self.at_hand(place, wanted, head, has_body) {
            Break(response) => return Ok(response),
            Continue(visit) => visit,
        };
        if self.is_preview(&head.headers) {
            let served = self.isr.preview(&place.preview(visit), place.renderer()).await;
            return Ok(served.map_or_else(
                |error| self.refusal(&error).into(),
                |served| answer::previewed(&served, head),
            ));
        }
        if self.streamed.get(visit.key()).is_some_and(|until| Instant::now() < until) {
            return Err(Unkeepable);
        }
        match self.served(place, visit).await {
            Ok(served) if served.state == State::Uncached => {
                Ok(answer::passed(&served, place.policy(), head))
            }
            Ok(served) => {
                let reply = Reply::to(head, &served, place.vary());
                let (encoding, bytes) = match reply.choose(&self.compressing) {
                    Choice::Ready(encoding, bytes) => (encoding, bytes),
                    Choice::Wait(encoding) => Compressing::wait(&served.body, encoding).await,
                };
                Ok(reply.with(encoding, bytes))
            }
            Err(Unserved::Refused(refusal)) => Ok(refusal.into()),
            Err(Unserved::Unkeepable) => Err(Unkeepable),
        }
    }

    /// Serves a visitor. What it takes goes on when the visitor has gone: whoever is impatient must not keep a slow page from
    /// being made at all.
    async fn served(&self, place: &PagePlace, visit: Visit) -> Result<Served, Unserved> {
        let (isr, tasks, renderer) = (self.isr.clone(), self.tasks.clone(), place.renderer().clone());
        let streamed = Arc::clone(&self.streamed);
        let serving = self.tasks.spawn(async move {
            let served = isr.serve(&visit, &renderer).await;
            let key = visit.key().clone();
            let stream = move || streamed.insert(key, Instant::now() + STREAMED_FOR);
            match served {
                Ok(mut served) => {
                    if let Some(later) = served.later.take() {
                        tasks.spawn(async move {
                            if later.run().await == Regenerated::Unkeepable {
                                stream();
                            }
                        });
                    }
                    Ok(served)
                }
                Err(Error::Render(reason)) if reason.is_unkeepable() => {
                    stream();
                    Err(Error::Render(reason))
                }
                Err(error) => Err(error),
            }
        });
        match serving.await {
            Ok(Ok(served)) => Ok(served),
            Ok(Err(Error::Render(reason))) if reason.is_unkeepable() => Err(Unserved::Unkeepable),
            Ok(Err(error)) => Err(Unserved::Refused(self.refusal(&error))),
            Err(_) => {
                let detail = "the page cannot be made";
                Err(Unserved::Refused(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, detail)))
            }
        }
    }

    fn refusal(&self, error: &Error) -> Refusal {
        refused::of(error, self.isr.meta().db().clock().now())
    }

    /// Whether the request shows the secret of previews.
    pub(crate) fn is_preview(&self, headers: &HeaderMap) -> bool {
        let Some(secret) = &self.preview else { return false };
        let shown = headers.get(&PREVIEW).and_then(|value| value.to_str().ok());
        let is_shown = |text: &str| secret.is(text);
        shown.is_some_and(is_shown)
            || cookies::all(headers).any(|(name, value)| {
                name == PREVIEW.as_str().as_bytes() && std::str::from_utf8(value).is_ok_and(is_shown)
            })
    }
}

/// Whether a request goes past the cache to the application, with everything it has, and nothing of it is kept.
#[must_use]
pub fn bypasses(route: &PageRoute, headers: &HeaderMap) -> bool {
    route.bypass.iter().any(|name| headers.contains_key(name))
}

/// Whether a request is for a stream of events.
#[must_use]
pub fn is_for_events(headers: &HeaderMap) -> bool {
    let wants = |value: &HeaderValue| {
        let mut ranges = value.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        ranges.any(|range| range.eq_ignore_ascii_case(b"text/event-stream"))
    };
    headers.get_all(ACCEPT).iter().any(wants)
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("isr", &self.isr)
            .field("running", &self.tasks.running())
            .finish_non_exhaustive()
    }
}
