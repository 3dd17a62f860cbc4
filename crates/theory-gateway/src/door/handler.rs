//! What is behind a door, as a service: both layers want one that can be cloned.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use idempotent::IdempotentBody;
use tower_service::Service;

use super::body::Entered;
use crate::answer::Body;

/// What is behind a door.
#[derive(Clone)]
pub(super) struct Handler<H>(pub(super) H);

type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl<H> Handler<H> {
    fn begin<B, F>(&self, request: Request<Entered<B>>) -> Answering
    where
        H: FnOnce(Request<Entered<B>>) -> F + Clone,
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let answer = (self.0.clone())(request);
        Box::pin(async move { Ok(answer.await) })
    }
}

impl<H, B, F> Service<Request<IdempotentBody<B>>> for Handler<H>
where
    H: FnOnce(Request<Entered<B>>) -> F + Clone,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<IdempotentBody<B>>) -> Answering {
        self.begin(request.map(Entered::Read))
    }
}

/// The same without a layer that reads bodies.
#[derive(Clone)]
pub(super) struct Unread<H>(pub(super) Handler<H>);

impl<H, B, F> Service<Request<B>> for Unread<H>
where
    H: FnOnce(Request<Entered<B>>) -> F + Clone,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Answering {
        self.0.begin(request.map(|body| Entered::Unread(Box::pin(body))))
    }
}
