//! Headers in one run of bytes: a name and a value after the other, each with its length before it. A map of them takes ten times
//! as much and is made when somebody asks.

use std::fmt;

use http::header::{HeaderMap, HeaderName, HeaderValue};

const LENGTH_BYTES: usize = size_of::<u32>();
/// Room for a usual page's headers and those that whoever answers adds.
const ROOM: usize = 12;
/// More lines than any page has. A map that is asked to hold more than it can panics.
const LINES_MAX: usize = 1024;

/// The headers of a page.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PackedHeaders(Box<[u8]>);

impl PackedHeaders {
    pub(super) fn pack<'h>(lines: impl IntoIterator<Item = (&'h [u8], &'h [u8])>) -> Self {
        let mut run = Vec::new();
        for (name, value) in lines {
            for field in [name, value] {
                let length = u32::try_from(field.len()).expect("a header is far shorter than 4 GB");
                run.extend_from_slice(&length.to_le_bytes());
                run.extend_from_slice(field);
            }
        }
        Self(run.into_boxed_slice())
    }

    /// The headers as a map. What is none is left out, and so is what follows on more lines than any page has.
    pub(super) fn unpack(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(ROOM);
        for (name, value) in self.lines().take(LINES_MAX) {
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
                headers.append(name, value);
            }
        }
        headers
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    fn lines(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || Some((field(&mut rest)?, field(&mut rest)?)))
    }
}

/// Takes a field from the beginning of a run.
fn field<'r>(run: &mut &'r [u8]) -> Option<&'r [u8]> {
    let (length, rest) = run.split_first_chunk::<LENGTH_BYTES>()?;
    let (field, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *run = rest;
    Some(field)
}

/// Without values: what is written down here may end up in a log.
impl fmt::Debug for PackedHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lines().map(|(name, _)| String::from_utf8_lossy(name))).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(headers: &HeaderMap) -> PackedHeaders {
        PackedHeaders::pack(headers.iter().map(|(name, value)| (name.as_ref(), value.as_bytes())))
    }

    #[test]
    fn no_headers_take_no_bytes() {
        assert_eq!(packed(&HeaderMap::new()).bytes(), 0);
        assert!(PackedHeaders::pack([]).unpack().is_empty());
    }

    #[test]
    fn a_row_full_of_headers_becomes_a_map_of_some() {
        let names: Vec<String> = (0..40_000).map(|number| format!("x{number}")).collect();
        let packed = PackedHeaders::pack(names.iter().map(|name| (name.as_bytes(), &b""[..])));
        assert_eq!(packed.unpack().len(), LINES_MAX);
    }

    #[test]
    fn debug_output_shows_no_values() {
        let packed = PackedHeaders::pack([(&b"x-name"[..], &b"canary"[..])]);
        assert_eq!(format!("{packed:?}"), r#"["x-name"]"#);
    }

    /// What a header's value may be: anything but control characters, and tabs.
    fn value() -> impl Strategy<Value = HeaderValue> {
        proptest::collection::vec(prop_oneof![Just(b'\t'), b' '..=b'~', 0x80_u8..=0xff], 0..40)
            .prop_map(|bytes| HeaderValue::from_bytes(&bytes).expect("a value"))
    }

    proptest! {
        #[test]
        fn headers_come_out_as_they_went_in(
            lines in proptest::collection::vec(("[a-c][a-z0-9-]{0,2}", value()), 0..8),
        ) {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(name.parse::<HeaderName>().unwrap(), value);
            }
            prop_assert_eq!(packed(&headers).unpack(), headers);
        }
    }
}
