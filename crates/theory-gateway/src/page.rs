//! Pages that are kept and regenerated: a request becomes a key, the key a page, and the page an answer.
//!
//! | module | what it is for |
//! |---|---|
//! | `site`, `key`, `query`, `cookies` | what makes another page |
//! | `request`, `render`, `directives`, `vary` | what the application is asked, and what its answer says |
//! | `place` | a route of a site at work |
//! | `later` | what is to be done beside an answer |
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
mod later;
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

use facetheory::{Error, Isr, Served, State, Visit};
use http::header::{ACCEPT, HeaderName, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Method, Response, StatusCode};

use crate::answer::Body;
use crate::asked::{self, Asked, Matter};
use crate::refusal::Refusal;
use crate::settings::{PageRoute, Secret};
use crate::tasks::Tasks;

use answer::Reply;
use compress::{Choice, Compressing};
use head::Heads;
use later::Streamed;

pub(crate) use key::may_be_keyed;
pub use later::Later;
pub use place::PagePlace;
pub use site::{Fetching, SiteAtWork, Upstream};

/// The header, or the cookie, with which an operator sees a page past the cache.
const PREVIEW: HeaderName = HeaderName::from_static("x-theory-preview");

/// What is at this address has no end, or is too long to be kept: it is no page, and is to be passed as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what is at this address is no page: it is too long, or has no end")]
pub struct Unkeepable;

/// What a request for a page comes to without waiting.
pub(crate) enum AtHand {
    /// It is answered with a fresh page.
    Page(Response<Body>),
    /// It is refused.
    Refused(Refusal),
    /// It takes this visit.
    Not(Visit),
}

/// Pages that are kept and regenerated.
pub struct Pages {
    isr: Isr,
    preview: Option<Secret>,
    compressing: Compressing,
    heads: Heads,
    tasks: Tasks,
    streamed: Streamed,
}

impl Pages {
    /// Pages in this cache. Whoever shows the secret sees pages past it.
    #[must_use]
    pub fn new(isr: Isr, preview: Option<Secret>) -> Self {
        Self {
            isr,
            preview,
            compressing: Compressing::default(),
            heads: Heads::default(),
            tasks: Tasks::default(),
            streamed: Streamed::default(),
        }
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
        self.streamed.forget();
    }

    /// What goes on beside answers.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Answers a request for a page as [`answer`](Self::answer) does, if that needs no waiting.
    pub(crate) fn at_hand(&self, place: &PagePlace, wanted: &Asked, head: &Parts, has_body: bool) -> AtHand {
        // One that is left unread could be taken for the next request.
        if has_body || wanted.brings(Matter::Body) && asked::has_body(head) {
            return AtHand::Refused(Refusal::last(
                StatusCode::BAD_REQUEST,
                "a request for a page has no body",
            ));
        }
        let visit = match place.visit(wanted, &head.headers) {
            Ok(visit) => visit,
            Err(refusal) => return AtHand::Refused(refusal),
        };
        if self.is_preview(&head.headers) {
            return AtHand::Not(visit);
        }
        let answered = self.isr.at_hand(&visit, |served| {
            let reply = Reply::to((wanted, head), served, &self.heads, place.vary());
            match reply.choose(&self.compressing) {
                Choice::Ready(encoding, bytes) => Some(reply.with(encoding, bytes)),
                Choice::Wait(_) => None,
            }
        });
        answered.map_or(AtHand::Not(visit), AtHand::Page)
    }

    /// Whether a request on a route is for the page, and not for the application behind it: it reads, and brings nothing that
    /// passes the page by.
    #[must_use]
    pub fn is_for_page(&self, place: &PagePlace, wanted: &Asked, headers: &HeaderMap) -> bool {
        // Whoever shows the secret of previews wants the page, whatever else they send.
        let is_bypass = bypasses(place.route(), headers) && !self.is_preview(headers);
        let is_for_events = wanted.brings(Matter::Accept) && is_for_events(headers);
        matches!(*wanted.method(), Method::GET | Method::HEAD) && !is_bypass && !is_for_events
    }

    /// Answers a request for a page: `GET` or `HEAD`. `has_body` is whether it has a body that it did not announce, as HTTP/2 allows.
    /// What it takes goes on when the visitor has gone: whoever is impatient must not keep a slow page from being made at all.
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
        let visit = match self.at_door(place, wanted, head, has_body).await {
            Break(answered) => return answered,
            Continue(visit) => visit,
        };
        let (isr, tasks, renderer) = (self.isr.clone(), self.tasks.clone(), place.renderer().clone());
        let streamed = self.streamed.clone();
        let serving = async move {
            let mut served = streamed.noted(&visit, isr.serve(&visit, &renderer).await);
            if let Ok(served) = &mut served
                && let Some(later) = Later::of(&visit, served, &streamed)
            {
                tasks.spawn(later.run());
            }
            served
        };
        match self.tasks.finish(serving).await {
            Some(served) => self.told(place, (wanted, head), served).await,
            None => Ok(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be made").into()),
        }
    }

    /// Answers as [`answer`](Self::answer) does, and does nothing beside it: no task is spawned, a visitor who leaves takes the
    /// render along, and a page that is to be rendered again comes back as a value. It is for processes that stand still after an
    /// answer, as functions do.
    ///
    /// # Errors
    /// If what is there is no page, and the request is to be passed.
    pub async fn answer_alone(
        &self,
        place: &PagePlace,
        wanted: &Asked,
        head: &Parts,
        has_body: bool,
    ) -> Result<(Response<Body>, Option<Later>), Unkeepable> {
        let visit = match self.at_door(place, wanted, head, has_body).await {
            Break(answered) => return Ok((answered?, None)),
            Continue(visit) => visit,
        };
        let served = self.isr.serve(&visit, place.renderer()).await;
        let mut served = self.streamed.noted(&visit, served);
        let later = served.as_mut().ok().and_then(|served| Later::of(&visit, served, &self.streamed));
        Ok((self.told(place, (wanted, head), served).await?, later))
    }

    /// Answers what needs no visit to the cache, or says what is to be visited.
    async fn at_door(
        &self,
        place: &PagePlace,
        wanted: &Asked,
        head: &Parts,
        has_body: bool,
    ) -> ControlFlow<Result<Response<Body>, Unkeepable>, Visit> {
        let visit = match self.at_hand(place, wanted, head, has_body) {
            AtHand::Page(response) => return Break(Ok(response)),
            AtHand::Refused(refusal) => return Break(Ok(refusal.into())),
            AtHand::Not(visit) => visit,
        };
        if self.is_preview(&head.headers) {
            let served = self.isr.preview(&place.preview(visit), place.renderer()).await;
            return Break(Ok(served.map_or_else(
                |error| self.refusal(&error).into(),
                |served| answer::previewed(&served, head),
            )));
        }
        if self.streamed.is_known(visit.key()) { Break(Err(Unkeepable)) } else { Continue(visit) }
    }

    /// What a client is told of what was served.
    async fn told(
        &self,
        place: &PagePlace,
        (wanted, head): (&Asked, &Parts),
        served: Result<Served, Error>,
    ) -> Result<Response<Body>, Unkeepable> {
        match served {
            Ok(served) if served.state == State::Uncached => {
                Ok(answer::passed(&served, place.policy(), head))
            }
            Ok(served) => {
                let reply = Reply::to((wanted, head), &served, &self.heads, place.vary());
                let (encoding, bytes) = match reply.choose(&self.compressing) {
                    Choice::Ready(encoding, bytes) => (encoding, bytes),
                    Choice::Wait(encoding) => Compressing::wait(&served.body, encoding).await,
                };
                Ok(reply.with(encoding, bytes))
            }
            Err(Error::Render(reason)) if reason.is_unkeepable() => Err(Unkeepable),
            Err(error) => Ok(self.refusal(&error).into()),
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
fn bypasses(route: &PageRoute, headers: &HeaderMap) -> bool {
    route.bypass.iter().any(|name| headers.contains_key(name))
}

/// Whether a request is for a stream of events.
fn is_for_events(headers: &HeaderMap) -> bool {
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
