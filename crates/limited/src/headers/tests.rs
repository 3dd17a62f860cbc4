//! Headers as a client reads them.

use super::*;
use crate::calendar::Calendar;
use crate::limit::Limit;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_250);

fn standing(limit: Limit, remaining: u64, reset_ms: u64) -> Standing {
    let used = limit.capacity().saturating_sub(remaining);
    Standing { limit, used, remaining, reset_after: Duration::from_millis(reset_ms), violated: false }
}

fn allowed(policy: &str, limits: Vec<Standing>) -> Decision {
    Decision {
        policy: policy.into(),
        verdict: Verdict::Allowed,
        shadow: false,
        source: Source::Store,
        limits,
        retry_after: None,
    }
}

fn denied(policy: &str, limit: Limit, reset_ms: u64, retry_ms: Option<u64>) -> Decision {
    let standing = Standing { violated: true, ..standing(limit, 0, reset_ms) };
    let retry_after = retry_ms.map(Duration::from_millis);
    Decision { verdict: Verdict::Denied, retry_after, ..allowed(policy, vec![standing]) }
}

fn written(decisions: &[Decision], style: HeaderStyle) -> Vec<String> {
    let mut headers = HeaderMap::new();
    write(&mut headers, &told(decisions), style, NOW);
    headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().expect("ASCII"))).collect()
}

#[test]
fn a_limit_is_told_as_a_quota_for_whole_seconds() {
    #[track_caller]
    fn check(limit: Limit, expected: (u128, u128)) {
        assert_eq!(quota(&standing(limit, 0, 0)), expected, "{limit}");
    }
    check(Limit::per_minute(100), (100, 60));
    check(Limit::per_minute(100).burst(10), (10, 6));
    check(Limit::per_second(20).burst(60), (60, 3));
    check(Limit::per_minute(7).burst(10), (10, 86));
    // A bucket that fills in less than a second, and a window that is shorter: told for a second.
    check(Limit::per_second(5_000).burst(50), (5_000, 1));
    check(Limit::per(3, Duration::from_millis(10)).fixed_window(), (300, 1));
    check(Limit::per(10, Duration::from_millis(1_500)).sliding_window(), (13, 2));
    check(Limit::per_hour(5_000).fixed_window(), (5_000, 3_600));
    check(Limit::quota(1_000_000, Calendar::Month), (1_000_000, 31 * 86_400));
    check(Limit::per(1_000_000_000_000, Duration::from_millis(10)).fixed_window(), (100_000_000_000_000, 1));
}

#[test]
fn the_limit_that_leaves_least_stands_first() {
    let decisions = [
        allowed("tenant", vec![standing(Limit::per_minute(1_000), 812, 16_200)]),
        allowed("ip", vec![standing(Limit::per_second(50), 5, 20)]),
    ];
    assert_eq!(
        written(&decisions, HeaderStyle::default()),
        [
            r#"ratelimit-policy: "ip";q=50;w=1, "tenant";q=1000;w=60"#,
            r#"ratelimit: "ip";r=5;t=1, "tenant";r=812;t=17"#,
            "x-ratelimit-limit: 50",
            "x-ratelimit-remaining: 5",
            "x-ratelimit-reset: 1",
        ]
    );
}

#[test]
fn what_denied_stands_before_what_is_merely_empty() {
    let decisions = [
        allowed("ip", vec![standing(Limit::per_second(50), 0, 20)]),
        denied("user", Limit::per_minute(10), 6_000, None),
    ];
    assert_eq!(told(&decisions)[0].name, "user");
}

#[test]
fn limits_of_one_policy_are_told_apart() {
    let limits = vec![
        standing(Limit::per_second(20).burst(60), 59, 0),
        standing(Limit::per_hour(100).sliding_window(), 7, 3_599_001),
    ];
    assert_eq!(
        written(&[allowed("api", limits)], HeaderStyle::Ietf),
        [
            r#"ratelimit-policy: "api/2";q=100;w=3600, "api/1";q=60;w=3"#,
            r#"ratelimit: "api/2";r=7;t=3600, "api/1";r=59"#,
        ]
    );
}

#[test]
fn the_reset_is_a_span_or_a_moment_as_chosen() {
    let decisions = [allowed("ip", vec![standing(Limit::per_minute(2), 1, 1_500)])];
    let reset = |style| {
        written(&decisions, HeaderStyle::XRateLimit(style)).pop().expect("the reset is the last of three")
    };
    assert_eq!(reset(ResetStyle::DeltaSeconds), "x-ratelimit-reset: 2");
    assert_eq!(reset(ResetStyle::EpochSeconds), "x-ratelimit-reset: 1700000002");
    assert_eq!(epoch_up(NOW, Duration::from_nanos(749_999_999)), 1_700_000_001);
    assert_eq!(epoch_up(NOW, Duration::from_nanos(750_000_001)), 1_700_000_002, "never before the moment");
}

/// Limited says 0, 0, 0 when its store fails, which tells good clients to stop (G26).
#[test]
fn nothing_is_told_of_what_nobody_counted_or_only_watches() {
    let standing = || vec![standing(Limit::per_minute(2), 1, 1_500)];
    for source in [Source::FailedOpen, Source::FailedClosed] {
        let decision = Decision { source, ..allowed("ip", standing()) };
        assert!(written(&[decision], HeaderStyle::default()).is_empty(), "{source:?}");
    }
    let shadow = Decision { shadow: true, ..denied("ip", Limit::per_minute(2), 1_000, None) };
    assert!(written(&[shadow], HeaderStyle::default()).is_empty());
    assert!(written(&[allowed("ip", standing())], HeaderStyle::Hidden).is_empty());
    assert!(written(&[allowed("ip", Vec::new())], HeaderStyle::default()).is_empty());
    for source in [Source::Lease, Source::DenyCache, Source::Local] {
        let decision = Decision { source, ..allowed("ip", standing()) };
        assert_eq!(written(&[decision], HeaderStyle::default()).len(), 5, "{source:?}");
    }
}

/// Limited cuts off fractions, so that below one second its clients come again at once (G26).
#[test]
fn retry_after_is_rounded_up_and_at_least_a_second_and_not_before_the_reset() {
    #[track_caller]
    fn check(reset_ms: u64, retry_ms: Option<u64>, expected: &str) {
        let decisions = [
            allowed("month", vec![standing(Limit::quota(10, Calendar::Month), 0, 86_400_000)]),
            denied("ip", Limit::per_minute(2), reset_ms, retry_ms),
        ];
        assert_eq!(retry_after(&decisions), expected);
    }
    check(0, None, "1");
    check(0, Some(0), "1");
    check(1, Some(1), "1");
    check(1_000, Some(1_001), "2");
    check(16_001, Some(3_000), "17");
    check(1_000, Some(60_000), "60");
    let watched = Decision { shadow: true, ..denied("ip", Limit::per_minute(2), 50_000, Some(50_000)) };
    assert_eq!(retry_after(&[watched]), "1");
}

#[test]
fn absurd_numbers_stay_integers_of_a_structured_field() {
    let absurd = Standing {
        remaining: u64::MAX,
        reset_after: Duration::MAX,
        ..standing(Limit::per(u64::MAX, Duration::from_nanos(1)).burst(u64::MAX), 0, 0)
    };
    let decision = Decision {
        retry_after: Some(Duration::MAX),
        verdict: Verdict::Denied,
        ..allowed("absurd", vec![absurd])
    };
    for style in [ResetStyle::DeltaSeconds, ResetStyle::EpochSeconds] {
        let lines = written(std::slice::from_ref(&decision), HeaderStyle::Both(style));
        assert_eq!(lines[1], r#"ratelimit: "absurd";r=999999999999999;t=999999999999999"#);
    }
    assert_eq!(retry_after(&[decision]), u64::MAX.to_string());
}
