//! What is asked for: one method, one host, one path, normalised once. What the gateway decides by and what the application is
//! asked are the same text. `X-Forwarded-Host`, `Forwarded`, `X-Original-URL` and their kin are never read here.
//!
//! An ordinary request is read without an allocation: its target is shared with the request, a host of up to 24 bytes is kept
//! in place.

mod brings;
mod host;
mod method;
mod path;

use compact_str::CompactString;
use http::header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, StatusCode};

use crate::edge::Peer;
use crate::refusal::Refusal;
use crate::settings::EdgeLimits;
use brings::Brings;
use host::Host;

pub(crate) use brings::Matter;

const NO_HOST: Refusal = Refusal::last(StatusCode::BAD_REQUEST, "exactly one valid Host is needed");
const OTHER_HOST: Refusal =
    Refusal::last(StatusCode::BAD_REQUEST, "the target and the Host header name different hosts");
const OTHER_SERVER: Refusal = Refusal::new(
    StatusCode::MISDIRECTED_REQUEST,
    "this connection was opened for another host; ask on a connection of its own",
);
const TOO_LONG: Refusal = Refusal::new(StatusCode::URI_TOO_LONG, "the path and query are too long");

/// What is asked for.
///
/// What is done with a path, so that a rule of the gateway and the application behind it cannot read it differently:
///
/// | in the path | |
/// |---|---|
/// | `%41`, `%7e` and other escapes of letters, digits and `-._~` | decoded |
/// | other escapes, `%c3%a9` | kept, in capitals: `%C3%A9` |
/// | `"` `^` `{` `\|` `}`, which a path cannot hold | escaped |
/// | `//` and longer | one `/` |
/// | segments `.` and `..`, also escaped, also with parameters (`..;x`) | 400 |
/// | `%2f`, `%5c`, `\`: separators for some | 400 |
/// | `%00` to `%1f`, `%7f`; raw control characters, `<`, `>`, `` ` `` and bytes beyond ASCII | 400 |
/// | `%`, `%4`, `%zz` | 400 |
/// | `;` elsewhere, and all other characters | kept |
/// | `*` | kept with OPTIONS, else 400 |
///
/// Nothing is decoded twice: `%252f` stays `%252f`. The query is kept as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    method: Method,
    host: CompactString,
    port: Option<u16>,
    target: PathAndQuery,
    is_secure: bool,
    brings: Brings,
}

impl Asked {
    /// Reads the head of a request.
    ///
    /// # Errors
    ///
    /// What the client is to be told, if the request is not to be answered: its host is missing, invalid, ambiguous (400) or not
    /// the one the connection was opened for (421), its method none that is passed on (405, 501), its target too long (414) or
    /// one that could be read in two ways (400).
    pub fn read(parts: &Parts, peer: &Peer, limits: &EdgeLimits) -> Result<Self, Refusal> {
        method::check(&parts.method)?;
        let Host { name, port } = one_host(parts)?;
        if let Some(server_name) = &peer.server_name
            && **server_name != *name
        {
            return Err(OTHER_SERVER);
        }
        let target = match parts.uri.path_and_query() {
            Some(target) if target.as_str().len() > limits.uri_bytes_max => return Err(TOO_LONG),
            Some(target) if target.as_str() == "*" && parts.method != Method::OPTIONS => {
                return Err(path::UNCLEAR);
            }
            Some(target) => path::normalised(target)?,
            // Only the target of CONNECT has none, and that is refused above.
            None => return Err(path::UNCLEAR),
        };
        // What had to be escaped is longer now, and that is what is kept and what the application is asked.
        if target.as_str().len() > limits.uri_bytes_max {
            return Err(TOO_LONG);
        }
        Ok(Self {
            method: parts.method.clone(),
            host: name,
            port,
            target,
            is_secure: peer.is_secure,
            brings: Brings::of(&parts.headers),
        })
    }

    /// The method, in capitals and known to be no tunnel.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The host: lower case, without a port, IPv6 in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port that was named with the host, if one was.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The path: absolute, without dot segments, empty segments and encoded separators, its escapes in one form; or `*`.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.path()
    }

    /// The query as it came, without `?`.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.target.query()
    }

    /// Path and query, as the application is to be asked for them. A clone shares the text.
    #[must_use]
    pub fn target(&self) -> &PathAndQuery {
        &self.target
    }

    /// Whether it came through TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// Whether its headers say anything about this.
    pub(crate) fn brings(&self, matter: Matter) -> bool {
        self.brings.has(matter)
    }
}

/// Whether a head announces a body. HTTP/2 need not announce one: there, [`is_end_stream`](http_body::Body::is_end_stream) of
/// the body says it.
pub(crate) fn has_body(parts: &Parts) -> bool {
    parts.headers.contains_key(TRANSFER_ENCODING)
        || parts.headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

fn one_host(parts: &Parts) -> Result<Host, Refusal> {
    let header = host_header(&parts.headers)?;
    let Some(authority) = parts.uri.authority() else {
        return header.ok_or(NO_HOST);
    };
    let named = Host::read(authority.as_str().as_bytes()).ok_or(NO_HOST)?;
    match header {
        Some(header) if header != named => Err(OTHER_HOST),
        // HTTP/2 has the name in the target, HTTP/1 must have both.
        None if parts.version < http::Version::HTTP_2 => Err(NO_HOST),
        _ if !matches!(parts.uri.scheme_str(), Some("http" | "https")) => Err(path::UNCLEAR),
        _ => Ok(named),
    }
}

fn host_header(headers: &HeaderMap) -> Result<Option<Host>, Refusal> {
    let mut values = headers.get_all(HOST).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(NO_HOST);
    }
    Host::read(value.as_bytes()).map(Some).ok_or(NO_HOST)
}

#[cfg(test)]
mod tests;
