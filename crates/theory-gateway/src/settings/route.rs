//! What is done with the paths of a pattern.

use std::sync::Arc;

use facetheory::Policy;
use http::{HeaderName, Method};

/// What is done with the paths of a pattern.
#[derive(Debug, Clone)]
pub struct Route {
    /// The pattern: `/blog/{slug}`, `/static/{*rest}`.
    pub pattern: String,
    /// What is done with them.
    pub kind: RouteKind,
    /// Who may ask how often. All must agree.
    pub limits: Vec<LimitRule>,
    /// Whether repeated requests are answered once.
    pub idempotency: Option<IdempotencyRule>,
}

/// What is done with a path.
#[derive(Debug, Clone)]
pub enum RouteKind {
    /// A page that is kept and regenerated.
    Page(Arc<PageRoute>),
    /// Whatever HTTP's own rules allow to be kept (RFC 9111 and 5861).
    HttpCache(Arc<CacheRoute>),
    /// Everything goes to the application.
    Pass(Arc<PassRoute>),
}

/// A page that is kept and regenerated.
#[derive(Debug, Clone)]
pub struct PageRoute {
    /// How long it is fresh, and what happens then.
    pub policy: Arc<Policy>,
    /// What makes another page.
    pub key: KeyRule,
    /// Requests with one of these headers are passed to the application and nothing of them is kept.
    pub bypass: Vec<HeaderName>,
    /// What all its pages can be purged by. `{slug}` stands for that part of the path.
    pub tags: Vec<String>,
    /// A header in which the application says what else a page can be purged by.
    pub tag_header: Option<HeaderName>,
    /// Whether `s-maxage` of the application replaces the policy's time of freshness.
    pub follow_origin: bool,
}

/// What makes another page, besides site and path. Nothing else of a request reaches the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRule {
    /// Parameters of the query.
    pub query: Chosen,
    /// Headers.
    pub headers: Vec<HeaderName>,
    /// Cookies.
    pub cookies: Vec<String>,
}

/// Which parameters count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// All but these.
    AllBut(Vec<String>),
    /// These.
    These(Vec<String>),
}

/// Whatever HTTP's own rules allow to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheRoute {
    /// How many variants of one address are kept.
    pub variants_max: usize,
    /// The largest answer that is kept.
    pub body_bytes_max: usize,
    /// Whether a client can have the application asked although something fresh is kept: with `no-cache`, `no-store`, `max-age` and
    /// `min-fresh`.
    pub obeys_clients: bool,
}

/// Everything goes to the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassRoute {
    /// Whether a connection may become another protocol's (WebSocket).
    pub upgrade: bool,
}

/// Who may ask how often.
#[derive(Debug, Clone)]
pub struct LimitRule {
    /// The policy: its name, and its limits.
    pub policy: limited::Policy,
    /// Who is counted.
    pub who: WhoIsLimited,
    /// For which methods; all, if there is none.
    pub methods: Vec<Method>,
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhoIsLimited {
    /// The client's address.
    Address,
    /// What a header says; it is hashed.
    Header(HeaderName),
    /// The site: everybody together.
    Site,
}

/// Repeated requests are answered once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRule {
    /// The header that says who asks; it is hashed. Without one, the client's address does.
    pub principal: Option<HeaderName>,
    /// Whether a key is needed.
    pub required: bool,
    /// For which methods.
    pub methods: Vec<Method>,
}

impl PageRoute {
    /// Pages of this policy that depend on their path alone, and that callers with `Authorization` pass by.
    ///
    /// ```
    /// use facetheory::Policy;
    /// use tabletheory_core::Seconds;
    /// use theory_gateway::settings::{Chosen, KeyRule, PageRoute};
    ///
    /// let mut news = PageRoute::new(Policy::fresh_for(Seconds(60)));
    /// news.key.query = Chosen::These(vec!["page".to_owned()]);
    /// assert!(news.key.headers.is_empty() && news.key.cookies.is_empty());
    /// ```
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let (headers, cookies) = (Vec::new(), Vec::new());
        Self {
            policy: Arc::new(policy),
            key: KeyRule { query: Chosen::These(Vec::new()), headers, cookies },
            bypass: vec![http::header::AUTHORIZATION],
            tags: Vec::new(),
            tag_header: None,
            follow_origin: false,
        }
    }
}

impl Route {
    /// What its pattern begins with, if that takes all that follows: it takes its beginning as well, because nobody who limits all
    /// paths means all but one.
    #[must_use]
    pub fn beginning(&self) -> Option<&str> {
        beginning(&self.pattern)
    }
}

/// What `/{*rest}` and `/static/{*rest}` begin with.
pub(crate) fn beginning(pattern: &str) -> Option<&str> {
    let start = pattern.rfind("/{*")?;
    pattern.ends_with('}').then(|| &pattern[..=start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_all_that_follows_takes_its_beginning_too() {
        for (pattern, expected) in [
            ("/{*rest}", Some("/")),
            ("/static/{*rest}", Some("/static/")),
            ("/{slug}", None),
            ("/blog/{slug}/{*rest}", Some("/blog/{slug}/")),
            ("/", None),
            ("/a{{*b}}", None),
        ] {
            assert_eq!(beginning(pattern), expected, "{pattern}");
        }
    }
}
