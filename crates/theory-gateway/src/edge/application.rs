//! What answers requests, what all connections share, and what is said when one of them panics.

use std::future::Future;
use std::sync::Arc;

use http::{Request, Response};
use tokio::task::JoinError;

use super::inbound::Inbound;
use super::peer::Peer;
use super::tls::Tls;
use crate::answer::Body;
use crate::settings::EdgeLimits;

/// What answers requests.
pub trait Application: Send + Sync + 'static {
    /// The answer to a request. If this panics, the request is answered with 500.
    fn answer(
        self: &Arc<Self>,
        request: Request<Inbound>,
        peer: Peer,
    ) -> impl Future<Output = Response<Body>> + Send;
}

/// What all connections share.
#[derive(Debug)]
pub(super) struct Shared<A> {
    pub(super) application: Arc<A>,
    pub(super) limits: EdgeLimits,
    pub(super) tls: Option<Arc<Tls>>,
}

pub(super) fn note_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection ended with a panic");
    }
}
