//! What a request is called, in the log, in its answer and to the application: one name from end to end. A trusted proxy may have
//! named it before; everybody else's name would only confuse the log.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::{HeaderMap, HeaderName, HeaderValue};

/// The header that carries it.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A name is not longer.
const BYTES_MAX: usize = 128;

/// What no other process has, so that numbers need not be random.
static PROCESS: LazyLock<u64> = LazyLock::new(|| {
    let mut bytes = [0; 8];
    // Without randomness two processes may give the same names, which is no reason to answer nobody.
    let _ = getrandom::fill(&mut bytes);
    u64::from_be_bytes(bytes)
});

/// Hides the number: how much a gateway has to do is nobody's business.
static HIDDEN: LazyLock<RandomState> = LazyLock::new(RandomState::new);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// What a request is called. One of our own is a number until somebody wants to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestId(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Own(u64),
    Given(HeaderValue),
}

impl RequestId {
    /// A name that no other request has.
    pub(crate) fn own() -> Self {
        Self(Kind::Own(NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The one name that the request came with, if it is a plain one.
    pub(crate) fn given(headers: &HeaderMap) -> Option<Self> {
        let mut names = headers.get_all(REQUEST_ID).iter();
        let name = names.next().filter(|_| names.next().is_none())?;
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:+/=@".contains(byte);
        let bytes = name.as_bytes();
        let is_name = !bytes.is_empty() && bytes.len() <= BYTES_MAX && bytes.iter().all(is_plain);
        is_name.then(|| Self(Kind::Given(name.clone())))
    }

    /// As a header carries it.
    pub(crate) fn value(&self) -> HeaderValue {
        match &self.0 {
            Kind::Own(_) => HeaderValue::try_from(self.to_string()).expect("hexadecimal digits are a value"),
            Kind::Given(name) => name.clone(),
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Own(number) => write!(f, "{:016x}{:016x}", *PROCESS, HIDDEN.hash_one(number)),
            Kind::Given(name) => f.write_str(name.to_str().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&[u8]], expected: Option<&str>) {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.append(REQUEST_ID, HeaderValue::from_bytes(name).unwrap());
        }
        let given = RequestId::given(&headers);
        assert_eq!(given.map(|id| id.to_string()).as_deref(), expected, "{names:?}");
    }

    #[test]
    fn a_name_of_our_own_is_given_once_and_has_one_form() {
        let (first, second) = (RequestId::own(), RequestId::own());
        assert_ne!(first.to_string(), second.to_string());
        assert_eq!(first.to_string().len(), 32);
        assert_eq!(first.value().to_str().unwrap(), first.to_string());
    }

    #[test]
    fn a_name_from_outside_is_one_and_plain() {
        check(&[b"0af7651916cd43dd-1"], Some("0af7651916cd43dd-1"));
        check(
            &[b"Root=1-67891233-abcdef012345678912345678"],
            Some("Root=1-67891233-abcdef012345678912345678"),
        );
        check(&[], None);
        check(&[b"a", b"b"], None);
        check(&[b""], None);
        check(&[b"with a space"], None);
        check(&[b"caf\xc3\xa9"], None);
        check(&[b"\"quoted\""], None);
        check(&[&[b'a'; BYTES_MAX]], Some(&"a".repeat(BYTES_MAX)));
        check(&[&[b'a'; BYTES_MAX + 1]], None);
    }
}
