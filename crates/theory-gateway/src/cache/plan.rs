//! What is done with an answer that is kept: it is sent, sent while the application is asked beside, or the application is asked first
//! (RFC 9111 section 4, RFC 5861). Nothing here reads a clock.

use tabletheory_core::{Seconds, Timestamp};

use super::directives::{Directives, Reach};
use super::status::Why;
use super::stored::Stored;

/// For how long what was kept stands in for an application that cannot be reached, where nothing else was said.
const WITHOUT_APPLICATION: Seconds = Seconds(24 * 60 * 60);

/// What is done with an answer that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// It is sent.
    Serve,
    /// It is sent, and the application is asked for a newer one beside that.
    ServeAndAsk,
    /// The application is asked first.
    Ask(Why),
}

/// How the application failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// It did not answer.
    Silence,
    /// It said that it failed.
    Error,
}

/// What is done with it for a client that says this.
pub(super) fn plan(stored: &Stored, asked: &Directives, now: Timestamp) -> Plan {
    let (told, freshness) = (&stored.rules.directives, &stored.freshness);
    if asked.no_store || asked.no_cache != Reach::Nothing {
        return Plan::Ask(Why::Request);
    }
    if told.no_cache == Reach::Everything {
        return Plan::Ask(Why::Stale);
    }
    if asked.max_age.is_some_and(|longest| freshness.age_at(now) > longest || longest == Seconds(0)) {
        return Plan::Ask(Why::Request);
    }
    if freshness.is_fresh_at(now, Seconds(0)) {
        let is_enough = asked.min_fresh.is_none_or(|further| freshness.is_fresh_at(now, further));
        return if is_enough { Plan::Serve } else { Plan::Ask(Why::Request) };
    }
    let within =
        |window: Option<Seconds>| window.is_some_and(|window| freshness.is_stale_within(now, window));
    if !told.forbids_stale() && asked.min_fresh.is_none() {
        if within(told.stale_while_revalidate) {
            return Plan::ServeAndAsk;
        }
        if told.s_maxage.is_none() && within(asked.max_stale) {
            return Plan::Serve;
        }
    }
    Plan::Ask(Why::Stale)
}

/// Whether it may be sent because the application failed (RFC 5861 section 4; RFC 9111 section 4.2.4).
pub(super) fn stands_in(stored: &Stored, asked: &Directives, failure: Failure, now: Timestamp) -> bool {
    let (told, freshness) = (&stored.rules.directives, &stored.freshness);
    if told.forbids_stale() {
        return false;
    }
    // A time for shared caches forbids what was not allowed; what was allowed in so many words stays allowed.
    let unsaid = match failure {
        Failure::Silence if told.s_maxage.is_none() => Some(WITHOUT_APPLICATION),
        Failure::Silence | Failure::Error => None,
    };
    let windows = [told.stale_if_error, asked.stale_if_error, unsaid];
    windows.into_iter().flatten().any(|window| freshness.is_stale_within(now, window))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::StatusCode;
    use http::header::{CACHE_CONTROL, HeaderMap, HeaderValue};

    use super::super::stored::Moments;
    use super::super::targeted::Rules;
    use super::*;

    fn at(offset: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + offset)
    }

    fn stored(cache_control: &'static str) -> Stored {
        let headers = HeaderMap::from_iter([(CACHE_CONTROL, HeaderValue::from_static(cache_control))]);
        let rules = Rules::of(&headers);
        let moments = Moments { sent: at(0), received: at(0) };
        Stored::new(&HeaderMap::new(), StatusCode::OK, headers, rules, Bytes::new(), moments)
    }

    fn asked(cache_control: &'static str) -> Directives {
        let headers = HeaderMap::from_iter([(CACHE_CONTROL, HeaderValue::from_static(cache_control))]);
        Directives::of(&headers, &CACHE_CONTROL)
    }

    #[track_caller]
    fn check(told: &'static str, said: &'static str, after: i64, expected: Plan) {
        assert_eq!(plan(&stored(told), &asked(said), at(after)), expected, "{told:?} {said:?} {after}");
    }

    #[test]
    fn what_is_fresh_is_sent_and_what_is_stale_is_asked_about() {
        check("max-age=10", "", 9, Plan::Serve);
        check("max-age=10", "", 10, Plan::Ask(Why::Stale));
        check("max-age=10, no-cache", "", 0, Plan::Ask(Why::Stale));
        check("max-age=10, no-cache=\"a\"", "", 0, Plan::Serve);
    }

    #[test]
    fn a_client_is_heard() {
        check("max-age=10", "no-cache", 0, Plan::Ask(Why::Request));
        check("max-age=10", "no-store", 0, Plan::Ask(Why::Request));
        check("max-age=10", "max-age=0", 0, Plan::Ask(Why::Request));
        check("max-age=10", "max-age=5", 5, Plan::Serve);
        check("max-age=10", "max-age=5", 6, Plan::Ask(Why::Request));
        check("max-age=10", "min-fresh=4", 5, Plan::Serve);
        check("max-age=10", "min-fresh=4", 6, Plan::Ask(Why::Request));
        check("max-age=10", "max-stale=5", 14, Plan::Serve);
        check("max-age=10", "max-stale=5", 15, Plan::Ask(Why::Stale));
        check("max-age=10", "max-stale", 9999, Plan::Serve);
        check("max-age=10, must-revalidate", "max-stale", 10, Plan::Ask(Why::Stale));
        check("s-maxage=10", "max-stale", 10, Plan::Ask(Why::Stale));
    }

    #[test]
    fn what_may_be_stale_is_sent_while_the_application_is_asked() {
        check("max-age=10, stale-while-revalidate=5", "", 14, Plan::ServeAndAsk);
        check("s-maxage=10, stale-while-revalidate=5", "", 14, Plan::ServeAndAsk);
        check("max-age=10, stale-while-revalidate=5", "", 15, Plan::Ask(Why::Stale));
        check("max-age=10, stale-while-revalidate=5, must-revalidate", "", 14, Plan::Ask(Why::Stale));
    }

    #[test]
    fn what_is_kept_stands_in_where_it_may() {
        let check = |told, failure, after, expected| {
            let found = stands_in(&stored(told), &Directives::default(), failure, at(after));
            assert_eq!(found, expected, "{told} {failure:?} {after}");
        };
        check("max-age=10", Failure::Silence, 20, true);
        check("max-age=10", Failure::Silence, 20 + WITHOUT_APPLICATION.0, false);
        check("max-age=10", Failure::Error, 20, false);
        check("max-age=10, stale-if-error=60", Failure::Error, 69, true);
        check("max-age=10, stale-if-error=60", Failure::Error, 70, false);
        check("s-maxage=10, stale-if-error=60", Failure::Error, 20, true);
        for told in [
            "max-age=10, must-revalidate",
            "max-age=10, proxy-revalidate",
            "max-age=10, no-cache",
            "s-maxage=10",
        ] {
            check(told, Failure::Silence, 20, false);
        }
        check("max-age=10, must-revalidate, stale-if-error=60", Failure::Error, 20, false);
        let bold = asked("stale-if-error=60");
        assert!(stands_in(&stored("max-age=10"), &bold, Failure::Error, at(20)));
    }
}
