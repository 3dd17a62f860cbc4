//! A visit, and what comes of it.

use std::sync::{Arc, LazyLock};

use http::Method;
use tabletheory_core::Seconds;

use crate::body::Body;
use crate::event::State;
use crate::key::PageKey;
use crate::meta::Intent;
use crate::outcome::Regeneration;
use crate::page::Page;
use crate::policy::Policy;

/// The policy of visits that bring none, made once.
static USUAL: LazyLock<Arc<Policy>> = LazyLock::new(Arc::default);

/// Somebody wants a page.
///
/// ```
/// use facetheory::{PageKey, Policy, Visit};
/// use tabletheory_core::Seconds;
///
/// let visit = Visit::to(PageKey::path("/news")).policy(Policy::fresh_for(Seconds(30)));
/// assert_eq!(visit.key().page_path(), Some(&b"/news"[..]));
/// ```
#[derive(Debug, Clone)]
pub struct Visit {
    pub(crate) key: PageKey,
    pub(crate) policy: Arc<Policy>,
    pub(crate) method: Method,
    pub(crate) intent: Option<Intent>,
}

impl Visit {
    /// A visit to a page, with the default policy.
    #[must_use]
    pub fn to(key: PageKey) -> Self {
        Self { key, policy: Arc::clone(&USUAL), method: Method::GET, intent: None }
    }

    /// With this policy.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<Arc<Policy>>) -> Self {
        self.policy = policy.into();
        self
    }

    /// With another method than `GET`. Answers to others than `GET` and `HEAD` are never kept and never taken from the cache.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// With an intent: its repetitions render the page once. A page that is fresh is served, and then the intent is left
    /// alone; [`Isr::regenerate`](crate::Isr::regenerate) renders it all the same.
    #[must_use]
    pub fn intent(mut self, intent: Intent) -> Self {
        self.intent = Some(intent);
        self
    }

    /// The page.
    #[must_use]
    pub fn key(&self) -> &PageKey {
        &self.key
    }

    pub(crate) fn is_cacheable(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }
}

impl From<PageKey> for Visit {
    fn from(key: PageKey) -> Self {
        Self::to(key)
    }
}

/// What a visitor gets.
#[derive(Debug)]
#[non_exhaustive]
pub struct Served {
    /// How it came about.
    pub state: State,
    /// The page.
    pub page: Arc<Page>,
    /// Its body.
    pub body: Body,
    /// How old it is.
    pub age: Seconds,
    /// The work that is to be done beside it: whoever serves runs it, or drops it, and then the next visitor gets it.
    pub later: Option<Regeneration>,
}
