//! A request as any server gets it, from the event that Lambda makes of one. The path is the application's own, without the name
//! of a stage; repeated headers are all there; and what is no request is refused, where `lambda_http` would panic.

use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{COOKIE, HOST, HeaderMap, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Request, StatusCode, Uri};
use lambda_http::aws_lambda_events::alb::AlbTargetGroupRequest;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayProxyRequest, ApiGatewayV2httpRequest};
use lambda_http::aws_lambda_events::query_map::QueryMap;
use lambda_http::request::{LambdaRequest, RequestContext};
use theory_gateway::refusal::Refusal;

const NO_TARGET: Refusal = Refusal::new(StatusCode::BAD_REQUEST, "the path and query are none of a request");
const NO_BODY: Refusal = Refusal::new(StatusCode::BAD_REQUEST, "the body is said to be base64 and is not");
const UNKNOWN: Refusal =
    Refusal::new(StatusCode::NOT_IMPLEMENTED, "requests of this kind are not answered here");

/// The stage that has no name in paths.
const DEFAULT_STAGE: &str = "$default";

/// In which form an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A REST API.
    Rest,
    /// An HTTP API or a Function URL.
    Http,
    /// An Application Load Balancer.
    LoadBalancer,
}

/// What all events have, in their own ways.
struct Raw {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    host: Option<String>,
    address: Option<String>,
    body: Option<String>,
    is_base64: bool,
    context: RequestContext,
}

/// The request of an event, and in which form it wants its answer.
pub(crate) fn read(event: LambdaRequest) -> (Form, Result<Request<Bytes>, Refusal>) {
    let (form, raw) = match event {
        LambdaRequest::ApiGatewayV1(event) => (Form::Rest, rest(event)),
        LambdaRequest::ApiGatewayV2(event) => (Form::Http, http(event)),
        LambdaRequest::Alb(event) => (Form::LoadBalancer, load_balancer(event)),
        _ => return (Form::Http, Err(UNKNOWN)),
    };
    (form, raw.request())
}

fn rest(event: ApiGatewayProxyRequest) -> Raw {
    let context = event.request_context;
    Raw {
        method: event.http_method,
        path: event.path.unwrap_or_default(),
        query: pairs(&event.multi_value_query_string_parameters, &event.query_string_parameters, escaped),
        headers: merged(event.multi_value_headers, event.headers),
        host: context.domain_name.clone(),
        address: context.identity.source_ip.clone(),
        body: event.body,
        is_base64: event.is_base64_encoded,
        context: RequestContext::ApiGatewayV1(context),
    }
}

fn http(event: ApiGatewayV2httpRequest) -> Raw {
    let context = event.request_context;
    let mut headers = event.headers;
    // Cookies come apart from the other headers.
    let cookies = event.cookies.unwrap_or_default().join("; ");
    if let (false, Ok(cookies)) = (cookies.is_empty(), HeaderValue::try_from(cookies)) {
        headers.insert(COOKIE, cookies);
    }
    let path = event.raw_path.unwrap_or_default();
    Raw {
        method: context.http.method.clone(),
        path: without_stage(&path, context.stage.as_deref()).to_owned(),
        query: event.raw_query_string.unwrap_or_default(),
        headers,
        host: context.domain_name.clone(),
        address: context.http.source_ip.clone(),
        body: event.body,
        is_base64: event.is_base64_encoded,
        context: RequestContext::ApiGatewayV2(context),
    }
}

fn load_balancer(event: AlbTargetGroupRequest) -> Raw {
    Raw {
        method: event.http_method,
        path: event.path.unwrap_or_default(),
        // A load balancer passes parameters on as they came.
        query: pairs(
            &event.multi_value_query_string_parameters,
            &event.query_string_parameters,
            str::to_owned,
        ),
        headers: merged(event.multi_value_headers, event.headers),
        host: None,
        // It says whom it serves in a header alone, which the application may trust or not.
        address: None,
        body: event.body,
        is_base64: event.is_base64_encoded,
        context: RequestContext::Alb(event.request_context),
    }
}

impl Raw {
    fn request(self) -> Result<Request<Bytes>, Refusal> {
        let target = target(&self.path, &self.query).ok_or(NO_TARGET)?;
        let body = match self.body {
            None => Bytes::new(),
            Some(body) if self.is_base64 => STANDARD.decode(body).map_err(|_| NO_BODY)?.into(),
            Some(body) => body.into(),
        };
        let mut request = Request::new(body);
        *request.method_mut() = self.method;
        *request.uri_mut() = Uri::from(target);
        *request.headers_mut() = self.headers;
        if let (false, Some(Ok(host))) =
            (request.headers().contains_key(HOST), self.host.map(HeaderValue::try_from))
        {
            request.headers_mut().insert(HOST, host);
        }
        if let Some(address) = self.address.and_then(|address| address.parse::<IpAddr>().ok()) {
            request.extensions_mut().insert(SocketAddr::new(address, 0));
        }
        request.extensions_mut().insert(self.context);
        Ok(request)
    }
}

/// The path that the application knows: an API with a named stage has the name before it.
fn without_stage<'p>(path: &'p str, stage: Option<&str>) -> &'p str {
    let Some(stage) = stage.filter(|stage| *stage != DEFAULT_STAGE) else { return path };
    match path.strip_prefix('/').and_then(|path| path.strip_prefix(stage)) {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// Path and query as they stand in a request. Paths come with some of their escapes undone.
fn target(path: &str, query: &str) -> Option<PathAndQuery> {
    let mut target = String::with_capacity(path.len() + query.len() + 1);
    if !path.starts_with('/') {
        target.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'?' | b'#' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                escape(&mut target, byte)
            }
            0x21..=0x7e => target.push(char::from(byte)),
            _ => escape(&mut target, byte),
        }
    }
    if !query.is_empty() {
        target.push('?');
        target.push_str(query);
    }
    PathAndQuery::try_from(target).ok()
}

/// Parameters as a query. Their order is lost on the way here, so they are sorted: the same request is always the same text, and
/// that is what repetitions are recognised by.
fn pairs(several: &QueryMap, single: &QueryMap, write: impl Fn(&str) -> String) -> String {
    let parameters = if several.is_empty() { single } else { several };
    let mut pairs: Vec<_> = parameters.iter().collect();
    pairs.sort_by_key(|(name, _)| *name);
    let pairs: Vec<_> =
        pairs.into_iter().map(|(name, value)| format!("{}={}", write(name), write(value))).collect();
    pairs.join("&")
}

/// A REST API gives parameters decoded.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => escaped.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => escaped.push(char::from(byte)),
            _ => escape(&mut escaped, byte),
        }
    }
    escaped
}

fn escape(text: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.push('%');
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// All values of all headers. Where both maps have one, the one with all its values counts.
fn merged(several: HeaderMap, single: HeaderMap) -> HeaderMap {
    let mut headers = several;
    for (name, value) in &single {
        if !headers.contains_key(name) {
            headers.insert(name.clone(), value.clone());
        }
    }
    headers
}

#[cfg(test)]
mod tests;
