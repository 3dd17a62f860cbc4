//! One request before the limits: who it is from by each rule, one question for all of them, and what becomes of it.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::Full;

use crate::address::ClientAddress;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::headers::{self, HeaderStyle};
use crate::identity::Whom;
use crate::limit::Limit;
use crate::limiter::Limiter;
use crate::problem;
use crate::rule::RateLimitRule;
use crate::several::Ask;
use crate::subject::Subject;

type Test = dyn Fn(&Parts) -> bool + Send + Sync;
/// Told each decision, and the identifier it is about.
pub(crate) type Observer = dyn Fn(&str, &Decision) + Send + Sync;

#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) limiter: Limiter,
    pub(crate) rules: Vec<RateLimitRule>,
    pub(crate) skipped: Vec<Arc<Test>>,
    pub(crate) address: ClientAddress,
    pub(crate) style: HeaderStyle,
    pub(crate) observer: Option<Arc<Observer>>,
}

/// What becomes of a request.
pub(crate) enum Admission {
    Passed(Vec<Decision>),
    Refused(Response<Full<Bytes>>),
}

/// A rule's question about a request.
struct Question<'a> {
    rule: &'a RateLimitRule,
    caller: String,
    tenant: Option<String>,
    cost: u64,
}

impl Gate {
    pub(crate) async fn admit(&self, parts: &Parts) -> Admission {
        if self.skipped.iter().any(|test| test(parts)) {
            return Admission::Passed(Vec::new());
        }
        let questions = match self.questions(parts) {
            Ok(questions) if questions.is_empty() => return Admission::Passed(Vec::new()),
            Ok(questions) => questions,
            Err(refusal) => return Admission::Refused(*refusal),
        };
        let asks: Vec<_> = questions.iter().map(Question::ask).collect();
        match self.limiter.check_all(&asks).await {
            Ok(decisions) => {
                if let Some(observer) = &self.observer {
                    let told = questions.iter().zip(&decisions);
                    told.for_each(|(question, decision)| observer(&question.caller, decision));
                }
                self.judge(decisions)
            }
            Err(Error::CostAboveLimit { .. }) => Admission::Refused(problem::too_costly()),
            // What to do without the store is decided already. What is left is a server that is not set up as it should be.
            Err(_) => Admission::Refused(problem::unasked()),
        }
    }

    /// What each rule that counts the request asks, or why it goes no further. Nothing is counted before all rules know whom for.
    fn questions(&self, parts: &Parts) -> Result<Vec<Question<'_>>, Box<Response<Full<Bytes>>>> {
        let mut questions = Vec::with_capacity(self.rules.len());
        for rule in self.rules.iter().filter(|rule| rule.counts(parts)) {
            let caller = match rule.identity().find(parts, &self.address) {
                Whom::Caller(caller) => rule.scoped(caller),
                Whom::Nobody => continue,
                Whom::Refused(missing) => return Err(Box::new(problem::unidentified(&missing))),
                Whom::Unknown => return Err(Box::new(problem::unknown_address())),
            };
            let (tenant, cost) = (rule.tenant(parts), cost(rule, parts));
            questions.push(Question { rule, caller, tenant, cost });
        }
        Ok(questions)
    }

    fn judge(&self, decisions: Vec<Decision>) -> Admission {
        match decisions.iter().find(|decision| !decision.is_allowed()) {
            None => Admission::Passed(decisions),
            Some(failed) if failed.source == Source::FailedClosed => {
                Admission::Refused(problem::unavailable(&decisions))
            }
            Some(_) => Admission::Refused(problem::denied(&decisions, self.style, self.limiter.now())),
        }
    }

    /// Tells the caller of a request that passed how they stand.
    pub(crate) fn tell(&self, decisions: &[Decision], status: StatusCode, headers: &mut HeaderMap) {
        // Whoever refused the request further in knows better when it may come again.
        let is_refused = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if is_refused && headers::tells(headers) {
            return;
        }
        headers::write(headers, &headers::told(decisions), self.style, self.limiter.now());
    }
}

/// What a request costs. A policy that only watches must not stop what costs more than it could ever allow.
fn cost(rule: &RateLimitRule, parts: &Parts) -> u64 {
    let cost = rule.cost(parts);
    let capacity = rule.policy().limits().iter().map(Limit::capacity).min();
    if rule.policy().is_shadow() { cost.min(capacity.unwrap_or(1)) } else { cost }
}

impl Question<'_> {
    fn ask(&self) -> Ask<'_> {
        let subject = Subject { tenant: self.tenant.as_deref(), ..Subject::new(&self.caller) };
        Ask { policy: self.rule.policy(), subject, cost: self.cost }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("rules", &self.rules)
            .field("address", &self.address)
            .field("style", &self.style)
            .finish_non_exhaustive()
    }
}
