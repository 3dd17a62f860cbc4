//! What is listened on, and what is borne from clients.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// An address that is listened on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// With TLS, if there is a certificate.
    pub certificate: Option<Certificate>,
}

/// Files of a certificate, read again when they change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The chain, PEM.
    pub chain: PathBuf,
    /// The private key, PEM.
    pub key: PathBuf,
}

/// What is borne from clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeLimits {
    /// The largest head: request line and headers.
    pub head_bytes_max: usize,
    /// How many header lines.
    pub headers_max: usize,
    /// The longest path and query.
    pub uri_bytes_max: usize,
    /// The largest body.
    pub body_bytes_max: u64,
    /// How long a head may take, and an idle connection stay open.
    pub head_wait: Duration,
    /// How long a body may pause between two pieces.
    pub body_wait: Duration,
    /// How many bytes a second a body must bring on average, once it has taken ten seconds.
    pub body_rate_min: u64,
    /// How long a client may not take anything of its answer.
    pub write_wait: Duration,
    /// How many connections there may be; further ones wait to be accepted.
    pub connections_max: usize,
    /// How many of them from one address.
    pub connections_per_address_max: usize,
    /// How many requests at once on one connection of HTTP/2.
    pub streams_max: u32,
    /// How long running requests get after the stop.
    pub drain_max: Duration,
}

impl Default for EdgeLimits {
    fn default() -> Self {
        Self {
            head_bytes_max: 16 * 1024,
            headers_max: 100,
            uri_bytes_max: 8 * 1024,
            body_bytes_max: 16 * 1024 * 1024,
            head_wait: Duration::from_secs(15),
            body_wait: Duration::from_secs(15),
            body_rate_min: 240,
            write_wait: Duration::from_secs(30),
            connections_max: 10_000,
            connections_per_address_max: 1000,
            streams_max: 100,
            drain_max: Duration::from_secs(30),
        }
    }
}
