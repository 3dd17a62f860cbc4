//! Why a request is refused: the service's error codes and its words. Nothing a client sent is repeated, so that no secret put
//! in the wrong place and no hostile byte reaches an answer or a log; only header names and the checked date are.

use std::fmt;

use http::{HeaderName, StatusCode};
use tabletheory_core::{Seconds, Timestamp};

use super::date::{Basic, WINDOW};

/// Why a request is refused, one variant for each error code of the service. Its text is the message for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing in the request says who sent it.
    #[error("Request is missing Authentication Token")]
    MissingAuthenticationToken,
    /// The signature is not one that could be checked.
    #[error(transparent)]
    IncompleteSignature(#[from] Incomplete),
    /// The signature was checked and does not hold. An unknown access key is answered like this too.
    #[error(transparent)]
    InvalidSignature(#[from] Invalid),
}

impl Refusal {
    /// The HTTP status of every refusal: DynamoDB answers 400, not 401 or 403.
    pub(crate) const STATUS: StatusCode = StatusCode::BAD_REQUEST;

    /// The error code, without the name space `com.amazon.coral.service` that the service puts before it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::MissingAuthenticationToken => "MissingAuthenticationTokenException",
            Self::IncompleteSignature(_) => "IncompleteSignatureException",
            Self::InvalidSignature(_) => "InvalidSignatureException",
        }
    }
}

/// What keeps a signature from being checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Incomplete {
    /// Parts of the signature are not there.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The header is not a list of `key=value` with the three keys of a signature.
    #[error("Not a valid key=value pair in Authorization header.")]
    Parameter,
    /// The header gives the same parameter twice.
    #[error("Authorization header has the same parameter more than once.")]
    ParameterTwice,
    /// The algorithm is another one.
    #[error("Unsupported AWS 'algorithm' (only AWS4-HMAC-SHA256 for now). ")]
    Algorithm,
    /// The credential has not five elements.
    #[error("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term")]
    Credential,
    /// `X-Amz-Date` is not a date.
    #[error("Date must be in ISO-8601 'basic format'. See http://en.wikipedia.org/wiki/ISO_8601")]
    Date,
    /// The list of signed headers is not in canonical form.
    #[error(
        "'SignedHeaders' must be lower-case header names in alphabetical order, each once, separated by ';'."
    )]
    SignedHeaders,
    /// The request was signed in its address, which this endpoint does not take.
    #[error("A signature in the query string is not supported: sign with the 'Authorization' header.")]
    QueryString,
}

/// Which parts of a signature are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct Missing {
    /// The `Credential` parameter.
    pub credential: bool,
    /// The `Signature` parameter.
    pub signature: bool,
    /// The `SignedHeaders` parameter.
    pub signed_headers: bool,
    /// The `X-Amz-Date` header.
    pub date: bool,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        sentences(
            f,
            [
                (self.credential, "Authorization header requires 'Credential' parameter."),
                (self.signature, "Authorization header requires 'Signature' parameter."),
                (self.signed_headers, "Authorization header requires 'SignedHeaders' parameter."),
                (self.date, "Authorization header requires existence of a 'X-Amz-Date' header."),
            ],
        )
    }
}

/// Why a signature does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// Another secret, another request, or an access key nobody has: deliberately one answer.
    #[error(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access \
         Key and signing method. Consult the service documentation for details."
    )]
    Mismatch,
    /// Signed too long ago.
    #[error(
        "Signature expired: {} is now earlier than {} ({} - {} min.)",
        Basic(*signed), Basic(*now - WINDOW), Basic(*now), minutes(WINDOW)
    )]
    Expired {
        /// When the client says it signed.
        signed: Timestamp,
        /// The time here.
        now: Timestamp,
    },
    /// Signed in the future.
    #[error(
        "Signature not yet current: {} is still later than {} ({} + {} min.)",
        Basic(*signed), Basic(*now + WINDOW), Basic(*now), minutes(WINDOW)
    )]
    NotYetCurrent {
        /// When the client says it signed.
        signed: Timestamp,
        /// The time here.
        now: Timestamp,
    },
    /// The credential is for something else.
    #[error(transparent)]
    Scope(#[from] WrongScope),
    /// A header that has to be signed is not.
    #[error("'{}' must be a 'SignedHeader' in the AWS Authorization.", title(.0))]
    NotSigned(HeaderName),
    /// A header that is said to be signed is not in the request.
    #[error("'{0}' is a 'SignedHeader' in the AWS Authorization but not a header of the request.")]
    Absent(HeaderName),
    /// A header on which the signature depends is there twice, so that two readers may read two things.
    #[error("'{0}' is in the request more than once.")]
    Twice(HeaderName),
    /// `X-Amz-Content-Sha256` is not the hash of the body.
    #[error("The provided 'x-amz-content-sha256' header does not match what was computed.")]
    ContentHash,
    /// Signed in two ways at once.
    #[error("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")]
    Both,
}

/// Which elements of a credential's scope are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct WrongScope {
    /// The region is not the name of one.
    pub region: bool,
    /// The service is another one.
    pub service: bool,
    /// It does not end in `aws4_request`.
    pub terminator: bool,
    /// The day is not that of `X-Amz-Date`.
    pub date: bool,
}

impl fmt::Display for WrongScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        sentences(
            f,
            [
                (self.region, "Credential should be scoped to a valid region."),
                (self.service, "Credential should be scoped to correct service: 'dynamodb'."),
                (self.terminator, "Credential should be scoped with a valid terminator: 'aws4_request'."),
                (
                    self.date,
                    "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP.",
                ),
            ],
        )
    }
}

/// The sentences that apply, with a space between them, as the service strings them together.
fn sentences<const N: usize>(f: &mut fmt::Formatter<'_>, all: [(bool, &str); N]) -> fmt::Result {
    let mut space = "";
    for (_, sentence) in all.into_iter().filter(|(applies, _)| *applies) {
        write!(f, "{space}{sentence}")?;
        space = " ";
    }
    Ok(())
}

fn minutes(span: Seconds) -> i64 {
    span.0 / 60
}

/// A header's name as the service writes it in this message.
fn title(name: &HeaderName) -> &str {
    match name.as_str() {
        "host" => "Host' or ':authority",
        "x-amz-date" => "X-Amz-Date",
        "x-amz-target" => "X-Amz-Target",
        other => other,
    }
}
