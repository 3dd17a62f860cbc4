//! The table of the rule.

use super::*;
use crate::record::{Meta, Version};

const NOW: Timestamp = Timestamp::from_seconds(100_000);

fn policy() -> Policy {
    Policy { stale_max: Seconds(100), stale_if_error: Seconds(1000), ..Policy::fresh_for(Seconds(60)) }
}

/// A page that was rendered so many seconds ago.
fn page(age: i64) -> Meta {
    let version = Version {
        pk: "CACHE#1".into(),
        id: "1".into(),
        s3_key: "b/1".into(),
        generated_at: NOW.seconds() - age,
        revalidate_seconds: 60,
        etag: None,
        ttl: None,
        generated_at_ms: None,
        generation: Some(1),
        publisher_token: None,
        status: None,
        headers: Vec::new(),
        tags: Vec::new(),
        body_sha256: None,
        body_len: None,
        page: None,
    };
    version.shown(None)
}

#[track_caller]
fn check(meta: Meta, purged: Purged, expected: Freshness) {
    assert_eq!(freshness(meta.lifetime(), purged, NOW, &policy()), expected, "{meta:?}");
}

#[test]
fn the_time_of_freshness_ends_at_its_second() {
    check(page(0), Purged::No, Freshness::Fresh);
    check(page(59), Purged::No, Freshness::Fresh);
    check(page(60), Purged::No, Freshness::Stale);
    check(page(160), Purged::No, Freshness::Stale);
    check(page(161), Purged::No, Freshness::Expired);
    assert_eq!(freshness(None, Purged::No, NOW, &policy()), Freshness::Missing);
}

/// F12: a publisher whose clock runs ahead kept its page fresh for everybody else.
#[test]
fn a_page_from_the_future_is_not_fresh() {
    check(page(-5), Purged::No, Freshness::Fresh);
    check(page(-6), Purged::No, Freshness::Stale);
    check(Meta { generated_at: i64::MAX, ..page(0) }, Purged::No, Freshness::Stale);
}

#[test]
fn a_purged_page_is_stale_or_missing() {
    check(page(1), Purged::Stale, Freshness::Stale);
    check(page(1), Purged::Gone, Freshness::Missing);
    check(Meta { gone: true, ..page(1) }, Purged::No, Freshness::Missing);
    let purged = Meta { revalidate_seconds: 0, stale_since_ms: Some(NOW.millis() - 1000), ..page(50) };
    check(purged, Purged::No, Freshness::Stale);
}

#[test]
fn a_page_without_a_body_is_missing() {
    check(Meta { s3_key: String::new(), ..page(0) }, Purged::No, Freshness::Missing);
}

/// G17g: the time to live decides nothing.
#[test]
fn the_time_to_live_plays_no_part() {
    check(Meta { ttl: Some(1), ..page(0) }, Purged::No, Freshness::Fresh);
    check(Meta { ttl: Some(i64::MAX), ..page(161) }, Purged::No, Freshness::Expired);
}

#[test]
fn hostile_windows_do_not_overflow() {
    for revalidate_seconds in [i64::MIN, -1, i64::MAX] {
        for generated_at in [i64::MIN, 0, i64::MAX] {
            let meta = Meta { revalidate_seconds, generated_at, ..page(0) };
            let _ = freshness(meta.lifetime(), Purged::No, NOW, &policy());
        }
    }
    check(Meta { revalidate_seconds: i64::MIN, ..page(1) }, Purged::No, Freshness::Stale);
}

#[track_caller]
fn plans(meta: &Meta, mode: Mode, expected: Plan) {
    assert_eq!(plan(meta.lifetime(), Purged::No, NOW, &Policy { mode, ..policy() }), expected);
}

#[test]
fn a_plan_follows_freshness_and_policy() {
    plans(&page(0), Mode::Background, Plan::Serve);
    plans(&page(60), Mode::Background, Plan::ServeStale);
    plans(&page(60), Mode::Blocking, Plan::Render);
    plans(&page(161), Mode::Background, Plan::Render);
    let missing = |age| Meta { status: Some(404), ..page(age) };
    plans(&missing(0), Mode::Background, Plan::Negative);
    plans(&missing(60), Mode::Background, Plan::Render);
}

#[test]
fn an_error_is_covered_for_so_long() {
    let covered = |meta: &Meta| may_serve_on_error(meta.lifetime(), Purged::No, NOW, &policy());
    assert!(covered(&page(1060)));
    assert!(!covered(&page(1061)));
    assert!(!covered(&Meta { status: Some(410), ..page(0) }));
    assert!(!covered(&Meta { gone: true, ..page(0) }));
}
