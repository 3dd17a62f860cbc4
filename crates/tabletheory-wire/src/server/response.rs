//! Answers as HTTP responses, with the headers that AWS SDKs read: the request's identifier, the checksum of the body,
//! its type.

use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Entropy, SeededEntropy, StoreError};

use super::body::BodyFault;
use crate::endpoint::Answer;
use crate::error;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Makes responses, each with an identifier of its own.
#[derive(Debug)]
pub(super) struct Responses {
    // Identifiers only tell requests apart: a seed from the machine, then a sequence, which costs no system call.
    identifiers: SeededEntropy,
}

impl Responses {
    #[expect(clippy::cast_possible_truncation, reason = "any 64 of the bits make a seed")]
    pub(super) fn new() -> Self {
        Self { identifiers: SeededEntropy::new(SystemEntropy.bits() as u64) }
    }

    /// The response for an answer.
    pub(super) fn answer(&self, answer: Answer) -> Response<Full<Bytes>> {
        let checksum = crc32fast::hash(&answer.body);
        let mut response = Response::new(Full::new(Bytes::from(answer.body)));
        *response.status_mut() = answer.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(REQUEST_ID, self.identifier());
        headers.insert(CRC32, HeaderValue::from(checksum));
        response
    }

    /// The response to a body that was not read to its end. The connection ends with it.
    pub(super) fn fault(&self, fault: &BodyFault) -> Response<Full<Bytes>> {
        let (status, code) = match fault {
            BodyFault::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLargeException"),
            BodyFault::TooSlow => (StatusCode::REQUEST_TIMEOUT, "RequestTimeoutException"),
            BodyFault::Broken => (StatusCode::BAD_REQUEST, "SerializationException"),
        };
        self.last(status, error::refused(code, &fault.to_string()))
    }

    /// The response to a request that the store did not answer in time. The connection ends with it.
    pub(super) fn too_slow(&self) -> Response<Full<Bytes>> {
        let message = "the request took too long; if it is a write, it may have happened";
        let (status, body) = error::encode(&StoreError::Internal(message.to_owned()));
        self.last(status, body)
    }

    fn last(&self, status: StatusCode, body: Vec<u8>) -> Response<Full<Bytes>> {
        let mut response = self.answer(Answer { status, body });
        response.headers_mut().insert(CONNECTION, CLOSE);
        response
    }

    /// 26 letters and digits, as long as 128 bits in base 32 are.
    fn identifier(&self) -> HeaderValue {
        const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let mut bits = self.identifiers.bits();
        let mut text = [b'0'; 26];
        for digit in text.iter_mut().rev() {
            *digit = DIGITS[usize::try_from(bits & 31).expect("five bits fit")];
            bits >>= 5;
        }
        HeaderValue::from_bytes(&text).expect("letters and digits are a header value")
    }
}
