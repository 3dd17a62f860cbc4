//! Signatures. Without the secret, whatever stands in `Authorization` is refused; with it a request is accepted as it was signed, and
//! refused once a byte of it is changed.

use http::request::Parts;
use http::{HeaderValue, Request};
use tabletheory_core::Timestamp;
use tabletheory_wire::sigv4::{Credentials, Verifier};

use crate::input::Input;
use crate::signer::{ACCESS_KEY, DATE, MOMENT, SECRET, authorization};

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let verifier = Verifier::new(vec![Credentials::new(ACCESS_KEY, SECRET)]);
    let now = Timestamp::from_seconds(MOMENT);
    if input.byte() < 128 {
        stranger(&verifier, now, input);
    } else {
        holder(&verifier, now, input);
    }
}

/// Someone who does not know the secret.
fn stranger(verifier: &Verifier, now: Timestamp, mut input: Input<'_>) {
    let authorization = input.line();
    let target = input.line();
    let target = if target.first() == Some(&b'/') { target } else { b"/" };
    let request = Request::post(target).header("authorization", authorization).header("x-amz-date", DATE);
    let Ok(request) = request.header("host", "localhost:8000").body(()) else { return };
    let answer = verifier.verify(&request.into_parts().0, input.rest(), now);
    let refusal = answer.expect_err("nobody signs without the secret");
    assert!(!refusal.to_string().is_empty() && !refusal.code().is_empty(), "a refusal says why");
}

/// Someone who knows it, and someone on the way who changes one byte.
fn holder(verifier: &Verifier, now: Timestamp, mut input: Input<'_>) {
    let (part, at, change) = (input.choice(4), input.wide(), input.byte().max(1));
    let (note, body) = (input.line(), input.rest());
    let Some(mut parts) = signed(note, body) else { return };
    assert_eq!(verifier.verify(&parts, body, now), Ok(()), "what was signed is accepted: {parts:?}");

    let mut changed_body = body.to_vec();
    let name = match part {
        0 => {
            match change_at(&changed_body, at, change) {
                Some(changed) => changed_body = changed,
                // Nothing to change, so something is added.
                None => changed_body.push(change),
            }
            None
        }
        1 => Some("x-note"),
        2 => Some("x-amz-target"),
        _ => Some("authorization"),
    };
    if let Some(name) = name {
        let value = parts.headers[name].as_bytes();
        let Some(changed) = change_at(value, at, change) else { return };
        // How many spaces there are between words is not signed, so spaces do not come or go here.
        if value
            .iter()
            .zip(&changed)
            .any(|(before, after)| before != after && (*before == b' ' || *after == b' '))
        {
            return;
        }
        let Ok(changed) = HeaderValue::from_bytes(&changed) else { return };
        parts.headers.insert(name, changed);
    }
    assert!(
        verifier.verify(&parts, &changed_body, now).is_err(),
        "part {part} was changed at {at} by {change}, and it is accepted: {parts:?}"
    );
}

fn change_at(bytes: &[u8], at: usize, change: u8) -> Option<Vec<u8>> {
    let mut changed = bytes.to_vec();
    let place = at % bytes.len().max(1);
    *changed.get_mut(place)? ^= change;
    Some(changed)
}

fn signed(note: &[u8], body: &[u8]) -> Option<Parts> {
    let target = "DynamoDB_20120810.GetItem";
    let headers: [(&str, &[u8]); 4] = [
        ("host", b"localhost:8000"),
        ("x-amz-date", DATE.as_bytes()),
        ("x-amz-target", target.as_bytes()),
        ("x-note", note),
    ];
    let mut request = Request::post("/");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let request = request.header("authorization", authorization(&headers, body)).body(()).ok()?;
    Some(request.into_parts().0)
}
