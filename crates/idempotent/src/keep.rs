//! Which answers are kept. What is not kept releases the claim, and the next repetition runs again.

use std::fmt;
use std::sync::Arc;

use http::StatusCode;

/// Which answers are kept for repetitions. By default those that say something about the request: 2xx, 3xx, and 4xx but those
/// that would be another answer a moment later (401, 403, 408, 409, 421, 425, 429). Never 5xx.
///
/// ```
/// use idempotent::Keep;
///
/// let keep = Keep::default();
/// assert!(keep.keeps(201) && keep.keeps(422));
/// assert!(!keep.keeps(429) && !keep.keeps(500));
/// assert!(Keep::stripe_v1().keeps(500));
/// assert!(!Keep::new(|status| status == 201).keeps(200));
/// ```
#[derive(Clone)]
pub struct Keep(Rule);

#[derive(Clone)]
enum Rule {
    Ietf,
    StripeV1,
    Powertools,
    Own(Arc<dyn Fn(u16) -> bool + Send + Sync>),
}

impl Keep {
    /// The default: what the IETF draft leaves to the resource, decided.
    #[must_use]
    pub fn ietf() -> Self {
        Self(Rule::Ietf)
    }

    /// As Stripe's first API: also 5xx, so that a failure is repeated as a failure. What was refused before the work began
    /// (401, 403, 409, 429) is not kept.
    #[must_use]
    pub fn stripe_v1() -> Self {
        Self(Rule::StripeV1)
    }

    /// As Powertools: what succeeded, and nothing else.
    #[must_use]
    pub fn powertools() -> Self {
        Self(Rule::Powertools)
    }

    /// By a rule of one's own.
    #[must_use]
    pub fn new(rule: impl Fn(u16) -> bool + Send + Sync + 'static) -> Self {
        Self(Rule::Own(Arc::new(rule)))
    }

    /// Whether an answer with this status is kept.
    #[must_use]
    pub fn keeps(&self, status: u16) -> bool {
        match &self.0 {
            Rule::Ietf => match status {
                401 | 403 | 408 | 409 | 421 | 425 | 429 => false,
                _ => (200..500).contains(&status),
            },
            Rule::StripeV1 => (200..600).contains(&status) && !matches!(status, 401 | 403 | 409 | 429),
            Rule::Powertools => (200..300).contains(&status),
            Rule::Own(rule) => rule(status),
        }
    }

    pub(crate) fn keeps_status(&self, status: StatusCode) -> bool {
        self.keeps(status.as_u16())
    }
}

impl Default for Keep {
    fn default() -> Self {
        Self::ietf()
    }
}

impl fmt::Debug for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Rule::Ietf => "Keep::ietf",
            Rule::StripeV1 => "Keep::stripe_v1",
            Rule::Powertools => "Keep::powertools",
            Rule::Own(_) => "Keep::new",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(keep: &Keep, kept: &[u16], not: &[u16]) {
        let (wrong, right): (Vec<u16>, Vec<u16>) = kept.iter().partition(|status| !keep.keeps(**status));
        assert!(wrong.is_empty() && right.len() == kept.len(), "{keep:?} does not keep {wrong:?}");
        let wrong: Vec<_> = not.iter().filter(|status| keep.keeps(**status)).collect();
        assert!(wrong.is_empty(), "{keep:?} keeps {wrong:?}");
    }

    #[test]
    fn g33_a_failure_of_the_server_is_not_kept_unless_that_is_asked_for() {
        let passing = [401, 403, 408, 409, 421, 425, 429];
        check(&Keep::ietf(), &[200, 201, 204, 302, 400, 404, 422], &passing);
        check(&Keep::ietf(), &[], &[100, 199, 500, 502, 503, 504, 599, 999]);
        check(&Keep::stripe_v1(), &[200, 400, 500, 503], &[401, 403, 409, 429, 199, 600]);
        check(&Keep::powertools(), &[200, 204], &[302, 400, 404, 500]);
        assert_eq!(format!("{:?}", Keep::default()), "Keep::ietf");
    }
}
