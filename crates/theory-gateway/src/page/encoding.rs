//! `Accept-Encoding`: which encodings a client takes, best first (RFC 9110, 12.5.3).

use facetheory::body::Encoding;
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

/// The encodings a client takes, best first. Among equals the smallest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wishes([Option<Encoding>; 3]);

impl Wishes {
    /// Only the bytes as they are.
    pub(super) const IDENTITY: Self = Self([Some(Encoding::Identity), None, None]);

    /// What these headers say.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all(ACCEPT_ENCODING).iter().peekable();
        if lines.peek().is_none() {
            return Self::IDENTITY;
        }
        let mut said = Said::default();
        for line in lines {
            if let Ok(line) = line.to_str() {
                line.split(',').for_each(|entry| said.hear(entry));
            }
        }
        said.wishes()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Encoding> {
        self.0.into_iter().flatten()
    }
}

/// What was said of each encoding, in thousandths.
#[derive(Default)]
struct Said {
    brotli: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    others: Option<u16>,
}

impl Said {
    fn hear(&mut self, entry: &str) {
        let mut parts = entry.split(';');
        let name = parts.next().unwrap_or_default().trim();
        let weight = parts.find_map(weight).unwrap_or(1000);
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        let place = if is("br") {
            &mut self.brotli
        } else if is("gzip") || is("x-gzip") {
            &mut self.gzip
        } else if is("identity") {
            &mut self.identity
        } else if name == "*" {
            &mut self.others
        } else {
            return;
        };
        *place = Some(weight);
    }

    fn wishes(&self) -> Wishes {
        let others = self.others.unwrap_or(0);
        // What is not spoken of is taken as it is, and liked least.
        let plain =
            self.identity.or(self.others.filter(|weight| *weight == 0)).map_or(1, |weight| weight * 2);
        let mut wishes = [
            (self.brotli.unwrap_or(others) * 2, Encoding::Brotli),
            (self.gzip.unwrap_or(others) * 2, Encoding::Gzip),
            (plain, Encoding::Identity),
        ];
        wishes.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        Wishes(wishes.map(|(weight, encoding)| (weight > 0).then_some(encoding)))
    }
}

/// `q=0.5` in thousandths; nothing for another parameter.
fn weight(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value = value.trim();
    let (whole, part) = value.split_once('.').unwrap_or((value, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if part.len() > 3 || !is_number(part) {
        return Some(0);
    }
    let part = part.bytes().chain(std::iter::repeat(b'0')).take(3);
    let thousandths = part.fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    match whole {
        "0" => Some(thousandths),
        "1" => Some(1000),
        _ => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: &str, expected: &str) {
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accept.parse().unwrap())]);
        let wishes: Vec<_> = Wishes::of(&headers).iter().map(Encoding::token).collect();
        assert_eq!(wishes.join(" "), expected, "{accept}");
    }

    #[test]
    fn the_best_comes_first() {
        check("gzip, deflate, br, zstd", "br gzip identity");
        check("br;q=0.5, gzip;q=0.8", "gzip br identity");
        check("gzip;q=0.001", "gzip identity");
        check("X-GZIP", "gzip identity");
        check("gzip;q=0", "identity");
        check("deflate", "identity");
        check("", "identity");
        check("identity, gzip;q=0.5", "identity gzip");
        check("gzip, identity;q=0.5", "gzip identity");
    }

    #[test]
    fn a_star_speaks_for_those_that_are_not_named() {
        check("*", "br gzip identity");
        check("gzip, *;q=0", "gzip");
        check("*;q=0", "");
        check("br;q=0, *;q=0.5", "gzip identity");
        check("identity;q=0, *", "br gzip");
        check("gzip, identity;q=0", "gzip");
    }

    #[test]
    fn a_weight_that_is_none_is_no_wish() {
        for weight in ["2", "-1", "1.0.0", "0.1234", "", "x", "0,5"] {
            check(&format!("br;q={weight}"), "identity");
        }
        check("br;q=1.000", "br identity");
        check("br; Q = 0.5 ;x=1", "br identity");
    }

    #[test]
    fn no_header_is_no_wish() {
        assert_eq!(Wishes::of(&HeaderMap::new()), Wishes::IDENTITY);
    }
}
