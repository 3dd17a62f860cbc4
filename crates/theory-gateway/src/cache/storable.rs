//! Whether an answer may be kept for others (RFC 9111 section 3), and if not, why. Stricter than the standard in one thing: cookies
//! are for one client, unless the application says in so many words that the answer is for all.

use http::header::{AUTHORIZATION, EXPIRES, HeaderMap, SET_COOKIE};
use http::{Method, StatusCode};

use super::directives::{Directives, Reach};
use super::freshness::is_heuristic;
use super::targeted::Rules;
use super::vary::Vary;

/// Why an answer is not kept. The words are for `Cache-Status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unstorable {
    /// Its request was no GET.
    Method,
    /// Its status is one that says nothing alone, or that must be understood and is not.
    Status,
    /// The client or the application forbids it.
    NoStore,
    /// It is for one client.
    Private,
    /// Its request said who asks.
    Authorization,
    /// It sets a cookie.
    SetCookie,
    /// It depends on more than can be known.
    Vary,
    /// Nothing says how long it is fresh, and nothing can be asked about it later.
    NoFreshness,
    /// It is too large.
    TooLarge,
    /// It ends with its connection, so nobody can tell whether it is complete; or it is a stream of events, which may not end at all.
    NoEnd,
}

impl Unstorable {
    /// Whether it is so because of what is at the address now, and not because of how it was asked for or what part was answered.
    pub(super) const fn is_of_address(self) -> bool {
        !matches!(self, Self::Method | Self::Status | Self::Authorization)
    }

    /// A word for `Cache-Status`.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Status => "status",
            Self::NoStore => "no-store",
            Self::Private => "private",
            Self::Authorization => "authorization",
            Self::SetCookie => "set-cookie",
            Self::Vary => "vary",
            Self::NoFreshness => "no-freshness",
            Self::TooLarge => "too-large",
            Self::NoEnd => "no-end",
        }
    }
}

/// Whether the answer to this request may be kept.
///
/// # Errors
/// The first reason why not.
pub(super) fn check(
    method: &Method,
    request: &HeaderMap,
    asked: &Directives,
    status: StatusCode,
    answer: &HeaderMap,
    rules: &Rules,
) -> Result<(), Unstorable> {
    let told = &rules.directives;
    let is_shared = told.public || told.s_maxage.is_some() || rules.is_targeted;
    let refuse = |reason: Unstorable, holds: bool| if holds { Err(reason) } else { Ok(()) };
    refuse(Unstorable::Method, method != Method::GET)?;
    refuse(Unstorable::Status, status.is_informational() || is_about_request(status))?;
    refuse(Unstorable::Status, told.must_understand && !is_understood(status))?;
    // Who asks that a status be understood forbids keeping to those that do not understand it (RFC 9111 section 5.2.2.3).
    refuse(Unstorable::NoStore, asked.no_store || told.no_store && !told.must_understand)?;
    refuse(Unstorable::Private, told.private == Reach::Everything)?;
    let is_named = request.contains_key(AUTHORIZATION);
    refuse(Unstorable::Authorization, is_named && !(is_shared || told.must_revalidate))?;
    // Whatever else it says: session middleware and `public` meet in many applications, and one visitor's session would be everybody's.
    refuse(Unstorable::SetCookie, answer.contains_key(SET_COOKIE))?;
    refuse(Unstorable::Vary, Vary::of(answer) == Vary::Everything)?;
    let is_explicit =
        is_shared || told.max_age.is_some() || !rules.is_targeted && answer.contains_key(EXPIRES);
    refuse(Unstorable::NoFreshness, !(is_explicit || is_heuristic(status)))
}

/// Whether answers of this status are about how something was asked for, and say nothing to those who ask otherwise: parts, conditions
/// that failed, who asks, how much and how fast. Whoever could have one of them kept could take an address from everybody.
fn is_about_request(status: StatusCode) -> bool {
    matches!(
        status.as_u16(),
        206 | 304 | 401 | 407 | 408 | 411..=413 | 415..=417 | 421 | 425 | 426 | 428 | 429 | 431 | 511
    )
}

/// Whether this cache knows what answers of this status mean, and keeps to it.
fn is_understood(status: StatusCode) -> bool {
    is_heuristic(status)
        || matches!(status.as_u16(), 201 | 202 | 205 | 302 | 303 | 307 | 400..=431 | 500..=505)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::{CACHE_CONTROL, HeaderName};

    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        lines.iter().map(header).collect()
    }

    #[track_caller]
    fn check(
        request: &[(&'static str, &'static str)],
        status: u16,
        answer: &[(&'static str, &'static str)],
        expected: Result<(), Unstorable>,
    ) {
        let (request, answer) = (headers(request), headers(answer));
        let asked = Directives::of(&request, &CACHE_CONTROL);
        let status = StatusCode::from_u16(status).unwrap();
        let found = super::check(&Method::GET, &request, &asked, status, &answer, &Rules::of(&answer));
        assert_eq!(found, expected, "{request:?} {status} {answer:?}");
    }

    #[test]
    fn what_is_meant_for_all_is_kept() {
        check(&[], 200, &[("cache-control", "max-age=1")], Ok(()));
        check(&[], 599, &[("expires", "Thu, 01 Jan 2037 00:00:00 GMT")], Ok(()));
        check(&[], 404, &[("etag", "\"a\"")], Ok(()));
        check(&[("cookie", "a=b")], 200, &[("cache-control", "max-age=1")], Ok(()));
        check(&[], 200, &[("cache-control", "no-store"), ("cdn-cache-control", "max-age=1")], Ok(()));
        check(&[], 200, &[("cache-control", "no-cache=\"a\", private=\"b\", max-age=1")], Ok(()));
        check(&[], 200, &[("cache-control", "must-understand, no-store, max-age=1")], Ok(()));
    }

    #[test]
    fn what_is_not_is_not() {
        use Unstorable::*;
        let fresh = ("cache-control", "max-age=60");
        check(&[], 206, &[fresh], Err(Status));
        for status in [304, 401, 412, 416, 429, 431] {
            check(&[], status, &[fresh], Err(Status));
        }
        check(&[], 599, &[("cache-control", "max-age=60, must-understand")], Err(Status));
        check(&[], 200, &[("cache-control", "max-age=60, nO-sTore")], Err(NoStore));
        check(&[("cache-control", "no-store")], 200, &[fresh], Err(NoStore));
        check(&[], 200, &[("cache-control", "private, max-age=60")], Err(Private));
        check(&[], 200, &[("cache-control", "max-age=60"), ("cdn-cache-control", "private")], Err(Private));
        check(&[], 200, &[fresh, ("vary", "a, *")], Err(Vary));
        check(&[], 201, &[("last-modified", "Thu, 01 Jan 1970 00:00:00 GMT")], Err(NoFreshness));
    }

    #[test]
    fn who_asks_keeps_an_answer_to_himself_unless_it_is_public_and_who_gets_a_cookie_always() {
        let bearer = [("authorization", "Bearer x")];
        for cache_control in ["max-age=60, public", "max-age=60, must-revalidate", "s-maxage=60"] {
            check(&bearer, 200, &[("cache-control", cache_control)], Ok(()));
        }
        check(&bearer, 200, &[("cache-control", "max-age=60")], Err(Unstorable::Authorization));
        let cookie = ("set-cookie", "a=b");
        for cache_control in
            ["max-age=60", "max-age=60, must-revalidate", "max-age=60, public", "s-maxage=60"]
        {
            check(&[], 200, &[cookie, ("cache-control", cache_control)], Err(Unstorable::SetCookie));
        }
    }

    #[test]
    fn only_answers_to_get_are_kept() {
        let answer = headers(&[("cache-control", "max-age=60")]);
        for method in [Method::HEAD, Method::POST, Method::OPTIONS] {
            let (empty, asked) = (HeaderMap::new(), Directives::default());
            let found = super::check(&method, &empty, &asked, StatusCode::OK, &answer, &Rules::of(&answer));
            assert_eq!(found, Err(Unstorable::Method));
        }
    }
}
