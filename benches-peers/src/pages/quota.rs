//! One limit for a whole fleet: however many instances decide, no more than the limit is let through together.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::page::Page;
use super::wrk;
use crate::server::Server;

/// So many requests of everybody together in a day.
pub(crate) const LIMIT: u64 = 500;
const VISITORS: u32 = 64;
const VISIT_S: u64 = 2;

/// The page that is limited.
pub(crate) fn page() -> Page {
    Page::numbered(64, 99_999_999)
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Quota {
    pub(crate) limit: u64,
    /// Requests that were answered with the page.
    pub(crate) allowed: u64,
    /// Requests that were refused.
    pub(crate) denied: u64,
}

impl Quota {
    /// Whether exactly the limit was let through.
    pub(crate) fn is_exact(&self) -> bool {
        self.allowed == self.limit && self.denied > 0
    }
}

/// Sends far more visitors to all instances at once than may pass.
pub(crate) fn spend(servers: &[Server]) -> Result<Quota> {
    let each = (VISITORS / u32::try_from(servers.len())?).max(1);
    let visits: Result<Vec<_>> =
        servers.iter().map(|server| wrk::start(&page().url(server.address()), each, VISIT_S)).collect();
    let mut quota = Quota { limit: LIMIT, allowed: 0, denied: 0 };
    for visit in visits? {
        let seen = visit.finish()?;
        quota.allowed += seen.requests - seen.refused;
        quota.denied += seen.refused;
    }
    Ok(quota)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_and_one_too_few_are_seen() {
        let quota = |allowed, denied| Quota { limit: 1000, allowed, denied };
        assert!(quota(1000, 5).is_exact());
        assert!(!quota(1001, 5).is_exact() && !quota(999, 5).is_exact());
        assert!(!quota(1000, 0).is_exact(), "nobody asked for more");
    }
}
