//! The headers a signature covers: which have to be among them, and that each is in the request exactly once.

use http::header::HOST;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::canonical::{self, Sink};
use super::refusal::{Incomplete, Invalid, Refusal};

pub(super) const X_AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
pub(super) const X_AMZ_TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// A checked list of signed headers, still in the text of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SignedHeaders<'a>(&'a str);

impl<'a> SignedHeaders<'a> {
    /// Checks the list against the request.
    pub(super) fn check(list: &'a str, headers: &HeaderMap) -> Result<Self, Refusal> {
        let mut previous = "";
        let (mut host, mut date, mut target) = (false, false, false);
        for name in list.split(';') {
            // Strictly ascending is sorted and without duplicates; it also refuses an empty name.
            if name <= previous || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                return Err(Incomplete::SignedHeaders.into());
            }
            previous = name;
            if single(headers, name)?.is_none() {
                let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Incomplete::SignedHeaders)?;
                return Err(Invalid::Absent(name).into());
            }
            host |= name == HOST.as_str();
            date |= name == X_AMZ_DATE.as_str();
            target |= name == X_AMZ_TARGET.as_str();
        }
        // The operation is named in a header: a signature that does not cover it would hold for any operation.
        let targeted = single(headers, X_AMZ_TARGET.as_str())?.is_some();
        for (required, signed, name) in
            [(true, host, HOST), (true, date, X_AMZ_DATE), (targeted, target, X_AMZ_TARGET)]
        {
            if required && !signed {
                return Err(Invalid::NotSigned(name).into());
            }
        }
        Ok(Self(list))
    }

    /// The list as the client wrote it, which is the canonical way.
    pub(super) fn text(self) -> &'a str {
        self.0
    }

    /// The headers' lines in the canonical request.
    pub(super) fn put(self, headers: &HeaderMap, sink: &mut impl Sink) {
        for name in self.0.split(';') {
            let value = headers.get(name).expect("every signed header was found when the list was checked");
            canonical::header(name, value.as_bytes(), sink);
        }
    }
}

/// The value of a header that may be there once at most.
pub(super) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a HeaderValue>, Invalid> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(Invalid::Twice(
            HeaderName::from_bytes(name.as_bytes()).expect("a header with this name was found"),
        )),
    }
}
