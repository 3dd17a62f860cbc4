//! `Vary`: a line of the answer, then lines `name: value` of two requests with an empty line between them.

use http::header::VARY;
use http::{HeaderMap, HeaderName, HeaderValue};
use theory_gateway::cache::door;

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let Ok(vary) = HeaderValue::from_bytes(input.line()) else { return };
    let answer = HeaderMap::from_iter([(VARY, vary)]);
    let (first, second) = (request(&mut input), request(&mut input));
    let Some(fields) = door::vary(&answer) else {
        assert!(
            !door::answers_both(&answer, &first, &first),
            "what depends on everything answers nobody else"
        );
        return;
    };
    let written = HeaderValue::from_str(&fields.join(", ")).expect("names are values");
    let again = HeaderMap::from_iter([(VARY, written)]);
    assert_eq!(door::vary(&again), Some(fields.clone()), "the fields mean the same when written down");

    assert!(door::answers_both(&answer, &first, &first), "an answer answers its own request");
    let is_shared = door::answers_both(&answer, &first, &second);
    assert_eq!(is_shared, door::answers_both(&answer, &second, &first), "sharing goes both ways");
    let is_same =
        |field: &String| first.get_all(field.as_str()).iter().eq(second.get_all(field.as_str()).iter());
    assert!(is_shared || !fields.iter().all(is_same), "requests that say the same share an answer");
    let is_on_one_side =
        |field: &String| first.contains_key(field.as_str()) != second.contains_key(field.as_str());
    assert!(!(is_shared && fields.iter().any(is_on_one_side)), "saying nothing is not saying something");
}

/// Lines up to an empty one.
fn request(input: &mut Input<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    while !input.is_empty() && headers.len() < 16 {
        let line = input.line();
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { break };
        let name = HeaderName::from_bytes(&line[..colon]);
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    headers
}
