//! The directives of `Cache-Control`, in answers and in requests (RFC 9111 section 5.2, RFC 5861). What cannot be read counts as
//! what is safest: a time that is no number is over, and of two times the shorter holds.

use http::header::{HeaderMap, HeaderName};
use tabletheory_core::Seconds;

use super::list::{members, unquoted};

/// The longest time there is: what does not fit in 31 bits is this (RFC 9111 section 1.2.2).
const LONGEST: Seconds = Seconds(1 << 31);

/// What `Cache-Control` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Directives {
    pub(super) max_age: Option<Seconds>,
    pub(super) s_maxage: Option<Seconds>,
    pub(super) stale_while_revalidate: Option<Seconds>,
    pub(super) stale_if_error: Option<Seconds>,
    pub(super) min_fresh: Option<Seconds>,
    pub(super) max_stale: Option<Seconds>,
    pub(super) no_cache: Reach,
    pub(super) private: Reach,
    pub(super) no_store: bool,
    pub(super) public: bool,
    pub(super) must_revalidate: bool,
    pub(super) proxy_revalidate: bool,
    pub(super) must_understand: bool,
    pub(super) only_if_cached: bool,
}

/// How far a directive that can name fields reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Reach {
    /// It is not there.
    #[default]
    Nothing,
    /// It holds for these fields.
    Fields(Vec<HeaderName>),
    /// It holds for the whole answer.
    Everything,
}

impl Directives {
    /// What all lines of `field` say together.
    pub(super) fn of(headers: &HeaderMap, field: &HeaderName) -> Self {
        let mut directives = Self::default();
        for line in headers.get_all(field) {
            members(line.as_bytes()).for_each(|member| directives.read(member));
        }
        directives
    }

    /// Takes one more directive: `name`, `name=value` or `name="value"`.
    pub(super) fn read(&mut self, member: &[u8]) {
        let (name, value) = match member.iter().position(|byte| *byte == b'=') {
            // A space before the sign is not allowed; what was meant is known, but not with which value.
            Some(at) if member[..at].ends_with(b" ") => (member[..at].trim_ascii_end(), Some(b"".as_slice())),
            Some(at) => (&member[..at], Some(&member[at + 1..])),
            None => (member, None),
        };
        match name.to_ascii_lowercase().as_slice() {
            b"max-age" => shorten(&mut self.max_age, delta(value)),
            b"s-maxage" => shorten(&mut self.s_maxage, delta(value)),
            b"stale-while-revalidate" => shorten(&mut self.stale_while_revalidate, delta(value)),
            b"stale-if-error" => shorten(&mut self.stale_if_error, delta(value)),
            b"min-fresh" => shorten(&mut self.min_fresh, delta(value)),
            b"max-stale" => shorten(&mut self.max_stale, value.map_or(LONGEST, |value| delta(Some(value)))),
            b"no-cache" => self.no_cache.extend(value),
            b"private" => self.private.extend(value),
            b"no-store" => self.no_store = true,
            b"public" => self.public = true,
            b"must-revalidate" => self.must_revalidate = true,
            b"proxy-revalidate" => self.proxy_revalidate = true,
            b"must-understand" => self.must_understand = true,
            b"only-if-cached" => self.only_if_cached = true,
            _ => {}
        }
    }

    /// Forgets what would have the application asked although something fresh is kept, and kept things forgotten. What clients say
    /// is advice (RFC 9111 section 5.2.1).
    pub(super) fn spare_application(&mut self) {
        (self.no_cache, self.no_store) = (Reach::Nothing, false);
        (self.max_age, self.min_fresh) = (None, None);
    }

    /// Whether an answer that is no longer fresh must never be used without asking (RFC 9111 section 4.2.4).
    pub(super) fn forbids_stale(&self) -> bool {
        self.must_revalidate || self.proxy_revalidate || self.no_cache == Reach::Everything
    }
}

impl Reach {
    /// Takes one more value. No value, and a value that cannot be read, reach everything.
    fn extend(&mut self, value: Option<&[u8]>) {
        let names =
            |value| members(unquoted(value)).map(HeaderName::from_bytes).collect::<Result<Vec<_>, _>>();
        let names = value.and_then(|value| names(value).ok()).unwrap_or_default();
        match self {
            Self::Everything => {}
            _ if names.is_empty() => *self = Self::Everything,
            Self::Fields(fields) => fields.extend(names),
            Self::Nothing => *self = Self::Fields(names),
        }
    }

    /// The fields it names.
    pub(super) fn fields(&self) -> &[HeaderName] {
        match self {
            Self::Fields(fields) => fields,
            Self::Nothing | Self::Everything => &[],
        }
    }
}

fn shorten(time: &mut Option<Seconds>, told: Seconds) {
    *time = Some(time.map_or(told, |known| known.min(told)));
}

/// A time in whole seconds; none, if it cannot be read.
fn delta(value: Option<&[u8]>) -> Seconds {
    value.and_then(|value| whole(unquoted(value))).unwrap_or(Seconds(0))
}

/// A number without sign, at most [`LONGEST`].
pub(super) fn whole(digits: &[u8]) -> Option<Seconds> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits
        .iter()
        .fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    Some(Seconds(number).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::CACHE_CONTROL;
    use proptest::prelude::*;

    use super::*;

    fn directives(lines: &[&str]) -> Directives {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CACHE_CONTROL, HeaderValue::from_str(line).unwrap());
        }
        Directives::of(&headers, &CACHE_CONTROL)
    }

    #[track_caller]
    fn max_age(lines: &[&str], expected: i64) {
        assert_eq!(directives(lines).max_age, Some(Seconds(expected)), "{lines:?}");
    }

    #[test]
    fn a_time_is_read_in_every_form_that_is_allowed() {
        max_age(&["max-age=3600"], 3600);
        max_age(&["MaX-aGe=3600"], 3600);
        max_age(&["max-age=\"3600\""], 3600);
        max_age(&["max-age=003600"], 3600);
        max_age(&["foobar, max-age=3600"], 3600);
        max_age(&["extension=\"max-age=3600\", max-age=1"], 1);
        max_age(&["max-age=99999999999999999999"], 1 << 31);
    }

    #[test]
    fn a_time_that_cannot_be_read_is_over() {
        for line in [
            "max-age",
            "max-age=",
            "max-age=-1",
            "max-age='3600'",
            "max-age=a3600",
            "max-age=3600a",
            "max-age=3600.5",
            "max-age =3600",
            "max-age= 3600",
        ] {
            max_age(&[line], 0);
        }
    }

    #[test]
    fn of_two_times_the_shorter_holds() {
        max_age(&["max-age=1, max-age=1800"], 1);
        max_age(&["max-age=1800", "max-age=1"], 1);
    }

    #[test]
    fn fields_can_be_named() {
        let (a, b) = (HeaderName::from_static("a"), HeaderName::from_static("b"));
        assert_eq!(directives(&["no-cache=\"a, B\""]).no_cache, Reach::Fields(vec![a.clone(), b.clone()]));
        assert_eq!(directives(&["private=a, private=\"b\""]).private, Reach::Fields(vec![a, b]));
        assert_eq!(directives(&["no-cache=\"a\", no-cache"]).no_cache, Reach::Everything);
        assert_eq!(directives(&["private=\"not a name\""]).private, Reach::Everything);
    }

    #[test]
    fn staleness_without_a_bound_has_none() {
        assert_eq!(directives(&["max-stale"]).max_stale, Some(LONGEST));
        assert_eq!(directives(&["max-stale=5"]).max_stale, Some(Seconds(5)));
    }

    #[test]
    fn stale_answers_are_forbidden_by_three_directives() {
        for line in ["must-revalidate", "proxy-revalidate", "No-CaChE"] {
            assert!(directives(&[line]).forbids_stale(), "{line}");
        }
        assert!(!directives(&["max-age=2, public, no-cache=\"a\""]).forbids_stale());
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_read_without_harm(line in "[ -~\t]{0,80}") {
            let Ok(value) = HeaderValue::from_str(&line) else { return Ok(()) };
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, value);
            let directives = Directives::of(&headers, &CACHE_CONTROL);
            for time in [directives.max_age, directives.s_maxage, directives.max_stale] {
                prop_assert!(time.is_none_or(|time| time >= Seconds(0) && time <= LONGEST));
            }
        }
    }
}
