//! The canonical request: one text for all ways of writing the same request. It is poured piece by piece into a [`Sink`],
//! which is the hash itself, so nothing is built up in memory.

use std::borrow::Cow;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// Where the text goes.
pub(super) trait Sink {
    /// Takes the next piece.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Sha256 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// The path without empty and dot segments, every byte outside the unreserved ones escaped (also the percent signs of escapes:
/// all services but S3 do so).
pub(super) fn path(path: &str, sink: &mut impl Sink) {
    if path == "/" {
        return sink.put(b"/");
    }
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    for segment in &segments {
        sink.put(b"/");
        sink.put(encode(segment.as_bytes()).as_bytes());
    }
    if segments.is_empty() || path.ends_with('/') {
        sink.put(b"/");
    }
}

/// The query's pairs, escaped in the one canonical way and sorted.
pub(super) fn query(query: &str, sink: &mut impl Sink) {
    if query.is_empty() {
        return;
    }
    let canonical = |text: &str| encode(&decode(text)).into_owned();
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (canonical(name), canonical(value)))
        .collect();
    pairs.sort_unstable();
    for (position, (name, value)) in pairs.iter().enumerate() {
        sink.put(if position == 0 { b"" } else { b"&" });
        sink.put(name.as_bytes());
        sink.put(b"=");
        sink.put(value.as_bytes());
    }
}

/// One line of the headers: the value without spaces around it, and with one space for each run of them.
pub(super) fn header(name: &str, value: &[u8], sink: &mut impl Sink) {
    sink.put(name.as_bytes());
    sink.put(b":");
    let words = value.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    for (position, word) in words.enumerate() {
        sink.put(if position == 0 { b"" } else { b" " });
        sink.put(word);
    }
    sink.put(b"\n");
}

/// Lower-case hexadecimal of a hash.
pub(super) fn hex(hash: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (pair, byte) in text.chunks_exact_mut(2).zip(hash) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn encode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().copied().all(is_unreserved) => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.iter().fold(String::with_capacity(bytes.len() * 3), |mut text, &byte| {
            if is_unreserved(byte) {
                text.push(char::from(byte));
            } else {
                write!(text, "%{byte:02X}").expect("writing to a string does not fail");
            }
            text
        })),
    }
}

/// Resolves escapes; a percent sign that begins none stands for itself.
fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = match after {
            [high, low, ..] if byte == b'%' => nibble(*high).zip(nibble(*low)),
            _ => None,
        };
        rest = if escaped.is_some() { &after[2..] } else { after };
        bytes.push(escaped.map_or(byte, |(high, low)| high << 4 | low));
    }
    bytes
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
