//! `Cache-Control`, `CDN-Cache-Control` and `Surrogate-Control`: a line each, `Cache-Control` in all that follow.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderName, HeaderValue};
use theory_gateway::cache::door;

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut headers = HeaderMap::new();
    let targeted = ["cdn-cache-control", "surrogate-control"].map(HeaderName::from_static);
    let mut said = Vec::new();
    for field in targeted.into_iter().chain(std::iter::repeat(CACHE_CONTROL)) {
        if input.is_empty() || headers.len() > 8 {
            break;
        }
        if let Ok(value) = HeaderValue::from_bytes(input.line()) {
            said.extend((field == CACHE_CONTROL).then(|| value.clone()));
            headers.append(field, value);
        }
    }
    let understood = door::cache_control(&headers);
    assert_eq!(understood, door::cache_control(&one(&understood)), "what is understood means the same again");
    let (obeyed, is_targeted) = door::rules(&headers);
    assert_eq!(obeyed, door::cache_control(&one(&obeyed)), "what is obeyed means the same again");
    assert!(is_targeted || obeyed == understood, "without a word to this cache, the word to all counts");

    // Lines that come one by one are one list, unless a quote is left open at the end of one.
    let is_whole = |value: &HeaderValue| value.as_bytes().iter().all(|byte| *byte != b'"' && *byte != b'\\');
    if said.iter().all(is_whole) {
        let joined = said.iter().map(HeaderValue::as_bytes).collect::<Vec<_>>().join(&b',');
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, HeaderValue::from_bytes(&joined).expect("its parts are values"));
        assert_eq!(door::cache_control(&headers), understood, "lines are one list");
    }
}

fn one(line: &str) -> HeaderMap {
    let line = HeaderValue::from_str(line).unwrap_or_else(|_| panic!("{line:?} can be a header"));
    HeaderMap::from_iter([(CACHE_CONTROL, line)])
}
