//! What handlers can read of the limits that their request passed.

use crate::decision::Decision;

/// The decisions about a request that passed, as an extension of it: those of outer layers first.
///
/// ```
/// use limited::RateLimitDecisions;
///
/// fn has_room(parts: &http::request::Parts) -> bool {
///     let decisions = parts.extensions.get::<RateLimitDecisions>().map_or(&[][..], RateLimitDecisions::as_slice);
///     decisions.iter().filter_map(|decision| decision.tightest()).all(|standing| standing.remaining > 10)
/// }
/// # let (parts, ()) = http::Request::new(()).into_parts();
/// assert!(has_room(&parts), "nobody counted this one");
/// ```
#[derive(Debug, Clone, Default)]
pub struct RateLimitDecisions(Vec<Decision>);

impl RateLimitDecisions {
    /// The decisions, in the order of the rules. Those of policies that only watch are among them.
    pub fn as_slice(&self) -> &[Decision] {
        &self.0
    }

    pub(crate) fn extend(&mut self, decisions: &[Decision]) {
        self.0.extend_from_slice(decisions);
    }
}
