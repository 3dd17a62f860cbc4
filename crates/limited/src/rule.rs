//! A rule of the layer: which requests, by which policy, for whom, and at what cost.

use std::fmt;
use std::sync::Arc;

use http::Method;
use http::request::Parts;

use crate::identity::Identity;
use crate::policy::Policy;

/// Which requests are counted, by which policy, for whom, and at what cost. Without more words: all, at a cost of 1.
///
/// What is said of requests adds up: a rule for `POST` and for `/login` counts what is both.
///
/// ```
/// use http::Method;
/// use limited::{Identity, Limit, Policy, RateLimitRule};
///
/// let logins = Policy::new("login", [Limit::per_minute(5)])?;
/// let rule = RateLimitRule::new(logins, Identity::address()).on_method(Method::POST).on_path("/login");
/// let (parts, ()) = http::Request::post("/login/2fa").body(()).expect("a request").into_parts();
/// assert!(rule.counts(&parts));
/// let (parts, ()) = http::Request::get("/login").body(()).expect("a request").into_parts();
/// assert!(!rule.counts(&parts));
/// # Ok::<(), limited::Error>(())
/// ```
#[derive(Clone)]
pub struct RateLimitRule {
    policy: Policy,
    identity: Identity,
    conditions: Vec<Condition>,
    tenant: Option<Arc<Tenant>>,
    scope: Option<Arc<str>>,
    cost: Cost,
}

type Test = dyn Fn(&Parts) -> bool + Send + Sync;
type Tenant = dyn Fn(&Parts) -> Option<String> + Send + Sync;

#[derive(Clone)]
enum Condition {
    Path(Arc<str>),
    Method(Method),
    When(Arc<Test>),
    Unless(Arc<Test>),
}

#[derive(Clone)]
enum Cost {
    Fixed(u64),
    By(Arc<dyn Fn(&Parts) -> u64 + Send + Sync>),
}

impl RateLimitRule {
    /// Counts every request by this policy, for whom this identity says.
    #[must_use]
    pub fn new(policy: Policy, identity: Identity) -> Self {
        Self { policy, identity, conditions: Vec::new(), tenant: None, scope: None, cost: Cost::Fixed(1) }
    }

    /// Only requests to this path and to those below it: `/api` is for `/api` and `/api/x`, and not for `/apix`. Paths are
    /// compared as they stand in the request. For exactly what a router makes of them, put a layer on the route.
    #[must_use]
    pub fn on_path(self, path: &str) -> Self {
        self.with(Condition::Path(path.trim_end_matches('/').into()))
    }

    /// Only requests with this method.
    #[must_use]
    pub fn on_method(self, method: Method) -> Self {
        self.with(Condition::Method(method))
    }

    /// Only requests of which this is true.
    #[must_use]
    pub fn when(self, test: impl Fn(&Parts) -> bool + Send + Sync + 'static) -> Self {
        self.with(Condition::When(Arc::new(test)))
    }

    /// No requests of which this is true.
    #[must_use]
    pub fn unless(self, test: impl Fn(&Parts) -> bool + Send + Sync + 'static) -> Self {
        self.with(Condition::Unless(Arc::new(test)))
    }

    /// Each request costs so much. Nothing is free: 0 counts as 1.
    #[must_use]
    pub fn with_cost(mut self, cost: u64) -> Self {
        self.cost = Cost::Fixed(cost);
        self
    }

    /// Each request costs what this says. Nothing is free: 0 counts as 1, so that nobody passes uncounted with a request that looks
    /// cheap. One that costs more than the limits ever allow at once is answered with status 400.
    #[must_use]
    pub fn with_cost_by(mut self, cost: impl Fn(&Parts) -> u64 + Send + Sync + 'static) -> Self {
        self.cost = Cost::By(Arc::new(cost));
        self
    }

    /// Asks for the limits of this tenant, if the policy has overrides.
    #[must_use]
    pub fn with_tenant_by(
        mut self,
        tenant: impl Fn(&Parts) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.tenant = Some(Arc::new(tenant));
        self
    }

    /// Counts callers within this scope: the same caller in another has a count of its own. What is counted stands in the table as
    /// the scope, `/`, and the caller.
    ///
    /// ```
    /// use limited::{Identity, Limit, Policy, RateLimitRule};
    ///
    /// let policy = Policy::new("api", [Limit::per_minute(5)])?;
    /// let acme = RateLimitRule::new(policy.clone(), Identity::address()).within("acme");
    /// let other = RateLimitRule::new(policy, Identity::address()).within("other");
    /// # let _ = (acme, other);
    /// # Ok::<(), limited::Error>(())
    /// ```
    #[must_use]
    pub fn within(mut self, scope: &str) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Whether it counts this request.
    #[must_use]
    pub fn counts(&self, parts: &Parts) -> bool {
        self.conditions.iter().all(|condition| condition.is_met(parts))
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The caller as it is counted.
    pub(crate) fn scoped(&self, caller: String) -> String {
        match &self.scope {
            Some(scope) => format!("{scope}/{caller}"),
            None => caller,
        }
    }

    pub(crate) fn tenant(&self, parts: &Parts) -> Option<String> {
        self.tenant.as_ref().and_then(|find| find(parts)).filter(|tenant| !tenant.is_empty())
    }

    pub(crate) fn cost(&self, parts: &Parts) -> u64 {
        match &self.cost {
            Cost::Fixed(cost) => *cost,
            Cost::By(cost) => cost(parts),
        }
        .max(1)
    }

    fn with(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }
}

impl fmt::Debug for RateLimitRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimitRule")
            .field("policy", &self.policy.name())
            .field("identity", &self.identity)
            .field("conditions", &self.conditions)
            .finish_non_exhaustive()
    }
}

impl Condition {
    fn is_met(&self, parts: &Parts) -> bool {
        match self {
            Self::Path(prefix) => is_below(parts.uri.path(), prefix),
            Self::Method(method) => parts.method == *method,
            Self::When(test) => test(parts),
            Self::Unless(test) => !test(parts),
        }
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(prefix) => write!(f, "Path({prefix:?})"),
            Self::Method(method) => write!(f, "Method({method})"),
            Self::When(_) => f.write_str("When"),
            Self::Unless(_) => f.write_str("Unless"),
        }
    }
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::limit::Limit;

    fn rule() -> RateLimitRule {
        RateLimitRule::new(Policy::new("api", [Limit::per_minute(5)]).expect("a policy"), Identity::address())
    }

    fn request(method: &str, path: &str) -> Parts {
        Request::builder().method(method).uri(path).body(()).expect("a request").into_parts().0
    }

    #[test]
    fn a_path_is_for_what_is_below_it() {
        #[track_caller]
        fn check(prefix: &str, path: &str, expected: bool) {
            assert_eq!(rule().on_path(prefix).counts(&request("GET", path)), expected, "{prefix} {path}");
        }
        check("/api", "/api", true);
        check("/api", "/api?x=1", true);
        check("/api", "/api/x", true);
        check("/api/", "/api", true);
        check("/api", "/apix", false);
        check("/api", "/", false);
        check("/api", "/x/api", false);
        check("/", "/anything", true);
        check("", "/anything", true);
        check("/api", "https://api/api/x", true);
    }

    #[test]
    fn what_is_said_of_requests_adds_up() {
        let rule = rule()
            .on_method(Method::POST)
            .when(|parts| parts.uri.path() != "/health")
            .unless(|parts| parts.headers.contains_key("x-probe"));
        assert!(rule.counts(&request("POST", "/")));
        assert!(!rule.counts(&request("GET", "/")));
        assert!(!rule.counts(&request("POST", "/health")));
        let mut probe = request("POST", "/");
        probe.headers.insert("x-probe", http::HeaderValue::from_static("1"));
        assert!(!rule.counts(&probe));
    }

    #[test]
    fn nothing_is_free() {
        let parts = request("GET", "/");
        assert_eq!(rule().cost(&parts), 1);
        assert_eq!(rule().with_cost(0).cost(&parts), 1);
        assert_eq!(rule().with_cost_by(|_| 0).cost(&parts), 1);
        assert_eq!(rule().with_cost_by(|_| u64::MAX).cost(&parts), u64::MAX);
    }
}
