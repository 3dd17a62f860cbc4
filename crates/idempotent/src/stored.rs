//! An answer as it is written down: in the record while that stays under a kilobyte, and otherwise as one piece elsewhere.

use bytes::Bytes;
use tabletheory::Attribute;
use tabletheory::field::Change;
use tabletheory_core::{Item, Value};

use crate::digest::sha256_hex;
use crate::error::Error;
use crate::record::{IdempotencyRecord as Row, KeptHeader};
use crate::standing::text;

/// Bodies and headers of more bytes are not in the record.
const INLINE_BYTES_MAX: usize = 512;
/// A record is to stay below this, so that a write of it is one unit.
const ROW_BYTES_MAX: usize = 1024;
/// What a completed record takes without key, names and answer, at most.
const ROW_BYTES_FIXED: usize = 380;
/// What a header takes besides its name and value.
const HEADER_BYTES_FIXED: usize = 16;

/// Where an answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stored {
    /// In the record.
    Inline { headers: Vec<KeptHeader>, body: Bytes },
    /// Elsewhere, as a piece.
    Elsewhere { key: String, length: u64, sha256: String },
    /// Nowhere, because it was too large.
    TooLarge { length: u64 },
    /// Nowhere, because it could not be put where it belongs.
    Lost { length: u64, sha256: String },
}

/// Whether an answer has a place in a record whose key and names have this many bytes.
pub(crate) fn fits_inline(headers: &[KeptHeader], body: &[u8], names_bytes: usize) -> bool {
    let header_bytes = |header: &KeptHeader| header.name.len() + header.value.len();
    let answer = body.len() + headers.iter().map(header_bytes).sum::<usize>();
    let row = ROW_BYTES_FIXED + names_bytes + answer + headers.len() * HEADER_BYTES_FIXED;
    answer <= INLINE_BYTES_MAX && row < ROW_BYTES_MAX
}

/// Headers and body as one piece: a line of JSON, and the body as it is.
pub(crate) fn piece(headers: &[KeptHeader], body: &[u8]) -> Vec<u8> {
    let pairs: Vec<_> = headers.iter().map(|header| (&header.name, &header.value)).collect();
    let mut piece = serde_json::to_vec(&pairs).expect("pairs of texts have a JSON");
    piece.push(b'\n');
    piece.extend_from_slice(body);
    piece
}

/// Headers and body of a piece.
pub(crate) fn parts(piece: &Bytes) -> Option<(Vec<KeptHeader>, Bytes)> {
    let end = piece.iter().position(|byte| *byte == b'\n')?;
    let pairs: Vec<(String, String)> = serde_json::from_slice(&piece[..end]).ok()?;
    let headers = pairs.into_iter().map(|(name, value)| KeptHeader { name, value }).collect();
    Some((headers, piece.slice(end + 1..)))
}

impl Stored {
    /// A piece that lies there.
    pub(crate) fn at(key: String, piece: &[u8]) -> Self {
        Self::Elsewhere { key, length: piece.len() as u64, sha256: sha256_hex(piece) }
    }

    /// A piece that could not be put anywhere.
    pub(crate) fn lost(piece: &[u8]) -> Self {
        Self::Lost { length: piece.len() as u64, sha256: sha256_hex(piece) }
    }

    /// Whether it can be replayed.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Self::Inline { .. } | Self::Elsewhere { .. })
    }

    /// What it changes in the record.
    pub(crate) fn changes(&self) -> Vec<Change<Row>> {
        match self {
            Self::Inline { headers, body } => {
                let mut changes = Vec::new();
                if !headers.is_empty() {
                    changes.push(Row::RESPONSE_HEADERS.set(headers.clone()));
                }
                match std::str::from_utf8(body) {
                    Ok("") => {}
                    Ok(text) => changes.push(Row::RESPONSE.set(text)),
                    Err(_) => changes.push(Row::RESPONSE_BYTES.set(body.to_vec())),
                }
                changes
            }
            Self::Elsewhere { key, length, sha256 } => vec![
                Row::RESPONSE_KEY.set(key.as_str()),
                Row::RESPONSE_LENGTH.set(*length),
                Row::RESPONSE_SHA256.set(sha256.as_str()),
            ],
            Self::TooLarge { length } => vec![Row::RESPONSE_LENGTH.set(*length)],
            Self::Lost { length, sha256 } => {
                vec![Row::RESPONSE_LENGTH.set(*length), Row::RESPONSE_SHA256.set(sha256.as_str())]
            }
        }
    }

    /// What a completed record says of its answer.
    pub(crate) fn of(row: &Item) -> Result<Self, Error> {
        let length = row.get("ResponseLength").and_then(Value::as_n).and_then(|number| number.to_u64());
        let sha256 = text(row, "ResponseSha256").map(str::to_owned);
        match (text(row, "ResponseKey"), length, sha256) {
            (Some(key), Some(length), Some(sha256)) => {
                Ok(Self::Elsewhere { key: key.to_owned(), length, sha256 })
            }
            (Some(_), _, _) => Err(Error::Unreadable { attribute: "ResponseKey" }),
            (None, Some(length), Some(sha256)) => Ok(Self::Lost { length, sha256 }),
            (None, Some(length), None) => Ok(Self::TooLarge { length }),
            (None, None, _) => Ok(Self::Inline { headers: headers(row)?, body: body(row)? }),
        }
    }
}

fn headers(row: &Item) -> Result<Vec<KeptHeader>, Error> {
    let Some(headers) = row.get("ResponseHeaders") else { return Ok(Vec::new()) };
    Vec::from_value(headers.clone()).map_err(|_| Error::Unreadable { attribute: "ResponseHeaders" })
}

fn body(row: &Item) -> Result<Bytes, Error> {
    match (row.get("Response"), row.get("ResponseBytes")) {
        (Some(Value::S(text)), _) => Ok(Bytes::copy_from_slice(text.as_bytes())),
        (None | Some(Value::Null), Some(Value::B(bytes))) => Ok(Bytes::copy_from_slice(bytes)),
        (None | Some(Value::Null), None) => Ok(Bytes::new()),
        (Some(_), _) => Err(Error::Unreadable { attribute: "Response" }),
        (_, Some(_)) => Err(Error::Unreadable { attribute: "ResponseBytes" }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(name: &str, value: &str) -> KeptHeader {
        KeptHeader { name: name.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn short_answers_are_in_the_record() {
        assert!(fits_inline(&[], &[0; 512], 100));
        assert!(!fits_inline(&[], &[0; 513], 100));
        assert!(!fits_inline(&[header("location", &"x".repeat(504))], b"", 200));
        assert!(!fits_inline(&[], &[0; 512], 320), "a long name of a function takes the room");
        assert!(fits_inline(&[], b"", 320));
    }

    proptest! {
        #[test]
        fn a_piece_comes_apart_as_it_was_put_together(
            pairs in proptest::collection::vec(("[a-z-]{1,8}", "\\PC{0,12}"), 0..4),
            body in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let headers: Vec<_> = pairs.iter().map(|(name, value)| header(name, value)).collect();
            let piece = Bytes::from(piece(&headers, &body));
            prop_assert_eq!(parts(&piece), Some((headers, Bytes::from(body))));
        }

        #[test]
        fn bytes_that_are_no_piece_are_none(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let bytes = Bytes::from(bytes);
            if let Some((headers, body)) = parts(&bytes) {
                prop_assert!(piece(&headers, &body).len() <= bytes.len());
            }
        }
    }
}
