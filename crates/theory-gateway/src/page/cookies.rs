//! Cookies: which of them make another page.

use http::HeaderMap;
use http::header::COOKIE;

/// The cookies of these names, as pairs of name and value, in the order in which they came.
pub(super) fn chosen<'h>(
    names: &'h [String],
    headers: &'h HeaderMap,
) -> impl Iterator<Item = (&'h str, &'h [u8])> {
    all(headers).filter_map(move |(name, value)| {
        let known = names.iter().find(|known| known.as_bytes() == name)?;
        Some((known.as_str(), value))
    })
}

/// All cookies.
pub(super) fn all(headers: &HeaderMap) -> impl Iterator<Item = (&[u8], &[u8])> {
    let lines = headers.get_all(COOKIE).into_iter();
    lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';')).filter_map(|pair| {
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        Some((pair[..equals].trim_ascii(), pair[equals + 1..].trim_ascii()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_counts_and_keeps_its_order() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; b=2;theme=dark; =x; alone; a=3=4 ".parse().unwrap());
        headers.append(COOKIE, "theme=light; Theme=x".parse().unwrap());
        let names = ["theme".to_owned(), "a".to_owned()];
        let found: Vec<_> = chosen(&names, &headers).collect();
        let expected: [(&str, &[u8]); 4] =
            [("a", b"1"), ("theme", b"dark"), ("a", b"3=4"), ("theme", b"light")];
        assert_eq!(found, expected);
    }
}
