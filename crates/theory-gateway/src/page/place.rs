//! A page route of a site at work: everything about it that is the same for all requests, made once.

use std::fmt;
use std::sync::Arc;

use facetheory::render::Renderer;
use facetheory::{PageKey, Policy, Visit};
use http::HeaderMap;

use super::key;
use super::render::{OriginRenderer, pattern};
use super::site::SiteAtWork;
use super::vary::Vary;
use crate::asked::Asked;
use crate::refusal::Refusal;
use crate::settings::PageRoute;

/// A page route of a site at work.
pub struct PagePlace {
    site: Arc<SiteAtWork>,
    route: Arc<PageRoute>,
    renderer: Arc<dyn Renderer>,
    vary: Vary,
}

impl PagePlace {
    /// The route of this pattern.
    ///
    /// # Errors
    /// If the pattern is none.
    pub fn new(
        site: Arc<SiteAtWork>,
        pattern_text: &str,
        route: Arc<PageRoute>,
    ) -> Result<Self, matchit::InsertError> {
        let pattern = pattern(pattern_text)?;
        let vary = Vary::of(&route);
        let renderer = OriginRenderer { site: Arc::clone(&site), route: Arc::clone(&route), pattern };
        Ok(Self { site, route, renderer: Arc::new(renderer), vary })
    }

    /// The site.
    #[must_use]
    pub fn site(&self) -> &Arc<SiteAtWork> {
        &self.site
    }

    /// The route.
    #[must_use]
    pub fn route(&self) -> &Arc<PageRoute> {
        &self.route
    }

    /// Who makes its pages.
    #[must_use]
    pub fn renderer(&self) -> &Arc<dyn Renderer> {
        &self.renderer
    }

    /// The visit of a client that sent these headers.
    ///
    /// # Errors
    /// If so much of the request would make another page that it is no page for many.
    pub fn visit(&self, asked: &Asked, headers: &HeaderMap) -> Result<Visit, Refusal> {
        let (host, path, query) = (asked.host(), asked.path(), asked.query());
        let key = key::of(&self.site, &self.route.key, host, path, query, headers)?;
        Ok(self.visit_to(key))
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.route.policy
    }

    pub(super) fn vary(&self) -> &Vary {
        &self.vary
    }

    /// The same visit to the preview of the page.
    pub(super) fn preview(&self, visit: Visit) -> Visit {
        self.visit_to(key::preview(visit.key().clone()))
    }

    fn visit_to(&self, key: PageKey) -> Visit {
        Visit::to(key).policy(Arc::clone(&self.route.policy))
    }
}

impl fmt::Debug for PagePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagePlace")
            .field("site", &self.site)
            .field("route", &self.route)
            .finish_non_exhaustive()
    }
}
