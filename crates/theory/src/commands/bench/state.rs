//! What an answer says about the cache it came from: `x-facetheory-isr` of a gateway, or `Cache-Status` (RFC 9211) of any cache.

use http::HeaderMap;

/// The state of an answer, if it says one. Words that no cache should say are not repeated.
pub(super) fn of(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get_all(name).iter().next_back().and_then(|value| value.to_str().ok());
    if let Some(state) = text("x-facetheory-isr") {
        return word(state);
    }
    // Each cache on the way adds a member; the last one is nearest.
    let nearest = text("cache-status")?.rsplit(',').next()?;
    let mut parameters = nearest.split(';').skip(1).map(str::trim);
    let found = parameters.find(|parameter| *parameter == "hit" || parameter.starts_with("fwd="));
    word(found.map_or("other", |parameter| parameter.trim_start_matches("fwd=")))
}

/// Whether an answer in this state was there before it was asked for, or was waited for together with others.
pub(super) fn is_from_cache(state: &str) -> bool {
    matches!(state, "hit" | "stale" | "stale-error" | "wait-hit")
}

fn word(text: &str) -> Option<String> {
    let is_word = !text.is_empty()
        && text.len() <= 32
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    is_word.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Headers, and the state they tell.
    type Case = (&'static [(&'static str, &'static str)], Option<&'static str>);

    #[test]
    fn the_state_is_that_of_the_nearest_cache() {
        let cases: [Case; 9] = [
            (&[], None),
            (&[("x-facetheory-isr", "stale"), ("cache-status", "theory; hit")], Some("stale")),
            (&[("cache-status", "theory; hit; ttl=59")], Some("hit")),
            (&[("cache-status", "theory; fwd=miss; stored")], Some("miss")),
            (&[("cache-status", "origin; hit, cdn; fwd=uri-miss")], Some("uri-miss")),
            (&[("cache-status", "origin; fwd=miss"), ("cache-status", "cdn; hit")], Some("hit")),
            (&[("cache-status", "cdn")], Some("other")),
            (&[("x-facetheory-isr", "\u{7f}hit")], None),
            (&[("x-facetheory-isr", "a word that is far too long to be any state")], None),
        ];
        for (headers, expected) in cases {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                let value = HeaderValue::from_bytes(value.as_bytes());
                map.append(*name, value.unwrap_or(HeaderValue::from_static("\t")));
            }
            assert_eq!(of(&map).as_deref(), expected, "{headers:?}");
        }
    }
}
