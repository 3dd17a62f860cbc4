//! The child that is a bare hyper server: it has the bodies in memory and does nothing but send them. No cache can cost less on
//! the same library.

use anyhow::{Result, bail};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::{Request, Response, StatusCode};

use super::body::body;
use super::hit::SIZES;
use super::page::Page;
use crate::accept::{self, Site};

/// The first argument of the child.
pub(crate) const BARE_HYPER: &str = "--bare-hyper";

const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, s-maxage=3600");

/// What the child does.
pub(crate) fn bare_hyper_main(words: &[String]) -> Result<()> {
    let [port] = words else { bail!("{BARE_HYPER} wants a port") };
    let pages = SIZES.map(|size| (Page::of_origin(size.bytes).path, Bytes::from(body(size.bytes))));
    accept::serve(port, Shelf(pages.into()))
}

struct Shelf(Vec<(String, Bytes)>);

impl Site for Shelf {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        match self.0.iter().find(|(known, _)| known == request.uri().path()) {
            Some((_, body)) => accept::html(body.clone(), &CACHE_CONTROL),
            None => {
                let mut answer = Response::new(Full::default());
                *answer.status_mut() = StatusCode::NOT_FOUND;
                answer
            }
        }
    }
}
