//! The check itself, in the order of the service: form, date, signed headers, scope, then the signature.

use std::fmt;

use hmac::Mac;
use http::header::AUTHORIZATION;
use http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};
use tabletheory_core::Timestamp;

use super::authorization::{ALGORITHM, Authorization, Complete, Credential, TERMINATOR};
use super::canonical::{self, Sink};
use super::credentials::Credentials;
use super::date::{AmzDate, WINDOW};
use super::key::{Keyed, Principal};
use super::refusal::{Incomplete, Invalid, Refusal, WrongScope};
use super::signed::{SignedHeaders, X_AMZ_DATE, single};

/// The name under which DynamoDB and its streams are signed for.
const SERVICE: &str = "dynamodb";
/// Longer than the name of any region, and short enough to be remembered.
const REGION_BYTES_MAX: usize = 64;
const X_AMZ_CONTENT_SHA256: &str = "x-amz-content-sha256";

/// Checks signatures against the credentials it was given.
pub struct Verifier {
    principals: Vec<Principal>,
    /// Does the work for access keys nobody has, so that they cannot be told from others by the time it takes.
    nobody: Principal,
    service: &'static str,
}

impl Verifier {
    /// A verifier for DynamoDB. Of two credentials with the same access key the last counts; without any, every request
    /// is refused.
    #[must_use]
    pub fn new(credentials: Vec<Credentials>) -> Self {
        Self::for_service(&credentials, SERVICE)
    }

    /// A verifier for another service, as AWS's published examples need it.
    pub(super) fn for_service(credentials: &[Credentials], service: &'static str) -> Self {
        let nobody =
            Principal::new(&Credentials::new("", "this secret is public: whatever it signs is refused"));
        Self { principals: credentials.iter().map(Principal::new).collect(), nobody, service }
    }

    /// Checks that the request was signed by one of the credentials, for this body, at about `now`.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] that says what is wrong. Whether an access key exists is not said: an unknown one takes the same work and
    /// gets the same answer as a wrong signature.
    pub fn verify(&self, parts: &Parts, body: &[u8], now: Timestamp) -> Result<(), Refusal> {
        let authorization = authorization(parts)?;
        let date = single(&parts.headers, X_AMZ_DATE.as_str())?;
        let (complete, date) = authorization.complete(date)?;
        let date = AmzDate::parse(date.as_bytes()).ok_or(Incomplete::Date)?;
        check_window(date.moment(), now)?;
        let signed_headers = SignedHeaders::check(complete.signed_headers, &parts.headers)?;
        let credential = complete.credential()?;
        self.check_scope(&credential, &date)?;
        let body_hash = body_hash(parts, body)?;
        let request_hash = canonical::hex(&request_hash(parts, signed_headers, &body_hash));
        self.check_signature(&complete, &credential, &date, &request_hash)
    }

    fn check_scope(&self, credential: &Credential<'_>, date: &AmzDate) -> Result<(), Invalid> {
        let is_region = !credential.region.is_empty()
            && credential.region.len() <= REGION_BYTES_MAX
            && credential.region.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        let wrong = WrongScope {
            region: !is_region,
            service: credential.service != self.service,
            terminator: credential.terminator != TERMINATOR,
            date: credential.day.as_bytes() != date.day(),
        };
        if wrong.region || wrong.service || wrong.terminator || wrong.date {
            Err(wrong.into())
        } else {
            Ok(())
        }
    }

    fn check_signature(
        &self,
        complete: &Complete<'_>,
        credential: &Credential<'_>,
        date: &AmzDate,
        request_hash: &[u8; 64],
    ) -> Result<(), Refusal> {
        let (principal, known) = self.principal(credential.access_key);
        let key = principal.signing_key(date.day(), credential.region, self.service);
        let signature = canonical::hex(&sign(key, credential, date, request_hash));
        // Both halves are always evaluated: that the key is known must not show before the signature was compared, and a
        // signature made with nobody's secret, which anyone can read here, must not count.
        let holds = known & signature.as_slice().ct_eq(complete.signature.as_bytes());
        if holds.into() { Ok(()) } else { Err(Invalid::Mismatch.into()) }
    }

    /// Who has the access key, and whether anyone does. Every key is looked at, wherever the right one stands.
    fn principal(&self, access_key: &str) -> (&Principal, Choice) {
        let mut found = (&self.nobody, Choice::from(0));
        for principal in &self.principals {
            let same = principal.access_key().as_bytes().ct_eq(access_key.as_bytes());
            if same.into() {
                found = (principal, same);
            }
        }
        found
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access_keys: Vec<&str> = self.principals.iter().map(Principal::access_key).collect();
        f.debug_struct("Verifier").field("access_keys", &access_keys).finish_non_exhaustive()
    }
}

/// Takes the `Authorization` header apart, unless the request is signed in its address.
fn authorization(parts: &Parts) -> Result<Authorization<'_>, Refusal> {
    let header = single(&parts.headers, AUTHORIZATION.as_str())?;
    let presigned = parts
        .uri
        .query()
        .is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("X-Amz-Algorithm")));
    match header {
        Some(_) if presigned => Err(Invalid::Both.into()),
        Some(header) => Authorization::parse(header.as_bytes()),
        None if presigned => Err(Incomplete::QueryString.into()),
        None => Err(Refusal::MissingAuthenticationToken),
    }
}

/// Both ends of the window still count. Fractions of a second do not: the client's date has none.
fn check_window(signed: Timestamp, now: Timestamp) -> Result<(), Invalid> {
    let now = Timestamp::from_seconds(now.seconds());
    if signed < now - WINDOW {
        Err(Invalid::Expired { signed, now })
    } else if signed > now + WINDOW {
        Err(Invalid::NotYetCurrent { signed, now })
    } else {
        Ok(())
    }
}

/// The hash of the body as it arrived. A client that announces another one, or none (`UNSIGNED-PAYLOAD`), is refused.
fn body_hash(parts: &Parts, body: &[u8]) -> Result<[u8; 64], Invalid> {
    let announced = single(&parts.headers, X_AMZ_CONTENT_SHA256)?;
    let hash = canonical::hex(&Sha256::digest(body).into());
    match announced {
        Some(announced) if announced.as_bytes() != hash => Err(Invalid::ContentHash),
        _ => Ok(hash),
    }
}

fn request_hash(parts: &Parts, signed_headers: SignedHeaders<'_>, body_hash: &[u8; 64]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.put(parts.method.as_str().as_bytes());
    hash.put(b"\n");
    canonical::path(parts.uri.path(), &mut hash);
    hash.put(b"\n");
    canonical::query(parts.uri.query().unwrap_or_default(), &mut hash);
    hash.put(b"\n");
    signed_headers.put(&parts.headers, &mut hash);
    hash.put(b"\n");
    hash.put(signed_headers.text().as_bytes());
    hash.put(b"\n");
    hash.put(body_hash);
    hash.finalize().into()
}

/// Signs the string to sign: algorithm, date, scope and the request's hash, a line each.
fn sign(mut key: Keyed, credential: &Credential<'_>, date: &AmzDate, request_hash: &[u8; 64]) -> [u8; 32] {
    let Credential { day, region, service, terminator, access_key: _ } = credential;
    let lines: [&[u8]; 13] = [
        ALGORITHM.as_bytes(),
        b"\n",
        date.text(),
        b"\n",
        day.as_bytes(),
        b"/",
        region.as_bytes(),
        b"/",
        service.as_bytes(),
        b"/",
        terminator.as_bytes(),
        b"\n",
        request_hash,
    ];
    for piece in lines {
        key.update(piece);
    }
    key.finalize().into_bytes().into()
}
