//! An answer in the form that its event wants. Text stays text, and everything else is base64; of repeated headers none is lost.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, HeaderMap, SET_COOKIE};
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::event::request::Form;

/// Lambda takes no longer answer, all its JSON counted.
const LAMBDA_BYTES_MAX: usize = 6_291_556;

/// A load balancer takes no longer answer.
const LOAD_BALANCER_BYTES_MAX: usize = 1 << 20;

/// The answer is longer than its taker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// An answer as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<&'a str, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multi_value_headers: Option<BTreeMap<&'a str, Vec<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<Vec<&'a str>>,
    body: std::borrow::Cow<'a, str>,
    is_base64_encoded: bool,
}

/// Writes an answer.
///
/// # Errors
/// If it is longer than its taker takes.
pub(crate) fn write(form: Form, answer: &Response<Bytes>) -> Result<Box<RawValue>, TooLong> {
    let (headers, status) = (answer.headers(), answer.status());
    let text =
        if headers.contains_key(CONTENT_ENCODING) { None } else { std::str::from_utf8(answer.body()).ok() };
    let written = Written {
        status_code: status.as_u16(),
        status_description: (form == Form::LoadBalancer).then(|| described(status)),
        // An API with both adds them up, so it gets one; of a load balancer its settings say which it reads.
        headers: (form != Form::Rest).then(|| joined(headers, form)),
        multi_value_headers: (form != Form::Http).then(|| listed(headers)),
        cookies: (form == Form::Http).then(|| texts(headers, SET_COOKIE.as_str())),
        is_base64_encoded: text.is_none(),
        body: text.map_or_else(|| STANDARD.encode(answer.body()).into(), Into::into),
    };
    let written = serde_json::value::to_raw_value(&written).expect("texts and numbers can be written");
    let bytes_max = if form == Form::LoadBalancer { LOAD_BALANCER_BYTES_MAX } else { LAMBDA_BYTES_MAX };
    if written.get().len() > bytes_max { Err(TooLong) } else { Ok(written) }
}

fn described(status: StatusCode) -> String {
    format!("{} {}", status.as_u16(), status.canonical_reason().unwrap_or("Unknown"))
}

/// The values of a header. JSON cannot hold one that is no text.
fn texts<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    headers.get_all(name).iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok()).collect()
}

fn listed(headers: &HeaderMap) -> BTreeMap<&str, Vec<&str>> {
    let lists = headers.keys().map(|name| (name.as_str(), texts(headers, name.as_str())));
    lists.filter(|(_, values)| !values.is_empty()).collect()
}

/// Each header once, its values in one line (RFC 9110, 5.3). Cookies cannot be joined: they have a place of their own, or, at a
/// load balancer that reads single headers, the first one is what there is room for.
fn joined(headers: &HeaderMap, form: Form) -> BTreeMap<&str, String> {
    let mut lines = BTreeMap::new();
    for (name, values) in listed(headers) {
        if name != SET_COOKIE.as_str() {
            lines.insert(name, values.join(", "));
        } else if form == Form::LoadBalancer {
            lines.insert(name, values[0].to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use serde_json::{Value, json};

    use super::*;

    fn answer(headers: &[(&'static str, &[u8])], body: &'static [u8]) -> Response<Bytes> {
        let mut answer = Response::new(Bytes::from_static(body));
        for (name, value) in headers {
            answer.headers_mut().append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        answer
    }

    fn written(form: Form, answer: &Response<Bytes>) -> Value {
        serde_json::from_str(write(form, answer).unwrap().get()).unwrap()
    }

    #[test]
    fn repeated_headers_and_cookies_are_all_there_in_each_form() {
        let answer = answer(
            &[("vary", b"accept"), ("vary", b"cookie"), ("set-cookie", b"a=1"), ("set-cookie", b"b=2")],
            b"hello",
        );
        assert_eq!(
            written(Form::Http, &answer),
            json!({ "statusCode": 200, "headers": { "vary": "accept, cookie" }, "cookies": ["a=1", "b=2"],
                "body": "hello", "isBase64Encoded": false })
        );
        let lists = json!({ "vary": ["accept", "cookie"], "set-cookie": ["a=1", "b=2"] });
        assert_eq!(
            written(Form::Rest, &answer),
            json!({ "statusCode": 200, "multiValueHeaders": lists, "body": "hello", "isBase64Encoded": false })
        );
        assert_eq!(
            written(Form::LoadBalancer, &answer),
            json!({ "statusCode": 200, "statusDescription": "200 OK", "multiValueHeaders": lists,
                "headers": { "vary": "accept, cookie", "set-cookie": "a=1" }, "body": "hello", "isBase64Encoded": false })
        );
    }

    #[test]
    fn what_is_no_text_is_base64_and_no_header_breaks_an_answer() {
        let check =
            |headers: &[(&'static str, &[u8])], body: &'static [u8], expected: &str, is_base64: bool| {
                let written = written(Form::Http, &answer(headers, body));
                assert_eq!(
                    (&written["body"], &written["isBase64Encoded"]),
                    (&json!(expected), &json!(is_base64))
                );
            };
        check(&[], b"", "", false);
        check(&[], "ä\u{0}".as_bytes(), "ä\u{0}", false);
        check(&[], b"\xff\x00", "/wA=", true);
        check(&[("content-encoding", b"br")], b"text", "dGV4dA==", true);
        let odd = written(Form::Http, &answer(&[("x-odd", b"\xff"), ("x-fine", b"1")], b""));
        assert_eq!(odd["headers"], json!({ "x-fine": "1" }));
    }

    #[test]
    fn what_nobody_takes_is_not_sent() {
        let long = |bytes: usize| Response::new(Bytes::from(vec![b'x'; bytes]));
        assert_eq!(write(Form::Http, &long(LAMBDA_BYTES_MAX)).map(drop), Err(TooLong));
        assert!(write(Form::Http, &long(LAMBDA_BYTES_MAX - 200)).is_ok());
        assert_eq!(write(Form::LoadBalancer, &long(1 << 20)).map(drop), Err(TooLong));
        let binary = Response::new(Bytes::from(vec![0xff; 5 << 20]));
        assert_eq!(write(Form::Rest, &binary).map(drop), Err(TooLong), "base64 is a third longer");
    }
}
