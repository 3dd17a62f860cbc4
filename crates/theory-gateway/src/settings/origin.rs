//! The application behind a site.

use std::time::Duration;

use http::Uri;

/// How visitors come to a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// By TLS.
    Https,
}

impl Scheme {
    /// As it stands in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// The application behind a site, and how much patience it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginSettings {
    /// Its scheme, host and port. It is fixed: nothing a client sends chooses another.
    pub uri: Uri,
    /// What it is told as `Host`: the site's host, if nothing is said.
    pub host: Option<String>,
    /// How it is told that visitors come when a page is rendered, for all of them.
    pub scheme: Scheme,
    /// How long a connection may take to be made.
    pub connect_wait: Duration,
    /// How long the head of an answer may take.
    pub head_wait: Duration,
    /// How long an answer may pause between two pieces. Streams of events have no such bound.
    pub body_wait: Duration,
    /// The largest answer that is kept.
    pub kept_bytes_max: usize,
    /// How many requests it gets at once from this process; further ones wait.
    pub requests_max: usize,
    /// After so many failures in a row it is left alone.
    pub failures_max: u32,
    /// For how long it is left alone.
    pub pause: Duration,
    /// A path that is asked to learn whether it is well, if there is one.
    pub health_path: Option<String>,
    /// How often.
    pub health_every: Duration,
    /// Whether a name may lead to loopback and private addresses. To link-local ones, and to the services of a cloud for its own
    /// machines, it never may; an address that is written down is what was meant.
    pub allow_private: bool,
}

impl OriginSettings {
    /// The application at this address, with the patience that suits most.
    #[must_use]
    pub fn new(uri: Uri) -> Self {
        Self {
            uri,
            host: None,
            scheme: Scheme::Http,
            connect_wait: Duration::from_secs(3),
            head_wait: Duration::from_secs(30),
            body_wait: Duration::from_secs(30),
            kept_bytes_max: 16 * 1024 * 1024,
            requests_max: 256,
            failures_max: 5,
            pause: Duration::from_secs(2),
            health_path: None,
            health_every: Duration::from_secs(5),
            allow_private: true,
        }
    }
}
