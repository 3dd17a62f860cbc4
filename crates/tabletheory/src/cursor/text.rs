//! A cursor's text: base64url with padding of compact JSON, byte for byte what TableTheory for Go writes. Reading is as
//! tolerant as the most tolerant of the toolkits, where tolerance does not change the meaning.

use std::io;

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE};
use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, Serializer};
use tabletheory_core::Item;

use super::error::{CursorError, Flaw};
use super::sort::Sort;

/// Padding gets lost in links, and TypeScript and Python do without it.
const ANY_PADDING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Go escapes these beyond what JSON asks for, so that JSON may stand inside of HTML and JavaScript.
const ESCAPED_BY_GO: [char; 5] = ['<', '>', '&', '\u{2028}', '\u{2029}'];

/// What a cursor's text holds.
pub(super) struct Content {
    pub(super) last_key: Item,
    pub(super) index: Option<String>,
    pub(super) sort: Option<Sort>,
}

// The fields stand in the order in which they are written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    last_key: &'a Item,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort: Option<&'static str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    last_key: Item,
    index: Option<String>,
    sort: Option<String>,
}

/// The text of a cursor. An empty name of an index is no name.
pub(super) fn write(last_key: &Item, index: Option<&str>, sort: Option<Sort>) -> String {
    let written =
        Written { last_key, index: index.filter(|name| !name.is_empty()), sort: sort.map(Sort::name) };
    let mut json = Vec::new();
    written
        .serialize(&mut Serializer::with_formatter(&mut json, GoEscapes))
        .expect("names are strings, and a vector takes every byte");
    URL_SAFE.encode(json)
}

/// What `text` holds.
pub(super) fn read(text: &str) -> Result<Content, CursorError> {
    let malformed = |flaw| CursorError::Malformed { flaw };
    let json = ANY_PADDING.decode(text).map_err(|_| malformed(Flaw::Base64))?;
    // A derived reader takes a list for a struct without names.
    if json.trim_ascii_start().first() != Some(&b'{') {
        return Err(malformed(Flaw::Json));
    }
    // The error of the parser is dropped, because it quotes the values of keys.
    let read: Read = serde_json::from_slice(&json).map_err(|_| malformed(Flaw::Json))?;
    let sort = match read.sort.as_deref() {
        None | Some("") => None,
        Some(name) => Some(Sort::from_name(name).ok_or(malformed(Flaw::Order))?),
    };
    Ok(Content { last_key: read.last_key, index: read.index.filter(|name| !name.is_empty()), sort })
}

/// Compact JSON with Go's escapes.
struct GoEscapes;

impl Formatter for GoEscapes {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(ESCAPED_BY_GO) {
            let (plain, tail) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let mut tail = tail.chars();
            for escaped in tail.by_ref().take(1) {
                write!(writer, "\\u{:04x}", u32::from(escaped))?;
            }
            rest = tail.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}
