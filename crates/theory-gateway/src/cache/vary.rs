//! Which requests an answer answers besides its own (RFC 9111 section 4.1): those whose fields named by `Vary` say the same. Values
//! that mean the same are brought to one form first.

use http::header::{
    ACCEPT, ACCEPT_CHARSET, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_LANGUAGE, HeaderMap, HeaderName, VARY,
};

use super::list::members;

/// An answer that depends on more fields than these is not kept.
const FIELDS_MAX: usize = 16;

/// What an answer depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Vary {
    /// These fields of the request.
    On(Vec<HeaderName>),
    /// More than can be known: it answers no other request.
    Everything,
}

impl Vary {
    /// What an answer says it depends on.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut fields = Vec::new();
        for line in headers.get_all(VARY) {
            for member in members(line.as_bytes()) {
                let Ok(field) = HeaderName::from_bytes(member) else { return Self::Everything };
                if field.as_str() == "*" || fields.len() == FIELDS_MAX {
                    return Self::Everything;
                }
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
        }
        Self::On(fields)
    }
}

/// What a request said in the fields its answer depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selection(Box<[Selected]>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Selected {
    field: HeaderName,
    /// As it came, if it came in one line: the same again needs no thought.
    line: Option<Box<[u8]>>,
    /// In the form in which values are compared.
    value: Option<Vec<u8>>,
}

impl Selection {
    /// What `request` says in these fields.
    pub(super) fn of(fields: &[HeaderName], request: &HeaderMap) -> Self {
        let selected = |field: &HeaderName| Selected {
            field: field.clone(),
            line: only_line(request, field).map(Box::from),
            value: normal(request, field),
        };
        Self(fields.iter().map(selected).collect())
    }

    /// Whether `request` says the same. `answer` is the head of what would be sent.
    pub(super) fn is_of(&self, request: &HeaderMap, answer: &HeaderMap) -> bool {
        self.0.iter().all(|selected| selected.is_of(request, answer))
    }

    /// Whether the gateway might have changed what a client said in these fields. What it accepts is passed on as it came,
    /// and `accepted` has brought it to its form before.
    pub(super) fn is_of_rewritten(&self) -> bool {
        self.0.iter().any(|selected| !selected.field.as_str().starts_with("accept"))
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |selected: &Selected| {
            let line = selected.line.as_ref().map_or(0, |line| line.len());
            let value = selected.value.as_ref().map_or(0, Vec::len);
            line + value + selected.field.as_str().len() + size_of::<Selected>()
        };
        self.0.iter().map(bytes).sum()
    }
}

impl Selected {
    fn is_of(&self, request: &HeaderMap, answer: &HeaderMap) -> bool {
        if self.line.is_some() && self.line.as_deref() == only_line(request, &self.field) {
            return true;
        }
        self.value == normal(request, &self.field)
            || self.field == ACCEPT_LANGUAGE && is_preferred_language(request, answer)
    }
}

/// The value of a field that came in exactly one line.
fn only_line<'a>(headers: &'a HeaderMap, field: &HeaderName) -> Option<&'a [u8]> {
    let mut lines = headers.get_all(field).iter();
    let line = lines.next()?;
    lines.next().is_none().then(|| line.as_bytes())
}

/// The value of a field, all its lines together, without space around commas. What a client accepts is also the same in another
/// order and case.
fn normal(headers: &HeaderMap, field: &HeaderName) -> Option<Vec<u8>> {
    headers.get(field)?;
    let lines = headers.get_all(field).iter();
    let members = lines.flat_map(|line| members(line.as_bytes()));
    if ![ACCEPT, ACCEPT_CHARSET, ACCEPT_ENCODING, ACCEPT_LANGUAGE].contains(field) {
        return Some(members.collect::<Vec<_>>().join(&b','));
    }
    let lower =
        |member: &[u8]| member.iter().filter(|byte| **byte != b' ').map(u8::to_ascii_lowercase).collect();
    let mut members: Vec<Vec<u8>> = members.map(lower).collect();
    members.sort_unstable();
    Some(members.join(&b','))
}

/// Whether the answer is in the one language the client wants most: the application could not choose better.
fn is_preferred_language(request: &HeaderMap, answer: &HeaderMap) -> bool {
    let Some(language) = only_line(answer, &CONTENT_LANGUAGE) else { return false };
    let lines = request.get_all(ACCEPT_LANGUAGE).iter();
    let ranges = lines.flat_map(|line| members(line.as_bytes()));
    let mut ranges: Vec<(u32, &[u8])> = ranges.filter_map(weighted).collect();
    ranges.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    match ranges.as_slice() {
        [(first, _), (second, _), ..] if first == second => false,
        [(weight, range), ..] => *weight > 0 && range.eq_ignore_ascii_case(language),
        [] => false,
    }
}

/// A range and how much it is wanted, in thousandths.
pub(super) fn weighted(member: &[u8]) -> Option<(u32, &[u8])> {
    let mut parts = member.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let range = parts.next()?;
    let weight = parts.find_map(|part| part.strip_prefix(b"q=").or_else(|| part.strip_prefix(b"Q=")));
    let Some(weight) = weight else { return Some((1000, range)) };
    let weight: f32 =
        str::from_utf8(weight).ok()?.parse().ok().filter(|weight| (0.0..=1.0).contains(weight))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 1000")]
    Some(((weight * 1000.0) as u32, range))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        lines.iter().map(header).collect()
    }

    fn fields(vary: &[&str]) -> Vary {
        let lines: Vec<_> = vary.iter().map(|value| ("vary", *value)).collect();
        Vary::of(&headers(&lines))
    }

    /// Whether what was answered to the first request answers the second.
    #[track_caller]
    fn check(vary: &[&str], first: &[(&'static str, &str)], second: &[(&'static str, &str)], expected: bool) {
        let Vary::On(fields) = fields(vary) else { panic!("{vary:?} is known") };
        let selection = Selection::of(&fields, &headers(first));
        assert_eq!(selection.is_of(&headers(second), &HeaderMap::new()), expected, "{first:?} {second:?}");
    }

    #[test]
    fn a_star_anywhere_is_everything() {
        for vary in [
            ["*", ""],
            ["*, *", ""],
            [", *", ""],
            ["", "*"],
            ["*, Foo", ""],
            ["Foo, *", ""],
            ["not a name", ""],
        ] {
            assert_eq!(fields(&vary), Vary::Everything, "{vary:?}");
        }
        let many: Vec<String> = (0..20).map(|number| format!("f{number}")).collect();
        assert_eq!(fields(&[&many.join(",")]), Vary::Everything);
        assert_eq!(fields(&["Foo, foo"]), Vary::On(vec![HeaderName::from_static("foo")]));
    }

    #[test]
    fn requests_that_say_the_same_share_an_answer() {
        check(&[], &[("foo", "1")], &[("foo", "2")], true);
        check(&["Foo"], &[("foo", "1"), ("other", "2")], &[("foo", "1"), ("other", "3")], true);
        check(&["Foo"], &[("foo", "1")], &[("foo", "2")], false);
        check(&["Foo"], &[("foo", "1")], &[], false);
        check(&["Foo"], &[], &[("foo", "1")], false);
        check(&["Foo"], &[], &[("foo", "")], false);
        check(&["Foo, Bar"], &[("foo", "1")], &[("foo", "1")], true);
    }

    #[test]
    fn forms_of_the_same_value_are_the_same() {
        check(&["Foo"], &[("foo", "1, 2")], &[("foo", "1"), ("foo", "2")], true);
        check(&["Foo"], &[("foo", "1,2")], &[("foo", "1, 2")], true);
        check(&["Foo"], &[("foo", "1,2")], &[("foo", "2,1")], false);
        check(&["Foo"], &[("foo", "\"a,b\"")], &[("foo", "\"a, b\"")], false);
        check(
            &["Accept-Language"],
            &[("accept-language", "en, de")],
            &[("accept-language", "De ,  EN")],
            true,
        );
        check(
            &["Accept-Encoding"],
            &[("accept-encoding", "br; q=1")],
            &[("accept-encoding", "br;q=1")],
            true,
        );
    }

    #[test]
    fn the_language_a_client_wants_most_is_the_right_one() {
        let answer = headers(&[("content-language", "de")]);
        let selection = Selection::of(&[ACCEPT_LANGUAGE], &headers(&[("accept-language", "en, de")]));
        let is_of = |wanted| selection.is_of(&headers(&[("accept-language", wanted)]), &answer);
        assert!(is_of("fr;q=0.5, DE;q=1.0") && is_of("de"));
        for wanted in ["fr, de", "de;q=0", "fr;q=0.9, de;q=0.8", "fr", "de;q=x", ""] {
            assert!(!is_of(wanted), "{wanted}");
        }
    }

    proptest! {
        #[test]
        fn a_request_is_answered_by_its_own_answer(
            vary in "[ -~]{0,40}", foo in proptest::option::of("[ -~]{0,20}"), language in "[a-z;=.0-9, ]{0,30}",
        ) {
            let mut request = headers(&[("accept-language", &language)]);
            if let Some(foo) = foo {
                request.append("foo", HeaderValue::from_str(&foo).unwrap());
            }
            if let Vary::On(mut fields) = fields(&[&vary]) {
                fields.extend([HeaderName::from_static("foo"), ACCEPT_LANGUAGE]);
                prop_assert!(Selection::of(&fields, &request).is_of(&request, &HeaderMap::new()));
            }
        }
    }
}
