//! How long an answer is fresh and how old it is (RFC 9111 section 4.2). Nothing here reads a clock.

use http::header::{AGE, DATE, EXPIRES, HeaderMap, HeaderName, LAST_MODIFIED};
use http::{HeaderValue, StatusCode};
use tabletheory_core::{Seconds, Timestamp};

use super::directives::whole;
use super::list::members;
use super::targeted::Rules;

/// Without a word from the application an answer is fresh for this part of the time it had not changed.
const HEURISTIC_PART: i64 = 10;
/// And never longer than a day.
const HEURISTIC_MAX: Seconds = Seconds(24 * 60 * 60);

/// How long an answer is fresh, and how old it was when it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Freshness {
    lifetime: Seconds,
    age: Seconds,
    received: Timestamp,
}

impl Freshness {
    /// The freshness of an answer that was asked for at `sent` and came at `received`.
    pub(super) fn of(
        status: StatusCode,
        headers: &HeaderMap,
        rules: &Rules,
        sent: Timestamp,
        received: Timestamp,
    ) -> Self {
        let dated = date(headers, &DATE).unwrap_or_else(|| received.seconds());
        let told_age = told_age(headers);
        let delay = (received.millis() - sent.millis()).max(0) / 1000;
        let apparent = (received.seconds() - dated).max(0);
        let age = Seconds(apparent.max(told_age.unwrap_or(Seconds(0)).0 + delay));
        // Caches are encouraged to hold answers whose freshness cannot be read for stale.
        let lifetime = match told_age {
            None => Seconds(0),
            Some(_) => lifetime(status, headers, rules, dated),
        };
        Self { lifetime, age, received }
    }

    /// How old the answer is.
    pub(super) fn age_at(&self, now: Timestamp) -> Seconds {
        Seconds(self.age.0.saturating_add(self.resident_millis(now) / 1000))
    }

    /// For how many milliseconds it is still fresh. Less than nothing: how long it has been stale.
    fn left_millis(&self, now: Timestamp) -> i64 {
        (self.lifetime.0 - self.age.0).saturating_mul(1000).saturating_sub(self.resident_millis(now))
    }

    /// For how many seconds it is still fresh, rounded down.
    pub(super) fn left_at(&self, now: Timestamp) -> Seconds {
        Seconds(self.left_millis(now).div_euclid(1000))
    }

    /// Whether it is fresh, and stays so for `further` seconds.
    pub(super) fn is_fresh_at(&self, now: Timestamp, further: Seconds) -> bool {
        self.left_millis(now) > further.0.saturating_mul(1000)
    }

    /// Whether it has not been stale for longer than this.
    pub(super) fn is_stale_within(&self, now: Timestamp, window: Seconds) -> bool {
        self.left_millis(now).saturating_add(window.0.saturating_mul(1000)) > 0
    }

    /// The same, but fresh no longer than until `now`.
    pub(super) fn ended_at(self, now: Timestamp) -> Self {
        Self { lifetime: self.lifetime.min(self.age_at(now)), ..self }
    }

    /// Whether it was ever fresh here.
    pub(super) fn is_worth_keeping(&self) -> bool {
        self.lifetime > self.age
    }

    /// A clock that was put back makes nothing younger than it was.
    fn resident_millis(&self, now: Timestamp) -> i64 {
        now.millis().saturating_sub(self.received.millis()).max(0)
    }
}

/// How long an answer is fresh: what is said to shared caches, what is said to all, when it expires, and else a guess.
fn lifetime(status: StatusCode, headers: &HeaderMap, rules: &Rules, dated: i64) -> Seconds {
    let directives = &rules.directives;
    if let Some(told) = directives.s_maxage.or(directives.max_age) {
        return told;
    }
    if !rules.is_targeted && headers.contains_key(EXPIRES) {
        // A date that cannot be read is one in the past (RFC 9111 section 5.3).
        return date(headers, &EXPIRES).map_or(Seconds(0), |expires| Seconds((expires - dated).max(0)));
    }
    if !(directives.public || is_heuristic(status)) {
        return Seconds(0);
    }
    let unchanged = date(headers, &LAST_MODIFIED).map_or(0, |modified| (dated - modified).max(0));
    Seconds(unchanged / HEURISTIC_PART).min(HEURISTIC_MAX)
}

/// Whether how long an answer of this status is fresh may be guessed (RFC 9110 section 15.1). Parts of something may not here,
/// because they are not kept.
pub(super) fn is_heuristic(status: StatusCode) -> bool {
    matches!(status.as_u16(), 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501)
}

/// What `Age` says, unless it cannot be read. Of several values the first counts (RFC 9111 section 5.1).
fn told_age(headers: &HeaderMap) -> Option<Seconds> {
    let Some(line) = headers.get(AGE) else { return Some(Seconds(0)) };
    members(line.as_bytes()).next().and_then(whole)
}

/// A date in seconds since 1970, if there is exactly one and it can be read.
pub(super) fn date(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    let mut lines = headers.get_all(name).iter();
    let line = lines.next()?;
    lines.next().is_none().then(|| moment(line)).flatten()
}

/// A date of HTTP, in any of its three forms.
pub(super) fn moment(line: &HeaderValue) -> Option<i64> {
    let moment = httpdate::parse_http_date(line.to_str().ok()?).ok()?;
    let since = moment.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOON: i64 = 1_800_000_000;

    fn at(offset: i64) -> Timestamp {
        Timestamp::from_seconds(NOON + offset)
    }

    fn http_date(offset: i64) -> String {
        let seconds = u64::try_from(NOON + offset).unwrap();
        httpdate::fmt_http_date(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
    }

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        lines.iter().map(header).collect()
    }

    fn freshness(status: u16, lines: &[(&'static str, &str)]) -> Freshness {
        let headers = headers(lines);
        let status = StatusCode::from_u16(status).unwrap();
        Freshness::of(status, &headers, &Rules::of(&headers), at(0), at(0))
    }

    #[track_caller]
    fn check(lines: &[(&'static str, &str)], left: i64) {
        assert_eq!(freshness(200, lines).left_at(at(0)), Seconds(left), "{lines:?}");
    }

    #[test]
    fn the_first_word_that_is_said_counts() {
        let (past, future) = (http_date(-100), http_date(100));
        check(&[("cache-control", "max-age=5, s-maxage=9")], 9);
        check(&[("cache-control", "max-age=5"), ("expires", &past)], 5);
        check(&[("cache-control", "max-age=0"), ("expires", &future)], 0);
        check(&[("expires", &future)], 100);
        check(&[("expires", &past)], 0);
        check(&[("expires", "0")], 0);
        check(&[("expires", &future), ("cdn-cache-control", "max-age=7")], 7);
        check(&[("expires", &future), ("cdn-cache-control", "public")], 0);
        check(&[], 0);
    }

    #[test]
    fn dates_are_measured_against_the_senders_own() {
        check(&[("expires", &http_date(300)), ("date", &http_date(400))], 0);
        check(&[("expires", &http_date(20)), ("date", &http_date(10)), ("age", "4")], 6);
        check(&[("expires", &http_date(10)), ("date", "foo")], 10);
        check(&[("cache-control", "max-age=3600"), ("date", &http_date(-3000))], 600);
    }

    #[test]
    fn an_age_counts_and_one_that_cannot_be_read_makes_stale() {
        let aged = |age| freshness(200, &[("cache-control", "max-age=3600"), ("age", age)]);
        assert_eq!(aged("30").left_at(at(0)), Seconds(3570));
        assert_eq!(aged("7200, 0").left_at(at(0)), Seconds(-3600));
        assert_eq!(aged("0, 7200").left_at(at(0)), Seconds(3600));
        for unreadable in ["abc", "-7200", "7200.0", "10;foo=bar", ""] {
            assert!(!aged(unreadable).is_fresh_at(at(0), Seconds(0)), "{unreadable}");
        }
    }

    #[test]
    fn a_guess_is_a_tenth_of_the_time_without_change() {
        let changed = http_date(-1000);
        let lines: &[(_, &str)] = &[("last-modified", &changed)];
        assert_eq!(freshness(200, lines).left_at(at(0)), Seconds(100));
        assert_eq!(freshness(404, lines).left_at(at(0)), Seconds(100));
        assert_eq!(freshness(201, lines).left_at(at(0)), Seconds(0));
        assert_eq!(freshness(599, lines).left_at(at(0)), Seconds(0));
        let public: &[(_, &str)] = &[("last-modified", &changed), ("cache-control", "public")];
        assert_eq!(freshness(599, public).left_at(at(0)), Seconds(100));
        check(&[("last-modified", &http_date(-NOON))], HEURISTIC_MAX.0);
    }

    #[test]
    fn the_time_the_answer_took_is_part_of_its_age() {
        let headers = headers(&[("cache-control", "max-age=60"), ("age", "10")]);
        let freshness = Freshness::of(StatusCode::OK, &headers, &Rules::of(&headers), at(-5), at(0));
        assert_eq!(freshness.age_at(at(0)), Seconds(15));
        assert_eq!(freshness.age_at(at(3)), Seconds(18));
        assert!(freshness.is_fresh_at(at(44), Seconds(0)) && !freshness.is_fresh_at(at(45), Seconds(0)));
        assert!(
            freshness.is_stale_within(at(50), Seconds(6)) && !freshness.is_stale_within(at(50), Seconds(5))
        );
    }

    proptest! {
        #[test]
        fn an_answer_only_grows_older(
            max_age in 0_i64..100_000, age in 0_i64..100_000, dated in -100_000_i64..100_000, delay in -50_i64..50,
            early in -100_i64..100_000, later in 0_i64..100_000,
        ) {
            let lines = [("cache-control", format!("max-age={max_age}")), ("age", age.to_string()), ("date", http_date(dated))];
            let lines = lines.each_ref().map(|(name, value)| (*name, value.as_str()));
            let headers = headers(&lines);
            let freshness = Freshness::of(StatusCode::OK, &headers, &Rules::of(&headers), at(-delay), at(0));
            let (early, late) = (at(early), at(early + later));
            prop_assert!(freshness.age_at(early) >= Seconds(0));
            prop_assert!(freshness.age_at(late) >= freshness.age_at(early));
            prop_assert!(freshness.left_at(late) <= freshness.left_at(early));
            prop_assert!(freshness.is_fresh_at(early, Seconds(0)) || !freshness.is_fresh_at(late, Seconds(0)));
        }
    }
}
