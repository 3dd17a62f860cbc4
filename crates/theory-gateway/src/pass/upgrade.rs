//! Another protocol on the connection of a request (WebSocket). The client's connection becomes a tunnel only after the application
//! answered 101: until then every byte on it is HTTP and is read as such.

use http::header::{CONNECTION, CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderValue, Method, Request, Response, Version};
use hyper_util::rt::TokioIo;

use super::exchange::{given, rewrite};
use super::tunnel;
use crate::answer::Body;
use crate::asked::Asked;
use crate::origin::{Caller, Origin, OriginError, Turned};

/// The protocol a request wants its connection to become, if it asks as it should.
pub(crate) fn wanted(method: &Method, version: Version, headers: &HeaderMap) -> Option<HeaderValue> {
    let mut protocols = headers.get_all(UPGRADE).iter();
    let protocol = protocols.next().filter(|_| protocols.next().is_none())?;
    let has_body = headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
    if method != Method::GET || version != Version::HTTP_11 || has_body {
        return None;
    }
    (is_announced(headers) && is_other(protocol.to_str().ok()?)).then(|| protocol.clone())
}

fn is_announced(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(CONNECTION).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|word| word.trim().eq_ignore_ascii_case("upgrade"))
}

/// One protocol, and none in which further requests would reach the application past the gateway.
fn is_other(protocol: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._+".contains(&byte))
    };
    let mut parts = protocol.splitn(2, '/');
    let name = parts.next().unwrap_or_default();
    let is_http = ["h2c", "h2", "h3", "http", "tls"].iter().any(|http| name.eq_ignore_ascii_case(http));
    is_name(name) && parts.next().is_none_or(is_name) && !is_http
}

/// Passes such a request. If the application agrees, a task joins the two connections until one of them ends.
pub(super) async fn pass<B>(
    origin: &Origin,
    asked: &Asked,
    mut request: Request<B>,
    caller: &Caller,
    protocol: &HeaderValue,
) -> Result<Response<Body>, OriginError> {
    let client = hyper::upgrade::on(&mut request);
    let (mut head, _) = request.into_parts();
    rewrite(&mut head, asked, caller);
    let (mut answer, origin) = match origin.turn(Request::from_parts(head, ()), protocol).await? {
        Turned::Not(answer) => return Ok(given(answer)),
        Turned::Over(answer, origin) => (answer, origin),
    };
    tokio::spawn(async move {
        // The client's side is there once the 101 has been written to it.
        match client.await {
            Ok(client) => tunnel::join(TokioIo::new(client), TokioIo::new(origin), tunnel::IDLE_MAX).await,
            Err(error) => tracing::debug!(%error, "a client left before its connection changed protocols"),
        }
    });
    let headers = answer.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol.clone());
    Ok(answer.map(|()| Body::empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&str, &str)], expected: Option<&str>) {
        let mut request = Request::get("/");
        for (name, value) in lines {
            request = request.header(*name, *value);
        }
        let request = request.body(()).unwrap();
        let wanted = wanted(request.method(), request.version(), request.headers());
        assert_eq!(wanted.as_ref().map(|value| value.to_str().unwrap()), expected, "{lines:?}");
    }

    #[test]
    fn a_proper_request_names_one_protocol_and_announces_it() {
        check(&[("connection", "Upgrade"), ("upgrade", "websocket")], Some("websocket"));
        check(&[("connection", "keep-alive, upgrade"), ("upgrade", "WebSocket")], Some("WebSocket"));
        check(&[("connection", "upgrade"), ("upgrade", "foo/2")], Some("foo/2"));
        check(&[("upgrade", "websocket")], None);
        check(&[("connection", "close"), ("upgrade", "websocket")], None);
        check(&[("connection", "upgrade")], None);
        check(&[("connection", "upgrade"), ("upgrade", "websocket, foo")], None);
        check(&[("connection", "upgrade"), ("upgrade", "websocket"), ("upgrade", "foo")], None);
        check(&[("connection", "upgrade"), ("upgrade", "websocket"), ("content-length", "5")], None);
    }

    #[test]
    fn no_tunnel_carries_further_requests_past_the_gateway() {
        for http in ["h2c", "H2C", "HTTP/2.0", "h2", "TLS/1.2"] {
            check(&[("connection", "upgrade"), ("upgrade", http)], None);
        }
    }
}
