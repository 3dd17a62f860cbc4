//! The door: which requests happen once, whose they are, and by which key they are known.

use std::fmt;
use std::sync::Arc;

use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Response};

use super::body::IdempotentBody;
use super::problem::{Refusal, StatusStyle};
use crate::fingerprint::Fingerprint;
use crate::intent::Intent;
use crate::key::IdempotencyKey;
use crate::machine::Idempotency;
use crate::scope::Scope;

pub(crate) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const BODY_BYTES_MAX: u64 = 1 << 20;

pub(crate) type FindScope = dyn Fn(&Parts) -> Option<Scope> + Send + Sync;

/// What happens to requests while the store does not answer.
///
/// ```
/// assert_eq!(idempotent::OnStoreFailure::default(), idempotent::OnStoreFailure::Refuse);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnStoreFailure {
    /// They are refused with status 503 and may come again: nothing runs of which nobody knows whether it ran before.
    #[default]
    Refuse,
    /// They run, each time they come, unless the store has said that there is a record of them. A table that is missing or refuses is no such failure: that is answered with status 500.
    RunUnprotected,
}

#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) machine: Idempotency,
    pub(crate) scope: Arc<FindScope>,
    pub(crate) methods: Vec<Method>,
    pub(crate) is_key_required: bool,
    pub(crate) body_bytes_max: u64,
    pub(crate) challenge: HeaderValue,
    pub(crate) style: StatusStyle,
    pub(crate) on_store_failure: OnStoreFailure,
    /// Whether a request ends with who waits for it.
    pub(crate) is_in_place: bool,
}

/// A request at the door.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Knock {
    /// It passes as it is.
    Passes,
    /// It happens once, if its body can be read.
    Once(Scope, IdempotencyKey),
}

impl Door {
    pub(crate) fn new(machine: Idempotency, scope: Arc<FindScope>) -> Self {
        Self {
            machine,
            scope,
            methods: vec![Method::POST, Method::PATCH],
            is_key_required: false,
            body_bytes_max: BODY_BYTES_MAX,
            challenge: HeaderValue::from_static("Bearer"),
            style: StatusStyle::default(),
            on_store_failure: OnStoreFailure::default(),
            is_in_place: false,
        }
    }

    pub(crate) fn knock(&self, parts: &Parts) -> Result<Knock, Refusal> {
        if !self.methods.contains(&parts.method) {
            return Ok(Knock::Passes);
        }
        let mut values = parts.headers.get_all(KEY).iter();
        let key = match (values.next(), values.next()) {
            (None, _) if self.is_key_required => return Err(Refusal::KeyMissing),
            (None, _) => return Ok(Knock::Passes),
            (Some(value), None) => IdempotencyKey::parse(value).map_err(Refusal::KeyMalformed)?,
            (Some(_), Some(_)) => return Err(Refusal::KeyTwice),
        };
        // What is declared too long is not even begun to be read.
        let declared = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: u64| length > self.body_bytes_max) {
            return Err(self.too_long());
        }
        let scope = (self.scope)(parts).ok_or_else(|| Refusal::Unidentified(self.challenge.clone()))?;
        Ok(Knock::Once(scope, key))
    }

    pub(crate) fn refuse<B>(&self, refusal: &Refusal) -> Response<IdempotentBody<B>> {
        refusal.response(self.style).map(IdempotentBody::from)
    }

    pub(crate) fn too_long(&self) -> Refusal {
        Refusal::BodyTooLong { bytes_max: self.body_bytes_max }
    }
}

/// What is to happen once.
pub(crate) fn intent(scope: Scope, key: IdempotencyKey, parts: &Parts, body: &[u8]) -> Intent {
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    let fingerprint = Fingerprint::of_http(&scope, parts.method.as_str(), target, body);
    Intent::new(scope, key, fingerprint).with_body(body)
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door")
            .field("methods", &self.methods)
            .field("is_key_required", &self.is_key_required)
            .field("body_bytes_max", &self.body_bytes_max)
            .field("style", &self.style)
            .field("on_store_failure", &self.on_store_failure)
            .field("is_in_place", &self.is_in_place)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use tabletheory::Db;

    use super::*;

    fn door() -> Door {
        let scope = |parts: &Parts| {
            let user = parts.headers.get("x-user")?.to_str().ok()?;
            Some(Scope::route(&parts.method, "/orders").without_tenant().principal(user))
        };
        Door::new(Idempotency::new(Db::memory()), Arc::new(scope))
    }

    fn request(method: &str, headers: &[(&str, &[u8])]) -> Parts {
        let mut request = Request::builder().method(method).uri("/orders");
        for (name, value) in headers {
            request = request.header(*name, HeaderValue::from_bytes(value).expect("a value"));
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn only_posts_and_patches_with_a_key_happen_once() {
        let is_once = |method: &str, headers: &[(&str, &[u8])]| {
            door().knock(&request(method, headers)).map(|knock| knock != Knock::Passes)
        };
        let key: (&str, &[u8]) = ("idempotency-key", b"k");
        let user: (&str, &[u8]) = ("x-user", b"ada");
        for method in ["POST", "PATCH"] {
            assert_eq!(is_once(method, &[key, user]), Ok(true));
            assert_eq!(is_once(method, &[user]), Ok(false));
        }
        for method in ["GET", "PUT", "DELETE", "OPTIONS", "post"] {
            assert_eq!(is_once(method, &[key, user]), Ok(false), "{method}");
        }
        assert_eq!(is_once("POST", &[key]), Err(Refusal::Unidentified(HeaderValue::from_static("Bearer"))));
    }

    #[test]
    fn what_is_no_key_is_refused_even_where_none_is_needed() {
        let refusal = |keys: &[&[u8]]| {
            let mut headers = vec![("x-user", &b"ada"[..])];
            headers.extend(keys.iter().map(|key| ("idempotency-key", *key)));
            door().knock(&request("POST", &headers)).expect_err("no key")
        };
        assert_eq!(refusal(&[b"a", b"a"]), Refusal::KeyTwice);
        for malformed in [&b""[..], b" ", b"\"a", b"\"a\", \"b\"", b"a\tb", b"\xff\xfe", &[b'k'; 256]] {
            assert!(matches!(refusal(&[malformed]), Refusal::KeyMalformed(_)), "{malformed:?}");
        }
    }

    #[test]
    fn a_key_is_needed_where_that_is_said() {
        let door = Door { is_key_required: true, ..door() };
        assert_eq!(door.knock(&request("POST", &[("x-user", b"ada")])), Err(Refusal::KeyMissing));
        assert_eq!(door.knock(&request("GET", &[])), Ok(Knock::Passes));
    }

    #[test]
    fn a_declared_length_is_believed_if_it_is_too_long() {
        let door = Door { body_bytes_max: 10, ..door() };
        let knock = |length: &[u8]| {
            door.knock(&request(
                "POST",
                &[("idempotency-key", b"k"), ("x-user", b"ada"), ("content-length", length)],
            ))
        };
        assert_eq!(knock(b"11"), Err(Refusal::BodyTooLong { bytes_max: 10 }));
        assert!(matches!(knock(b"10"), Ok(Knock::Once(..))));
        assert!(matches!(knock(b"many"), Ok(Knock::Once(..))), "the body itself is counted too");
    }

    #[test]
    fn another_method_target_or_body_is_another_request() {
        let sent = |method: &str, target: &str, body: &[u8]| {
            let request = Request::builder().method(method).uri(target).body(()).expect("a request");
            let (parts, ()) = request.into_parts();
            let scope = Scope::route("any", "/orders/{id}").without_tenant().principal("ada");
            let key = IdempotencyKey::parse("k").expect("a key");
            intent(scope, key, &parts, body).fingerprint().clone()
        };
        let of = |target: &str, body: &[u8]| sent("POST", target, body);
        assert_eq!(of("/orders/1", b"{}"), of("/orders/1", b"{}"));
        assert_ne!(of("/orders/1", b"{}"), sent("PATCH", "/orders/1", b"{}"));
        assert_ne!(of("/orders/1", b"{}"), of("/orders/2", b"{}"));
        assert_ne!(of("/orders/1", b"{}"), of("/orders/1?dry_run", b"{}"));
        assert_ne!(of("/orders/1", b"{}"), of("/orders/1", b"{ }"));
        assert_ne!(of("/orders/12", b""), of("/orders/1", b"2"), "lengths keep them apart");
    }
}
