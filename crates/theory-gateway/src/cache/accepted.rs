//! The codings a client accepts, in one of sixteen forms. Browsers, libraries and whoever likes to write them in many ways, and each
//! way would be a variant of its own. Weights are lost: the application chooses among what is accepted at all.

use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};

use super::list::members;
use super::vary::weighted;

/// The codings that are told apart; others are not passed on.
const CODINGS: [&[u8]; 3] = [b"br", b"gzip", b"zstd"];
/// One bit for each coding, and one if nothing without a coding is accepted.
const FORMS: [&str; 16] = [
    "identity",
    "br",
    "gzip",
    "br, gzip",
    "zstd",
    "br, zstd",
    "gzip, zstd",
    "br, gzip, zstd",
    "identity;q=0",
    "br, identity;q=0",
    "gzip, identity;q=0",
    "br, gzip, identity;q=0",
    "zstd, identity;q=0",
    "br, zstd, identity;q=0",
    "gzip, zstd, identity;q=0",
    "br, gzip, zstd, identity;q=0",
];

/// Brings `Accept-Encoding` to its form. Whoever says nothing gets what whoever wants no coding gets.
pub(super) fn reduce(headers: &mut HeaderMap) {
    let form = FORMS[form(headers)];
    if headers.get(ACCEPT_ENCODING).is_none_or(|line| line != form) {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(form));
    }
}

fn form(headers: &HeaderMap) -> usize {
    let (mut said, mut identity, mut others) = ([None; CODINGS.len()], None, None);
    for member in headers.get_all(ACCEPT_ENCODING).iter().flat_map(|line| members(line.as_bytes())) {
        // A weight that cannot be read asks for nothing.
        let Some((weight, name)) = weighted(member) else { continue };
        let is_wanted = Some(weight > 0);
        // An old name for the same (RFC 9110 section 8.4.1.3).
        let name = if name.eq_ignore_ascii_case(b"x-gzip") { b"gzip" } else { name };
        match CODINGS.iter().position(|coding| name.eq_ignore_ascii_case(coding)) {
            Some(place) => said[place] = is_wanted,
            None if name == b"*" => others = is_wanted,
            None if name.eq_ignore_ascii_case(b"identity") => identity = is_wanted,
            None => {}
        }
    }
    let bit = |place: usize, is_set: bool| usize::from(is_set) << place;
    let codings = said.iter().enumerate();
    let codings: usize = codings.map(|(place, wanted)| bit(place, wanted.or(others).unwrap_or(false))).sum();
    // Without a word about it, no coding is always accepted (RFC 9110 section 12.5.3).
    codings + bit(CODINGS.len(), identity.or(others) == Some(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &[&'static str], expected: &str) {
        let mut headers = HeaderMap::new();
        for line in said {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(line));
        }
        reduce(&mut headers);
        let lines: Vec<_> = headers.get_all(ACCEPT_ENCODING).iter().collect();
        assert_eq!(lines, [expected], "{said:?}");
        reduce(&mut headers);
        assert_eq!(headers[ACCEPT_ENCODING], expected, "a form is its own form");
    }

    #[test]
    fn what_is_accepted_has_one_form() {
        check(&[], "identity");
        check(&[""], "identity");
        check(&["identity"], "identity");
        check(&["deflate, compress"], "identity");
        check(&["gzip, deflate, br, zstd"], "br, gzip, zstd");
        check(&["zstd", "GZip;q=0.5"], "gzip, zstd");
        check(&["br;q=1.0, gzip;q=0.8, *;q=0.1"], "br, gzip, zstd");
        check(&["x-gzip"], "gzip");
        check(&["*"], "br, gzip, zstd");
    }

    #[test]
    fn what_is_refused_is_not_sent() {
        check(&["gzip;q=0"], "identity");
        check(&["*, br;q=0"], "gzip, zstd");
        check(&["gzip;q=nonsense"], "identity");
        check(&["gzip, identity;q=0"], "gzip, identity;q=0");
        check(&["gzip, *;q=0"], "gzip, identity;q=0");
        check(&["*;q=0"], "identity;q=0");
        check(&["identity, *;q=0"], "identity");
    }
}
