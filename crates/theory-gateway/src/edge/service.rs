//! From hyper's request to the application's and back: what is refused before the application sees it, and what happens when it
//! panics.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use http::{Method, Request, Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;

use super::application::{Application, Shared};
use super::inbound::Inbound;
use super::line::{Line, Switch};
use super::peer::Peer;
use super::sent::Sent;
use super::streams;
use crate::answer::Body;
use crate::refusal::Refusal;

const TOO_LARGE: Refusal = Refusal::last(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
const NO_TUNNEL: Refusal = Refusal::last(StatusCode::METHOD_NOT_ALLOWED, "this method is not available here");
const PANICKED: Refusal =
    Refusal::last(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be answered");

/// What answers the requests of one connection.
#[derive(Debug)]
pub(super) struct Service<A> {
    pub(super) shared: Arc<Shared<A>>,
    pub(super) line: Arc<Line>,
    pub(super) peer: Peer,
}

impl<A: Application> Service<A> {
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Result<Response<Sent>, Infallible> {
        let begun = self.line.answers().begin(streams::end());
        let asks_for_switch = request.extensions().get::<OnUpgrade>().is_some();
        let response = match self.refusal(&request) {
            Some(refusal) => refusal.into(),
            None => {
                let request = request.map(|body| Inbound::new(body, &self.shared.limits));
                let answer = self.shared.application.answer(request, self.peer.clone());
                AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| self.panicked())
            }
        };
        if asks_for_switch {
            let is_switched = response.status() == StatusCode::SWITCHING_PROTOCOLS;
            self.line.set_switch(if is_switched { Switch::Done } else { Switch::Refused });
        }
        Ok(response.map(|body| Sent::new(body, begun)))
    }

    fn refusal(&self, request: &Request<Incoming>) -> Option<Refusal> {
        // hyper would make a tunnel of any good answer to this one.
        if request.method() == Method::CONNECT {
            return Some(NO_TUNNEL);
        }
        (request.body().size_hint().lower() > self.shared.limits.body_bytes_max).then_some(TOO_LARGE)
    }

    /// The answer for an application that panicked. The hook has printed what happened and where.
    fn panicked(&self) -> Response<Body> {
        tracing::error!(peer = %self.peer.address, "a request ended with a panic");
        PANICKED.into()
    }
}
