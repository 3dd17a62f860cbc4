//! Who is at the other end of a connection.

use std::net::SocketAddr;
use std::sync::Arc;

/// Who is at the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its address: the client's, or a proxy's.
    pub address: SocketAddr,
    /// Whether the connection is TLS.
    pub is_secure: bool,
    /// The host the connection was opened for (SNI), in lower case, if it is TLS and the client said one.
    pub server_name: Option<Arc<str>>,
}

impl Peer {
    /// A peer without TLS.
    #[must_use]
    pub const fn plain(address: SocketAddr) -> Self {
        Self { address, is_secure: false, server_name: None }
    }
}
