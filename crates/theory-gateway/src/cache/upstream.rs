//! What this cache needs of whatever stands behind it.

use std::future::Future;

use bytes::Bytes;
use http::{Request, Response};

use crate::answer::Broken;
use crate::refusal::Refusal;

/// Where answers come from.
pub trait Upstream: Send + Sync + 'static {
    /// The body of an answer: it ends with an error where it broke off.
    type Body: http_body::Body<Data = Bytes, Error: Into<Broken>> + Send + Sync + Unpin + 'static;
    /// Why there is no answer, and what a client is told of that.
    type Error: Into<Refusal> + Send;

    /// Sends a request with path and query. Headers of the connection are its own affair, in both directions.
    fn send<B>(
        &self,
        request: Request<B>,
    ) -> impl Future<Output = Result<Response<Self::Body>, Self::Error>> + Send
    where
        B: http_body::Body<Data = Bytes, Error: Into<Broken>> + Send + 'static;
}
