//! One form for each path; what could be read in two ways is refused. The table of [`Asked`](super::Asked) says what becomes of
//! what.

use bytes::Bytes;
use http::StatusCode;
use http::uri::PathAndQuery;

use crate::refusal::Refusal;

/// The target cannot be understood in one way only.
pub(super) const UNCLEAR: Refusal =
    Refusal::new(StatusCode::BAD_REQUEST, "the path is malformed, or can be understood in more than one way");

/// The target with its path in its one form. Shares the text if the path has that form already, as nearly all do.
pub(super) fn normalised(target: &PathAndQuery) -> Result<PathAndQuery, Refusal> {
    if is_normal(target.as_str().as_bytes()) || target.as_str() == "*" {
        return Ok(target.clone());
    }
    let mut text = rewritten(target.path().as_bytes())?;
    if let Some(query) = target.query() {
        text.push(b'?');
        text.extend_from_slice(query.as_bytes());
    }
    PathAndQuery::from_maybe_shared(Bytes::from(text)).map_err(|_| UNCLEAR)
}

/// Whether a path certainly has its one form: no escape, nothing to escape, and no segment that is empty or begins with a dot.
fn is_normal(target: &[u8]) -> bool {
    let mut after_slash = false;
    for byte in target {
        match KINDS[usize::from(*byte)] {
            Kind::Plain => after_slash = false,
            Kind::Slash if after_slash => return false,
            Kind::Slash => after_slash = true,
            Kind::Dot if after_slash => return false,
            Kind::Dot => {}
            Kind::Query => break,
            Kind::Percent | Kind::Escaped | Kind::Refused => return false,
        }
    }
    target.first() == Some(&b'/')
}

fn rewritten(path: &[u8]) -> Result<Vec<u8>, Refusal> {
    if path.first() != Some(&b'/') {
        return Err(UNCLEAR);
    }
    let mut text = Vec::with_capacity(path.len() + 16);
    let mut segment_start = 0;
    let mut rest = path;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match KINDS[usize::from(*byte)] {
            Kind::Plain | Kind::Dot => text.push(*byte),
            Kind::Slash if text.last() == Some(&b'/') => {}
            Kind::Slash => {
                check_segment(&text[segment_start..])?;
                text.push(b'/');
                segment_start = text.len();
            }
            Kind::Escaped => push_escape(&mut text, *byte),
            Kind::Query | Kind::Refused => return Err(UNCLEAR),
            Kind::Percent => {
                let (high, low) = match rest {
                    [high, low, ..] => (digit(*high)?, digit(*low)?),
                    _ => return Err(UNCLEAR),
                };
                rest = &rest[2..];
                match high * 16 + low {
                    0..=0x1f | 0x7f | b'/' | b'\\' => return Err(UNCLEAR),
                    byte @ (b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~') => {
                        text.push(byte)
                    }
                    byte => push_escape(&mut text, byte),
                }
            }
        }
    }
    check_segment(&text[segment_start..])?;
    Ok(text)
}

/// A segment of dots is a step for whoever resolves it, also when it carries parameters: some drop those first.
fn check_segment(segment: &[u8]) -> Result<(), Refusal> {
    let end = segment.iter().position(|byte| *byte == b';').unwrap_or(segment.len());
    let name = &segment[..end];
    let name = name.windows(3).position(|three| three == b"%3B").map_or(name, |escaped| &name[..escaped]);
    if matches!(name, b"." | b"..") { Err(UNCLEAR) } else { Ok(()) }
}

fn push_escape(text: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

fn digit(byte: u8) -> Result<u8, Refusal> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        b'A'..=b'F' => Ok(byte - b'A' + 10),
        _ => Err(UNCLEAR),
    }
}

/// What a byte is in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Slash,
    Dot,
    Percent,
    /// Ends the path.
    Query,
    /// May not stand in a path, means nothing special, and is written as an escape.
    Escaped,
    Refused,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Refused; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
        let this = byte as u8;
        kinds[byte] = match this {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => Kind::Plain,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' => {
                Kind::Plain
            }
            b'/' => Kind::Slash,
            b'.' => Kind::Dot,
            b'%' => Kind::Percent,
            b'?' => Kind::Query,
            b'"' | b'^' | b'{' | b'|' | b'}' => Kind::Escaped,
            _ => Kind::Refused,
        };
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests;
