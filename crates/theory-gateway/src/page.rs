//! Pages that are kept and regenerated: a request becomes a key, the key a page, and the page an answer.
//!
//! | module | what it is for |
//! |---|---|
//! | `site`, `key`, `query`, `cookies` | what makes another page |
//! | `request`, `render`, `directives`, `vary` | what the application is asked, and what its answer says |
//! | `place` | a route of a site at work |
//! | `encoding`, `compress`, `conditional`, `range`, `head`, `status`, `answer` | what clients get |
//! | `refused`, `tasks` | what they get when there is no page, and what goes on beside them |

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
mod tasks;
mod vary;

use std::fmt;

use facetheory::{Error, Isr, Served, State, Visit};
use http::header::HeaderName;
use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};

use crate::answer::Body;
use crate::asked::{self, Asked};
use crate::refusal::Refusal;
use crate::settings::{PageRoute, Secret};

use compress::Compressing;
use tasks::Tasks;

pub use key::may_be_keyed;
pub use place::PagePlace;
pub use site::{Fetching, SiteAtWork, Upstream};
pub use status::BYPASSED;

/// The header, or the cookie, with which an operator sees a page past the cache.
const PREVIEW: HeaderName = HeaderName::from_static("x-theory-preview");

/// Pages that are kept and regenerated.
pub struct Pages {
    isr: Isr,
    preview: Option<Secret>,
    compressing: Compressing,
    tasks: Tasks,
}

impl Pages {
    /// Pages in this cache. Whoever shows the secret sees pages past it.
    #[must_use]
    pub fn new(isr: Isr, preview: Option<Secret>) -> Self {
        Self { isr, preview, compressing: Compressing::default(), tasks: Tasks::default() }
    }

    /// The cache.
    #[must_use]
    pub fn isr(&self) -> &Isr {
        &self.isr
    }

    /// How many renders go on beside answers.
    #[must_use]
    pub fn running(&self) -> usize {
        self.tasks.running()
    }

    /// Waits until no render goes on beside an answer. Whoever stops bounds this.
    pub async fn settled(&self) {
        self.tasks.ended().await;
    }

    /// Answers a request for a page: `GET` or `HEAD`. `has_body` is whether it has a body that it did not announce, as HTTP/2 allows.
    pub async fn answer(
        &self,
        place: &PagePlace,
        wanted: &Asked,
        head: &Parts,
        has_body: bool,
    ) -> Response<Body> {
        // One that is left unread could be taken for the next request.
        if has_body || asked::has_body(head) {
            return Refusal::last(StatusCode::BAD_REQUEST, "a request for a page has no body").into();
        }
        let visit = match place.visit(wanted, &head.headers) {
            Ok(visit) => visit,
            Err(refusal) => return refusal.into(),
        };
        if self.is_preview(&head.headers) {
            let served = self.isr.preview(&place.preview(visit), place.renderer()).await;
            return served
                .map_or_else(|error| self.refusal(&error).into(), |served| answer::previewed(&served, head));
        }
        if let Some(served) = self.isr.at_hand(&visit) {
            return answer::kept(&served, place.vary(), head, &self.compressing).await;
        }
        match self.served(place, visit).await {
            Ok(served) if served.state == State::Uncached => answer::passed(&served, place.policy(), head),
            Ok(served) => answer::kept(&served, place.vary(), head, &self.compressing).await,
            Err(refusal) => refusal.into(),
        }
    }

    /// Serves a visitor. What it takes goes on when the visitor has gone: whoever is impatient must not keep a slow page from
    /// being made at all.
    async fn served(&self, place: &PagePlace, visit: Visit) -> Result<Served, Refusal> {
        let (isr, tasks, renderer) = (self.isr.clone(), self.tasks.clone(), place.renderer().clone());
        let serving = self.tasks.spawn(async move {
            let mut served = isr.serve(&visit, &renderer).await?;
            if let Some(later) = served.later.take() {
                tasks.spawn(later.run());
            }
            Ok::<_, Error>(served)
        });
        match serving.await {
            Ok(Ok(served)) => Ok(served),
            Ok(Err(error)) => Err(self.refusal(&error)),
            Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be made")),
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

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("isr", &self.isr)
            .field("running", &self.running())
            .finish_non_exhaustive()
    }
}
