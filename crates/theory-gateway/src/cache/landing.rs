//! What becomes of the application's answer: it goes to the client, and is kept on the way if it may be; or it says that what is kept
//! is still right, and that is renewed.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderMap};
use http::{Method, Response, response};

use crate::answer::Body;

use super::answer::from_stored;
use super::errand::{Errand, is_failure};
use super::flight::Flight;
use super::freshness::Freshness;
use super::keeping::Keeping;
use super::status::{CacheStatus, Kept, Why};
use super::storable::{Unstorable, check};
use super::stored::{Moments, Stored, has_validator};
use super::targeted::Rules;
use super::upstream::Upstream;
use super::validation::updated;

impl<U: Upstream> Errand<U> {
    /// Sends the answer on, and keeps it if it may be.
    pub(super) fn take(
        self,
        mut flight: Flight,
        why: Why,
        found: Option<&Arc<Stored>>,
        answer: Response<U::Body>,
        moments: Moments,
    ) -> Response<Body> {
        let (head, body) = answer.into_parts();
        let length = head.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let mut answer = match self.judge(&head, length, moments) {
            Err(reason) => {
                if flight.release() {
                    self.shared.pass(&self.key);
                }
                // What was found is out of date, unless the answer is about something else.
                if let Some(stored) = found.filter(|_| reason.is_of_address() && !is_failure(head.status)) {
                    self.shared.store.forget(&self.key, stored);
                }
                let mut answer = Response::from_parts(head, Body::stream(body));
                CacheStatus::forwarded(why, Kept::No(reason)).append(answer.headers_mut());
                answer
            }
            Ok(rules) => {
                let mut told = Response::new(());
                (*told.status_mut(), *told.headers_mut()) = (head.status, head.headers.clone());
                let bytes_max = self.body_bytes_max();
                let complete = move |body| self.keep(&flight, &told.into_parts().0, rules, body, moments);
                let body = Keeping::new(body, bytes_max, length, complete);
                let mut answer = Response::from_parts(head, Body::stream(body));
                CacheStatus::forwarded(why, Kept::Yes).append(answer.headers_mut());
                answer
            }
        };
        // Versions and extensions are of the connection to the application.
        *answer.version_mut() = http::Version::HTTP_11;
        answer.extensions_mut().clear();
        answer
    }

    /// The rules by which an answer is kept, or why it is not.
    fn judge(
        &self,
        head: &response::Parts,
        length: Option<usize>,
        moments: Moments,
    ) -> Result<Rules, Unstorable> {
        let rules = Rules::of(&head.headers);
        check(&Method::GET, &self.headers, &self.asked, head.status, &head.headers, &rules)?;
        let freshness = Freshness::of(head.status, &head.headers, &rules, moments.sent, moments.received);
        if !freshness.is_worth_keeping() && !has_validator(&head.headers) {
            return Err(Unstorable::NoFreshness);
        }
        if length.is_some_and(|length| length > self.body_bytes_max()) {
            return Err(Unstorable::TooLarge);
        }
        Ok(rules)
    }

    fn body_bytes_max(&self) -> usize {
        self.body_bytes_max.min(self.shared.store.body_bytes_max())
    }

    fn keep(self, flight: &Flight, head: &response::Parts, rules: Rules, body: Bytes, moments: Moments) {
        if !flight.is_outdated() {
            let stored = Stored::new(&self.headers, head, rules, body, moments);
            self.shared.store.put(&self.key, &self.headers, Arc::new(stored), self.variants_max);
        }
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
        let status = Some(http::StatusCode::NOT_MODIFIED);
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
        let mut head = Response::new(());
        *head.status_mut() = stored.status;
        *head.headers_mut() = updated(&stored.headers, told);
        let (head, ()) = head.into_parts();
        let judged = self.judge(&head, None, moments);
        let rules = Rules::of(&head.headers);
        let renewed = Arc::new(Stored::new(&self.headers, &head, rules, stored.body.clone(), moments));
        let kept = match judged {
            Err(reason) => {
                if reason.is_of_address() {
                    self.shared.store.forget(&self.key, stored);
                }
                Kept::No(reason)
            }
            Ok(_) if flight.is_outdated() => Kept::Unsaid,
            Ok(_) => {
                let renewed = Arc::clone(&renewed);
                self.shared.store.put(&self.key, &self.headers, renewed, self.variants_max);
                Kept::Yes
            }
        };
        (renewed, kept)
    }
}
