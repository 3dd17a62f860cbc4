//! The child that is a bare hyper server: it has the answer to every GetItem in memory, finds it by the bytes of the request, and
//! sends it. It reads no JSON, makes none and keeps nothing: no endpoint on the same library can cost less.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};

use super::request;
use crate::accept::{self, Site};
use crate::record::Record;

/// The first argument of the child.
pub(crate) const BARE_HYPER: &str = "--bare-hyper-endpoint";

const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

/// What the child does.
pub(crate) fn bare_hyper_main(words: &[String]) -> Result<()> {
    let [port, items] = words else { bail!("{BARE_HYPER} wants a port and a number of items") };
    let items: u64 = items.parse().context("items are a number")?;
    accept::serve(port, Answers::to(items))
}

struct Answers(HashMap<String, Bytes>);

impl Answers {
    fn to(items: u64) -> Self {
        let answers = (0..items).map(Record::numbered).map(|record| {
            let asked = request::get_body(&record.key).to_string();
            (asked, request::got_body(&record).to_string().into())
        });
        Self(answers.collect())
    }

    /// Whatever else is asked is answered with nothing.
    fn find(&self, asked: &[u8]) -> Bytes {
        let known = str::from_utf8(asked).ok().and_then(|asked| self.0.get(asked));
        known.cloned().unwrap_or(Bytes::from_static(b"{}"))
    }
}

impl Site for Answers {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        // A client that goes away in the middle is not there to be answered.
        let asked = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let mut answer = Response::new(Full::new(self.find(&asked)));
        answer.headers_mut().insert(CONTENT_TYPE, JSON);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_an_item_is_given_it() {
        let answers = Answers::to(30);
        let record = Record::numbered(29);
        let request = request::get(&record.key);
        let (_, asked) = request.split_once("\r\n\r\n").expect("a head and a body");
        let answer = String::from_utf8(answers.find(asked.as_bytes()).to_vec()).expect("it is text");
        assert!(answer.starts_with(r#"{"Item":{"#) && answer.contains(&record.title), "{answer}");
        assert_eq!(answers.find(b"\xff"), "{}");
    }
}
