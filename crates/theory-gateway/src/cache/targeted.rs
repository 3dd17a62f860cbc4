//! Which directives hold for this cache: those addressed to it (`CDN-Cache-Control`, RFC 9213; `Surrogate-Control`, as the Edge
//! Architecture note has it) replace `Cache-Control` and `Expires` for it; without any of them, those hold.

use http::header::{CACHE_CONTROL, HeaderMap, HeaderName};

use super::directives::{Directives, whole};
use super::list::{members, unquoted};

/// Directives for caches that act for the application (RFC 9213).
pub(super) const CDN_CACHE_CONTROL: HeaderName = HeaderName::from_static("cdn-cache-control");
/// The older field of the same purpose, which many applications send.
pub(super) const SURROGATE_CONTROL: HeaderName = HeaderName::from_static("surrogate-control");
/// How this cache calls itself to the application, and finds what is addressed to it.
pub(super) const DEVICE: &str = "theory";

/// The directives that hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) directives: Directives,
    /// Whether they are addressed to this cache, so that `Expires` says nothing to it.
    pub(super) is_targeted: bool,
}

impl Rules {
    /// The rules of an answer.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let targeted = dictionary(headers).or_else(|| surrogate(headers));
        match targeted {
            Some(directives) => Self { directives, is_targeted: true },
            None => Self { directives: Directives::of(headers, &CACHE_CONTROL), is_targeted: false },
        }
    }
}

/// What `CDN-Cache-Control` says. It is a dictionary (RFC 9651); one with a fault anywhere, and an empty one, says nothing.
fn dictionary(headers: &HeaderMap) -> Option<Directives> {
    let mut directives = None;
    for line in headers.get_all(&CDN_CACHE_CONTROL) {
        for member in members(line.as_bytes()) {
            // Parameters have no meaning here.
            let member = member.split(|byte| *byte == b';').next()?.trim_ascii_end();
            if !is_well_formed(member) {
                return None;
            }
            directives.get_or_insert_with(Directives::default).read(member);
        }
    }
    directives
}

/// Whether this is a key, alone or with a bare value of the type that its meaning needs.
fn is_well_formed(member: &[u8]) -> bool {
    let (key, value) = match member.iter().position(|byte| *byte == b'=') {
        Some(at) => (&member[..at], Some(&member[at + 1..])),
        None => (member, None),
    };
    let is_key = key.first().is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'*')
        && key
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.*".contains(byte));
    let is_time = matches!(key, b"max-age" | b"s-maxage" | b"stale-while-revalidate" | b"stale-if-error");
    is_key && if is_time { value.is_some_and(|value| whole(value).is_some()) } else { value != Some(b"") }
}

/// What `Surrogate-Control` says to this cache: its two directives, each for all or for the devices it names.
fn surrogate(headers: &HeaderMap) -> Option<Directives> {
    let mut directives = None;
    for line in headers.get_all(&SURROGATE_CONTROL) {
        for member in members(line.as_bytes()) {
            let mut parts = member.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
            let directive = parts.next().unwrap_or_default();
            let mut devices = parts.peekable();
            let is_for_all = devices.peek().is_none();
            if is_for_all || devices.any(|device| unquoted(device) == DEVICE.as_bytes()) {
                read_surrogate(&mut directives, directive);
            }
        }
    }
    directives
}

fn read_surrogate(directives: &mut Option<Directives>, directive: &[u8]) {
    // `max-age=60+30` grants thirty further seconds in which the answer is out of date; those are not taken.
    let directive = directive.split(|byte| *byte == b'+').next().unwrap_or_default();
    let name = directive.split(|byte| *byte == b'=').next().unwrap_or_default();
    if [b"max-age".as_slice(), b"no-store"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
        directives.get_or_insert_with(Directives::default).read(directive);
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use tabletheory_core::Seconds;

    use super::*;

    fn rules(lines: &[(&'static str, &'static str)]) -> Rules {
        let lines = lines
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Rules::of(&lines.collect())
    }

    #[track_caller]
    fn check(
        lines: &[(&'static str, &'static str)],
        is_targeted: bool,
        max_age: Option<i64>,
        no_store: bool,
    ) {
        let rules = rules(lines);
        assert_eq!(rules.is_targeted, is_targeted, "{lines:?}");
        assert_eq!(rules.directives.max_age, max_age.map(Seconds), "{lines:?}");
        assert_eq!(rules.directives.no_store, no_store, "{lines:?}");
    }

    #[test]
    fn what_is_addressed_to_this_cache_replaces_the_rest() {
        check(&[("cache-control", "max-age=1")], false, Some(1), false);
        check(&[("cache-control", "no-store"), ("cdn-cache-control", "max-age=9")], true, Some(9), false);
        check(&[("cache-control", "max-age=9"), ("cdn-cache-control", "no-store")], true, None, true);
        check(
            &[("surrogate-control", "max-age=5"), ("cdn-cache-control", "max-age=9")],
            true,
            Some(9),
            false,
        );
        check(&[("cache-control", "no-store"), ("surrogate-control", "MaX-aGe=5")], true, Some(5), false);
    }

    #[test]
    fn a_dictionary_with_a_fault_says_nothing() {
        for faulty in [
            "max-age=10, &&&&&",
            "max-age=\"10\"",
            "max-age",
            "max-age =10",
            "max-age= 10",
            "MaX-aGe=10",
            "",
            "max-age=-1",
            "private=",
        ] {
            check(&[("cdn-cache-control", faulty), ("cache-control", "no-store")], false, None, true);
        }
        check(&[("cdn-cache-control", "foobar, max-age=10;x=1")], true, Some(10), false);
    }

    #[test]
    fn what_is_addressed_to_other_surrogates_is_not_for_this_one() {
        check(
            &[("surrogate-control", "max-age=10;other"), ("cache-control", "max-age=1")],
            false,
            Some(1),
            false,
        );
        check(&[("surrogate-control", "max-age=10;other;theory")], true, Some(10), false);
        check(&[("surrogate-control", "content=\"ESI/1.0\", max-age=10+5")], true, Some(10), false);
        check(
            &[("surrogate-control", "no-store-remote"), ("cache-control", "max-age=1")],
            false,
            Some(1),
            false,
        );
    }
}
