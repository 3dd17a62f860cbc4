//! Pages as operators see them: what the rows say, told with the clock. No tokens, no bodies.

use facetheory::meta::{HeldLease, Look};
use facetheory::record::{Journal, Meta, Version};
use facetheory::{Partition, Tenant};
use serde_json::{Value, json};
use tabletheory_core::Timestamp;

use crate::telemetry::Happening;

/// How a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageState {
    Fresh,
    Stale,
    Gone,
}

impl PageState {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Gone => "gone",
        }
    }

    pub(super) fn of(meta: &Meta, journal: Option<&Journal>, now: Timestamp) -> Self {
        let look = Look { meta: Some(meta.clone()), journal: journal.cloned(), ..Look::default() };
        if look.is_gone() {
            Self::Gone
        } else if now < meta.fresh_until() && !look.is_purged_stale() {
            Self::Fresh
        } else {
            Self::Stale
        }
    }
}

/// A page in a list.
pub(super) fn page(meta: &Meta, state: PageState, now: Timestamp) -> Value {
    json!({
        "id": meta.pk,
        "url": meta.page,
        "tenant": tenant(&meta.pk),
        "state": state.as_str(),
        "status": meta.status(),
        "generated_at": moment(meta.generated()),
        "age_s": seconds_between(meta.generated(), now),
        "fresh_for_s": meta.revalidate_seconds.max(0),
        "fresh_left_s": if state == PageState::Fresh { seconds_between(now, meta.fresh_until()) } else { 0 },
        "bytes": meta.body_len,
        "tags": tags(&meta.tags),
        "generation": meta.generation,
        "etag": meta.etag,
    })
}

/// What a list leaves out.
pub(super) fn meta_row(meta: &Meta) -> Value {
    json!({
        "s3_key": meta.s3_key,
        "body_sha256": meta.body_sha256,
        "headers": meta.headers.iter().map(|header| json!([header.name, header.value])).collect::<Vec<_>>(),
        "current_version": meta.current_sk.as_deref().and_then(|sk| sk.strip_prefix("VER#")),
        "forgotten_after": meta.ttl.map(|ttl| moment(Timestamp::from_seconds(ttl))),
        "stale_since": meta.stale_since_ms.map(|ms| moment(Timestamp::from_millis(ms))),
    })
}

/// A version in a list.
pub(super) fn version(version: &Version, shown: Option<&str>) -> Value {
    json!({
        "id": version.id,
        "generated_at": moment(Timestamp::from_seconds(version.generated_at)),
        "bytes": version.body_len,
        "status": version.status.unwrap_or(200),
        "etag": version.etag,
        "generation": version.generation,
        "is_shown": shown == Some(version.sort_key().as_str()),
    })
}

/// A lease in a list.
pub(super) fn lease(lease: &HeldLease, url: Option<&str>, now: Timestamp) -> Value {
    json!({
        "id": lease.partition.as_str(),
        "url": url,
        "tenant": tenant(lease.partition.as_str()),
        "is_held": lease.is_held,
        "expires_at": moment(lease.expires),
        "expires_in_s": seconds_between(now, lease.expires),
        "failures": lease.failures,
        "next_attempt_at": lease.next_attempt.map(moment),
        "next_attempt_in_s": lease.next_attempt.map(|next| seconds_between(now, next)),
    })
}

/// Something that happened.
pub(super) fn happening(happening: &Happening) -> Value {
    json!({
        "number": happening.number,
        "at": moment(happening.at),
        "at_ms": happening.at.millis(),
        "kind": happening.kind,
        "page": happening.page,
        "detail": happening.detail,
    })
}

/// Whose page it is, by its partition.
pub(super) fn tenant(pk: &str) -> Option<String> {
    let partition = Partition::of_row(pk)?;
    let name = partition.site().strip_prefix("TENANT#")?.strip_suffix("#CACHE")?;
    name.parse::<Tenant>().ok().map(|tenant| tenant.as_str().to_owned())
}

/// A moment, as people and programs read it.
pub(super) fn moment(at: Timestamp) -> Option<String> {
    jiff::Timestamp::from_millisecond(at.millis()).ok().map(|at| format!("{at:.3}"))
}

/// Whole seconds from one moment to another; 0 if it is before.
pub(super) fn seconds_between(from: Timestamp, to: Timestamp) -> i64 {
    to.millis().saturating_sub(from.millis()).max(0) / 1000
}

/// Tags without those by which a page is found by its path.
fn tags(tags: &[String]) -> Vec<&String> {
    let is_path = |tag: &str| tag.strip_prefix("path:").is_some_and(|digits| digits.len() == 32);
    tags.iter().filter(|tag| !is_path(tag)).collect()
}
