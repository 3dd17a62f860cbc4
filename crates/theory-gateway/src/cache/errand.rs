//! Asking the application for what is not there or not fresh, on behalf of one client or beside an answer: alone or for others who
//! wait, about what is kept or anew. What comes back is judged here and kept in `landing`.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::Empty;
use tokio::time::timeout;

use crate::answer::Body;
use crate::asked::Asked;
use crate::origin::{Origin, OriginBody, OriginError};
use crate::pass::{given, refuse};

use super::answer::from_stored;
use super::directives::{Directives, Reach};
use super::flight::{Boarding, Flight};
use super::keeping::Keeping;
use super::plan::{Failure, Plan, plan, stands_in};
use super::shared::Shared;
use super::status::{CacheStatus, Kept, Why};
use super::stored::{Moments, Stored};
use super::validation::{agrees, ask, is_about};

/// Tells the application that directives for surrogates are understood, and by which name they are addressed to this one.
const SURROGATE_CAPABILITY: HeaderName = HeaderName::from_static("surrogate-capability");
const CAPABILITY: HeaderValue = HeaderValue::from_static("theory=\"Surrogate/1.0\"");

/// How often others are waited for before one asks oneself.
const WAITS_MAX: usize = 2;

/// One request to the application.
#[derive(Debug)]
pub(super) struct Errand {
    pub(super) shared: Arc<Shared>,
    pub(super) origin: Arc<Origin>,
    pub(super) key: Arc<str>,
    /// What is asked for.
    pub(super) asked: Asked,
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    /// What the client says about what is kept.
    pub(super) directives: Directives,
    pub(super) variants_max: usize,
    pub(super) body_bytes_max: usize,
}

/// What an errand has brought.
pub(super) enum Brought {
    /// The application's answer, of which a copy is kept while it is read.
    Kept(Response<Keeping<OriginBody>>),
    /// What is not kept by being read: an answer that must not be, one from what is kept, or a refusal.
    Plain(Response<Body>),
}

impl From<Brought> for Response<Body> {
    fn from(brought: Brought) -> Self {
        match brought {
            Brought::Kept(answer) => answer.map(Body::stream),
            Brought::Plain(answer) => answer,
        }
    }
}

impl Errand {
    /// The answer for the client: another's, if one is on its way that will do, or the application's.
    pub(super) async fn answer(self, why: Why, found: Option<Arc<Stored>>) -> Response<Body> {
        if self.method == Method::HEAD {
            return self.head(why, found).await;
        }
        let why = if self.headers.contains_key(RANGE) && found.is_none() { Why::Partial } else { why };
        // Whoever was waited for may have left, or have got something that does for itself alone.
        for _ in 0..WAITS_MAX {
            if !self.may_wait(found.is_some()) {
                break;
            }
            match self.shared.flights.board(&self.key) {
                Boarding::Lead(flight) => return self.ask(flight, why, found).await.into(),
                Boarding::Wait(wait) => wait.over().await,
            }
            if let Some(answer) = self.landed(why) {
                return answer;
            }
        }
        let flight = self.shared.flights.alone(&self.key);
        self.ask(flight, why, found).await.into()
    }

    /// Asks beside an answer that was already sent.
    pub(super) async fn refresh(mut self, flight: Flight, found: Arc<Stored>) {
        self.method = Method::GET;
        for field in [RANGE, IF_RANGE, IF_NONE_MATCH, IF_MODIFIED_SINCE] {
            self.headers.remove(field);
        }
        // There is no client who would leave some day, and few may be under way at once. So nothing is read but what is kept, and
        // that not for longer than the application has to answer.
        let wait = self.origin.wait_in_all();
        let asking = async {
            if let Brought::Kept(answer) = self.ask(flight, Why::Stale, Some(found)).await {
                answer.into_body().finish().await;
            }
        };
        let _ = timeout(wait, asking).await;
    }

    /// Whether the answer to another request for the same address could do for this one.
    fn may_wait(&self, is_found: bool) -> bool {
        let is_own = |field: &HeaderName| self.headers.contains_key(field);
        // What is asked about what is kept is the same for all, whatever they have.
        let is_plain = !is_own(&AUTHORIZATION)
            && (is_found || ![RANGE, IF_NONE_MATCH, IF_MODIFIED_SINCE].iter().any(is_own));
        let is_patient = !self.directives.no_store && self.directives.no_cache == Reach::Nothing;
        is_plain && is_patient && !self.shared.is_passed(&self.key)
    }

    /// What the one that was waited for has left, if it answers this request.
    fn landed(&self, why: Why) -> Option<Response<Body>> {
        let now = self.shared.now();
        let variants = self.shared.store.get(&self.key)?;
        let stored = variants.select(&self.headers)?;
        let status = CacheStatus::Forwarded { why, status: None, is_collapsed: true, kept: Kept::Unsaid };
        let is_right = matches!(plan(stored, &self.directives, now), Plan::Serve | Plan::ServeAndAsk);
        is_right.then(|| from_stored(stored, &self.method, &self.headers, now, status))
    }

    /// Asks the application, about what was found if that can be asked about.
    async fn ask(self, flight: Flight, why: Why, found: Option<Arc<Stored>>) -> Brought {
        let about = found.as_ref().filter(|stored| stored.has_validator());
        let (moments, result) = self.send(about).await;
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => {
                let standing_in = self.stand_in(why, found.as_ref(), None, moments);
                return Brought::Plain(standing_in.unwrap_or_else(|| refuse(&self.asked, &error)));
            }
        };
        if let Some(stored) = about
            && answer.status() == StatusCode::NOT_MODIFIED
        {
            if is_about(answer.headers(), &stored.headers) {
                let freshened = self.freshened(&flight, why, stored, answer.headers(), moments);
                return Brought::Plain(freshened);
            }
            // It speaks of something else (RFC 9111 section 4.3.4), so the whole is asked for.
            return match self.send(None).await {
                (moments, Ok(answer)) => self.take(flight, why, found.as_ref(), answer, moments),
                (_, Err(error)) => Brought::Plain(refuse(&self.asked, &error)),
            };
        }
        let standing_in = self.stand_in(why, found.as_ref(), Some(answer.status()), moments);
        match standing_in {
            Some(standing_in) => Brought::Plain(standing_in),
            None => self.take(flight, why, found.as_ref(), answer, moments),
        }
    }

    /// Asks for the head alone. What it says holds for what is kept, if they agree.
    async fn head(self, why: Why, found: Option<Arc<Stored>>) -> Response<Body> {
        let flight = self.shared.flights.alone(&self.key);
        let (moments, result) = self.send(None).await;
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => {
                let standing_in = self.stand_in(why, found.as_ref(), None, moments);
                return standing_in.unwrap_or_else(|| refuse(&self.asked, &error));
            }
        };
        if let Some(standing_in) = self.stand_in(why, found.as_ref(), Some(answer.status()), moments) {
            return standing_in;
        }
        if let Some(stored) = &found
            && answer.status() == StatusCode::OK
        {
            if agrees(answer.headers(), &stored.headers) {
                self.renew(&flight, stored, answer.headers(), moments);
            } else {
                self.shared.store.forget(&self.key, stored);
            }
        }
        let mut answer = given(answer);
        CacheStatus::forwarded(why, Kept::Unsaid).append(answer.headers_mut());
        answer
    }

    /// What was found, if it may be sent in place of a failure: of silence, or of this status.
    fn stand_in(
        &self,
        why: Why,
        found: Option<&Arc<Stored>>,
        status: Option<StatusCode>,
        moments: Moments,
    ) -> Option<Response<Body>> {
        let failure = match status {
            None => Failure::Silence,
            Some(status) if is_failure(status) => Failure::Error,
            Some(_) => return None,
        };
        let (stored, now) = (found?, moments.received);
        let told = CacheStatus::Forwarded { why, status, is_collapsed: false, kept: Kept::Unsaid };
        let may = stands_in(stored, &self.directives, failure, now);
        may.then(|| from_stored(stored, &self.method, &self.headers, now, told))
    }

    /// Sends the client's request, or one that asks about what is kept.
    async fn send(
        &self,
        about: Option<&Arc<Stored>>,
    ) -> (Moments, Result<Response<OriginBody>, OriginError>) {
        let mut headers = self.headers.clone();
        if let Some(stored) = about {
            headers.remove(RANGE);
            headers.remove(IF_RANGE);
            ask(&mut headers, &stored.headers);
        }
        headers.insert(SURROGATE_CAPABILITY, CAPABILITY);
        let mut request = Request::new(Empty::<Bytes>::new());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        let sent = self.shared.now();
        let result = self.origin.send(request).await;
        (Moments { sent, received: self.shared.now() }, result)
    }
}

/// Whether the application says that it failed, and not that the request was wrong (RFC 5861 section 4).
pub(super) fn is_failure(status: StatusCode) -> bool {
    matches!(status.as_u16(), 500 | 502 | 503 | 504)
}
