//! What a response tells about limits: `RateLimit-Policy` and `RateLimit` of the IETF's draft, `X-RateLimit-*`, `Retry-After`.

use std::fmt::Write;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderName, HeaderValue};
use tabletheory_core::Timestamp;

use crate::decision::{Decision, Source, Standing, Verdict};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
/// No integer of a structured field is larger (RFC 9651).
const INTEGER_MAX: u128 = 999_999_999_999_999;

/// Which headers tell callers how they stand.
///
/// ```
/// use limited::{HeaderStyle, ResetStyle};
///
/// assert_eq!(HeaderStyle::default(), HeaderStyle::Both(ResetStyle::DeltaSeconds));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderStyle {
    /// `RateLimit-Policy` and `RateLimit`, as the IETF's draft has them.
    Ietf,
    /// `X-RateLimit-Limit`, `-Remaining` and `-Reset`, of the limit that leaves least.
    XRateLimit(ResetStyle),
    /// All of them.
    Both(ResetStyle),
    /// None. A refused request is still told when to come again.
    Hidden,
}

impl Default for HeaderStyle {
    fn default() -> Self {
        Self::Both(ResetStyle::DeltaSeconds)
    }
}

/// How `X-RateLimit-Reset` is written; nothing but agreement tells one from the other.
///
/// ```
/// use limited::ResetStyle;
///
/// assert_ne!(ResetStyle::DeltaSeconds, ResetStyle::EpochSeconds);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResetStyle {
    /// In how many seconds, as most services do.
    DeltaSeconds,
    /// At which second since 1970, as GitHub does.
    EpochSeconds,
}

/// A limit that a caller is told about.
#[derive(Debug, Clone)]
pub(crate) struct Told<'a> {
    pub(crate) name: String,
    pub(crate) standing: &'a Standing,
}

/// The limits that callers are told about, the one that leaves least first. Of what only watches, and of what nobody counted,
/// they are told nothing.
pub(crate) fn told(decisions: &[Decision]) -> Vec<Told<'_>> {
    let mut told: Vec<_> = decisions.iter().filter(|decision| is_told(decision)).flat_map(named).collect();
    told.sort_by_key(|told| (!told.standing.violated, left(told.standing)));
    told
}

fn is_told(decision: &Decision) -> bool {
    !decision.shadow && !matches!(decision.source, Source::FailedOpen | Source::FailedClosed)
}

/// A policy with several limits gives each a number. No policy has `/` in its name.
fn named(decision: &Decision) -> impl Iterator<Item = Told<'_>> {
    let is_one = decision.limits.len() == 1;
    decision.limits.iter().enumerate().map(move |(position, standing)| {
        let name = if is_one {
            decision.policy.to_string()
        } else {
            format!("{}/{}", decision.policy, position + 1)
        };
        Told { name, standing }
    })
}

/// What is left, in millionths of what there can be.
fn left(standing: &Standing) -> u128 {
    u128::from(standing.remaining) * 1_000_000 / u128::from(standing.limit.capacity().max(1))
}

/// Sets the headers of a response, in place of those of the same names: an inner limiter, or a service behind a handler, speaks
/// of limits that this response's caller may know nothing of.
pub(crate) fn write(headers: &mut HeaderMap, told: &[Told<'_>], style: HeaderStyle, now: Timestamp) {
    let Some(tightest) = told.first() else { return };
    if let HeaderStyle::Ietf | HeaderStyle::Both(_) = style {
        headers.insert(POLICY, value(list(told, policy_parameters)));
        headers.insert(STATE, value(list(told, state_parameters)));
    }
    if let HeaderStyle::XRateLimit(reset_style) | HeaderStyle::Both(reset_style) = style {
        let after = seconds_up(tightest.standing.reset_after);
        let reset = match reset_style {
            ResetStyle::DeltaSeconds => i64::try_from(after).unwrap_or(i64::MAX),
            ResetStyle::EpochSeconds => epoch_up(now, tightest.standing.reset_after),
        };
        headers.insert(X_LIMIT, value(quota(tightest.standing).0.to_string()));
        headers.insert(X_REMAINING, value(tightest.standing.remaining.to_string()));
        headers.insert(X_RESET, value(reset.to_string()));
    }
}

/// Whether a response tells about limits already.
pub(crate) fn tells(headers: &HeaderMap) -> bool {
    [POLICY, STATE, X_LIMIT, X_REMAINING, X_RESET, RETRY_AFTER].iter().any(|name| headers.contains_key(name))
}

/// When a denied request may come again: in whole seconds, rounded up, at least one, and not before the limits that denied it
/// leave more than now.
pub(crate) fn retry_after(decisions: &[Decision]) -> HeaderValue {
    let denied = decisions.iter().filter(|decision| !decision.shadow && decision.verdict == Verdict::Denied);
    let waits = denied.flat_map(|decision| {
        let violated = decision.limits.iter().filter(|standing| standing.violated);
        violated.map(|standing| standing.reset_after).chain(decision.retry_after)
    });
    HeaderValue::from(waits.map(seconds_up).max().unwrap_or(1).max(1))
}

fn list(told: &[Told<'_>], parameters: fn(&Standing, &mut String)) -> String {
    let mut list = String::new();
    for told in told {
        if !list.is_empty() {
            list.push_str(", ");
        }
        // Names of policies are letters, digits, `-`, `_` and `.`: nothing in them has to be escaped.
        let _ = write!(list, "\"{}\"", told.name);
        parameters(told.standing, &mut list);
    }
    list
}

fn policy_parameters(standing: &Standing, list: &mut String) {
    let (quota, window) = quota(standing);
    let _ = write!(list, ";q={quota};w={window}");
}

fn state_parameters(standing: &Standing, list: &mut String) {
    let _ = write!(list, ";r={}", u128::from(standing.remaining).min(INTEGER_MAX));
    let after = seconds_up(standing.reset_after);
    if after > 0 {
        let _ = write!(list, ";t={}", u128::from(after).min(INTEGER_MAX));
    }
}

/// How much in how many seconds. A bucket is told as what it holds and how long it takes to fill: that says burst and rate at
/// once, and what remains is never more than the quota. Whole seconds, and the quota for exactly those.
fn quota(standing: &Standing) -> (u128, u128) {
    let limit = &standing.limit;
    let (amount, period) = (u128::from(limit.amount().max(1)), limit.period().as_nanos().max(1));
    let full = (u128::from(limit.capacity()) * period).div_ceil(amount);
    let window = full.div_ceil(1_000_000_000).max(1);
    let quota = window * 1_000_000_000 * amount / period;
    (quota.max(u128::from(limit.capacity())).min(INTEGER_MAX), window.min(INTEGER_MAX))
}

fn seconds_up(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0))
}

fn epoch_up(now: Timestamp, after: Duration) -> i64 {
    let after = i64::try_from(after.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX);
    let millis = now.millis().saturating_add(after);
    millis.div_euclid(1_000).saturating_add(i64::from(millis.rem_euclid(1_000) > 0))
}

fn value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("letters, digits and punctuation of ASCII")
}

#[cfg(test)]
mod tests;
