//! What becomes of the application's answer: it goes to the client, and is kept on the way if it may be; or it says that what is kept
//! is still right, and that is renewed.

use std::sync::Arc;

use http::header::{CONTENT_LENGTH, HeaderMap};
use http::{Method, Response, StatusCode};

use crate::answer::Body;
use crate::origin::{OriginBody, is_event_stream};
use crate::pass::given;

use super::answer::from_stored;
use super::errand::{Brought, Errand, is_failure};
use super::flight::Flight;
use super::freshness::Freshness;
use super::keeping::{Keeping, Landed};
use super::status::{CacheStatus, Kept, Why};
use super::storable::{Unstorable, check};
use super::stored::{Moments, Stored, has_validator};
use super::targeted::Rules;
use super::validation::updated;

impl Errand {
    /// Sends the answer on, and keeps it if it may be. Says which of the two it is.
    pub(super) fn take(
        self,
        mut flight: Flight,
        why: Why,
        found: Option<&Arc<Stored>>,
        answer: Response<OriginBody>,
        moments: Moments,
    ) -> Brought {
        let length =
            answer.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        match self.judge(answer.status(), answer.headers(), length, moments) {
            // A stream of events may have no end, whatever it says of its freshness: others would wait for it in vain.
            _ if !answer.body().has_visible_end() || is_event_stream(answer.headers()) => {
                Brought::Plain(self.pass(&mut flight, why, found, answer, Unstorable::NoEnd))
            }
            Err(reason) => Brought::Plain(self.pass(&mut flight, why, found, answer, reason)),
            Ok(rules) => {
                let (status, headers) = (answer.status(), answer.headers().clone());
                let (head, body) = answer.into_parts();
                let (room, bytes_max) = (self.shared.room.none(), self.body_bytes_max());
                let land = move |landed| match landed {
                    Landed::Whole(body) => {
                        let stored = Stored::new(&self.headers, status, headers, rules, body, moments);
                        self.keep(&flight, Arc::new(stored));
                    }
                    Landed::TooLarge => self.shared.pass(&self.key),
                };
                let body = Keeping::new(body, room, bytes_max, length, land);
                let mut answer = Response::new(body);
                *answer.status_mut() = head.status;
                *answer.headers_mut() = head.headers;
                CacheStatus::forwarded(why, Kept::Yes).append(answer.headers_mut());
                Brought::Kept(answer)
            }
        }
    }

    /// Sends an answer on that is not kept.
    fn pass(
        &self,
        flight: &mut Flight,
        why: Why,
        found: Option<&Arc<Stored>>,
        answer: Response<OriginBody>,
        reason: Unstorable,
    ) -> Response<Body> {
        if flight.release() {
            self.shared.pass(&self.key);
        }
        // What was found is out of date, unless the answer is about something else.
        if let Some(stored) = found.filter(|_| reason.is_of_address() && !is_failure(answer.status())) {
            self.shared.store.forget(&self.key, stored);
        }
        let mut answer = given(answer);
        CacheStatus::forwarded(why, Kept::No(reason)).append(answer.headers_mut());
        answer
    }

    /// The rules by which an answer is kept, or why it is not.
    fn judge(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        length: Option<usize>,
        moments: Moments,
    ) -> Result<Rules, Unstorable> {
        let rules = Rules::of(headers);
        check(&Method::GET, &self.headers, &self.directives, status, headers, &rules)?;
        let freshness = Freshness::of(status, headers, &rules, moments.sent, moments.received);
        if !freshness.is_worth_keeping() && !has_validator(headers) {
            return Err(Unstorable::NoFreshness);
        }
        if length.is_some_and(|length| length > self.body_bytes_max()) {
            return Err(Unstorable::TooLarge);
        }
        Ok(rules)
    }

    /// Keeps an answer, unless its address was changed since it was asked for.
    fn keep(&self, flight: &Flight, stored: Arc<Stored>) {
        let is_current = || !flight.is_outdated();
        self.shared.store.put(&self.key, &self.headers, stored, self.variants_max, is_current);
    }

    fn body_bytes_max(&self) -> usize {
        self.body_bytes_max.min(self.shared.store.body_bytes_max())
    }

    /// The answer after the application said that what is kept is still right.
    pub(super) fn freshened(
        &self,
        flight: &Flight,
        why: Why,
        stored: &Arc<Stored>,
        told: &HeaderMap,
        moments: Moments,
    ) -> Response<Body> {
        let (renewed, kept) = self.renew(flight, stored, told, moments);
        let status = Some(StatusCode::NOT_MODIFIED);
        let status = CacheStatus::Forwarded { why, status, is_collapsed: false, kept };
        from_stored(&renewed, &self.method, &self.headers, moments.received, status)
    }

    /// What is kept, with what a newer head says. It stays, if it still may.
    pub(super) fn renew(
        &self,
        flight: &Flight,
        stored: &Arc<Stored>,
        told: &HeaderMap,
        moments: Moments,
    ) -> (Arc<Stored>, Kept) {
        let headers = updated(&stored.headers, told);
        let judged = self.judge(stored.status, &headers, None, moments);
        let (rules, body) = (Rules::of(&headers), stored.body.clone());
        let renewed = Arc::new(Stored::new(&self.headers, stored.status, headers, rules, body, moments));
        let kept = match judged {
            Err(reason) => {
                if reason.is_of_address() {
                    self.shared.store.forget(&self.key, stored);
                }
                Kept::No(reason)
            }
            Ok(_) if flight.is_outdated() => Kept::Unsaid,
            Ok(_) => {
                self.keep(flight, Arc::clone(&renewed));
                Kept::Yes
            }
        };
        (renewed, kept)
    }
}
