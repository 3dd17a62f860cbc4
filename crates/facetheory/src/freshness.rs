//! The rule of freshness: a pure function of a page, a policy and a moment. Nothing here reads a clock, and nothing looks at
//! the time to live.

use tabletheory_core::{Seconds, Timestamp};

use crate::policy::{Mode, Policy};

/// What decides how fresh a page is. [`Meta::lifetime`](crate::record::Meta::lifetime) has that of a row.
///
/// ```
/// use facetheory::freshness::Lifetime;
/// use tabletheory_core::{Seconds, Timestamp};
///
/// let generated = Timestamp::from_seconds(1000);
/// let page = Lifetime { generated, revalidate: Seconds(60), purged_since: None, gone: false, status: 200 };
/// assert_eq!(page.fresh_until(), Timestamp::from_seconds(1060));
/// // A purge counts from its own moment.
/// let purged = Lifetime { purged_since: Some(Timestamp::from_seconds(1010)), ..page };
/// assert_eq!(purged.stale_since(), Timestamp::from_seconds(1010));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// When the origin was asked.
    pub generated: Timestamp,
    /// For how long it is fresh.
    pub revalidate: Seconds,
    /// Since when it is purged, if it is, or the end of its time if that was earlier.
    pub purged_since: Option<Timestamp>,
    /// Whether it was purged so that it must not be served again.
    pub gone: bool,
    /// The status of the response.
    pub status: u16,
}

impl Lifetime {
    /// Until when it is fresh: the law that every store keeps. Hostile numbers do not overflow.
    #[must_use]
    pub fn fresh_until(&self) -> Timestamp {
        self.generated + Seconds(self.revalidate.0.max(0))
    }

    /// Since when it is not fresh: the end of its time, or the moment of its purge.
    #[must_use]
    pub fn stale_since(&self) -> Timestamp {
        self.purged_since.unwrap_or_else(|| self.fresh_until())
    }

    /// For how long its time has been over.
    fn staleness(&self, now: Timestamp) -> Seconds {
        Seconds(now.millis().saturating_sub(self.stale_since().millis()).max(0) / 1000)
    }
}

/// What purges of its site say about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purged {
    /// Nothing.
    #[default]
    No,
    /// It is stale.
    Stale,
    /// It must not be served.
    Gone,
}

/// How old a page is, for its policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Its time is not over.
    Fresh,
    /// Its time is over; it may be served while it is rendered again.
    Stale,
    /// It is older than that.
    Expired,
    /// There is none that could be served.
    Missing,
}

/// What is to be done for a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The page is served.
    Serve,
    /// The page is served, and rendered again.
    ServeStale,
    /// The page is rendered, and the visitor waits.
    Render,
    /// That there is no such page is served.
    Negative,
}

/// How old a page is.
///
/// ```
/// use facetheory::freshness::{Freshness, Purged, freshness};
/// use facetheory::{Policy, record::Meta};
/// # use tabletheory::Model;
/// # use tabletheory_core::{Item, Seconds, Timestamp, Value};
/// # let row = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META")), ("s3_key", Value::s("b/1")),
/// #     ("generated_at", Value::n(1000)), ("revalidate_seconds", Value::n(60))]);
/// # let meta = Meta::from_item(row)?;
/// // Rendered at second 1000, fresh for 60.
/// let policy = Policy { stale_max: Seconds(10), ..Policy::default() };
/// let at = |second| freshness(meta.lifetime(), Purged::No, Timestamp::from_seconds(second), &policy);
/// assert_eq!(at(1059), Freshness::Fresh);
/// assert_eq!(at(1060), Freshness::Stale);
/// assert_eq!(at(1071), Freshness::Expired);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[must_use]
pub fn freshness(page: Option<Lifetime>, purged: Purged, now: Timestamp, policy: &Policy) -> Freshness {
    let Some(page) = servable(page, purged) else { return Freshness::Missing };
    // A page from the future was stamped by a clock that runs ahead: believing it would keep it for too long.
    let is_believable = page.generated <= now + policy.clock_skew;
    // A purge is no question of clocks: to one that is behind, a page that is fresh for 0 seconds looks fresh until then.
    let is_purged = purged != Purged::No || page.purged_since.is_some() || page.revalidate.0 <= 0;
    if is_believable && !is_purged && now < page.fresh_until() {
        return Freshness::Fresh;
    }
    if page.staleness(now) <= policy.stale_max { Freshness::Stale } else { Freshness::Expired }
}

/// What is to be done for a visitor now.
#[must_use]
pub fn plan(page: Option<Lifetime>, purged: Purged, now: Timestamp, policy: &Policy) -> Plan {
    let is_negative = page.is_some_and(|page| is_negative(page.status));
    match freshness(page, purged, now, policy) {
        Freshness::Fresh if is_negative => Plan::Negative,
        Freshness::Fresh => Plan::Serve,
        // That something is missing is never worth serving when its time is over.
        Freshness::Stale if policy.mode == Mode::Background && !is_negative => Plan::ServeStale,
        Freshness::Stale | Freshness::Expired | Freshness::Missing => Plan::Render,
    }
}

/// Whether a page that could not be rendered again may be served as it is.
#[must_use]
pub fn may_serve_on_error(page: Option<Lifetime>, purged: Purged, now: Timestamp, policy: &Policy) -> bool {
    servable(page, purged)
        .is_some_and(|page| !is_negative(page.status) && page.staleness(now) <= policy.stale_if_error)
}

/// Whether a status says that there is no such page.
#[must_use]
pub fn is_negative(status: u16) -> bool {
    matches!(status, 404 | 410)
}

fn servable(page: Option<Lifetime>, purged: Purged) -> Option<Lifetime> {
    page.filter(|page| !page.gone && purged != Purged::Gone)
}

#[cfg(test)]
mod tests;
