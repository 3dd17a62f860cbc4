//! What is asked for: one method, one host, one path, normalised once. What the gateway decides by and what the application is
//! asked are the same text.

use http::Method;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The method, in capitals and known to be no tunnel.
    pub method: Method,
    /// The host: lower case, without a port.
    pub host: String,
    /// The path: absolute, without dot segments, empty segments and encoded separators, its escapes in one form.
    pub path: String,
    /// The query as it came, without `?`.
    pub query: Option<String>,
    /// Whether it came through TLS.
    pub is_secure: bool,
}
