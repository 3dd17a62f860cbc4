//! A socket that is listened on, with TLS or without.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::tls::Tls;

/// A socket that is listened on.
#[derive(Debug)]
pub struct Listener {
    pub(super) socket: TcpListener,
    pub(super) tls: Option<Arc<Tls>>,
}

impl Listener {
    /// A listener without TLS.
    #[must_use]
    pub const fn new(socket: TcpListener) -> Self {
        Self { socket, tls: None }
    }

    /// With TLS. Whoever keeps the other reference can [reload](Tls::reload) the certificate.
    #[must_use]
    pub fn with_tls(mut self, tls: Arc<Tls>) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The address, with the port that was chosen if none was asked for.
    ///
    /// # Errors
    ///
    /// The machine's, if the socket is no longer usable.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}
