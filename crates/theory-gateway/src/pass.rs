//! Everything of a route goes to the application, and its answers come back as they are: streamed in both directions, nothing kept. A
//! client that leaves takes its request with it; an answer that breaks off breaks off for the client, too.

mod exchange;
mod tunnel;
mod upgrade;

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{Request, Response};

use crate::answer::{Body, Broken};
use crate::asked::Asked;
use crate::origin::{Caller, Origin, OriginError};
use crate::settings::PassRoute;

pub(crate) use exchange::{given, refuse, rewrite};
pub(crate) use upgrade::wanted;

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
/// The request was not looked for among what is kept (RFC 9211).
const BYPASS: HeaderValue = HeaderValue::from_static("theory; fwd=bypass");

/// Passes a request to the application and its answer back.
pub async fn pass<B>(
    origin: &Origin,
    route: &PassRoute,
    asked: &Asked,
    request: Request<B>,
    caller: &Caller,
) -> Response<Body>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Broken>,
{
    let protocol =
        if route.upgrade { wanted(request.method(), request.version(), request.headers()) } else { None };
    let answer = match protocol {
        Some(protocol) => upgrade::pass(origin, asked, request, caller, &protocol).await,
        None => stream(origin, asked, request, caller).await,
    };
    match answer {
        Ok(mut answer) => {
            answer.headers_mut().append(CACHE_STATUS, BYPASS);
            answer
        }
        Err(error) => refuse(asked, &error),
    }
}

async fn stream<B>(
    origin: &Origin,
    asked: &Asked,
    request: Request<B>,
    caller: &Caller,
) -> Result<Response<Body>, OriginError>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Broken>,
{
    let (mut head, body) = request.into_parts();
    rewrite(&mut head, asked, caller);
    let answer = origin.send(Request::from_parts(head, body)).await?;
    Ok(given(answer))
}
