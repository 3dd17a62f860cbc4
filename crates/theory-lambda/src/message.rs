//! The message that asks another invocation for a page: what a visitor would ask for, and nothing else. Whoever reads it does what
//! any visitor could have done, by the routes of its own site.

use std::fmt;

use facetheory::{Page, PageKey};
use http::header::{COOKIE, HOST, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Request, Uri};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::BoxError;

/// The form of messages. Another form would have another number.
const VERSION: u32 = 1;

/// A message that is longer is none of ours: a queue takes no longer one.
const BYTES_MAX: usize = 256 << 10;

/// The first bytes that are hashed: another way to hash would have another name.
const DOMAIN: &[u8] = b"theory-lambda/regeneration/1";

/// A page that is to be rendered again.
///
/// Its `id` is made of the page and of what is stale of it: everybody who finds the same page stale sends the same one, and once the
/// page is rendered no message with it means anything.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegenerationMessage {
    version: u32,
    id: String,
    host: String,
    path: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    query: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cookies: Vec<(String, String)>,
}

/// Why a message is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// It is not the JSON of a message.
    #[error("the message is not the JSON of one, at line {line}, column {column}")]
    Json {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// It is too long.
    #[error("the message has {bytes} bytes: {BYTES_MAX} are allowed")]
    TooLong {
        /// How many bytes it has.
        bytes: usize,
    },
    /// It is of another version.
    #[error("the message is of version {version}; this function knows {VERSION}")]
    Version {
        /// Its version.
        version: u32,
    },
    /// What it asks for is no page of the site.
    #[error("the message asks for what is no page of this site")]
    NotAPage,
}

impl RegenerationMessage {
    /// The message for a page that was asked for at this host and found stale. Nothing if a part of its key is no text, which JSON
    /// could not hold, or if it is not kept.
    #[must_use]
    pub fn of(key: &PageKey, host: &str, page: &Page) -> Option<Self> {
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
        let texts = |(name, value): (&[u8], &[u8])| Some((text(name)?, text(value)?));
        Some(Self {
            version: VERSION,
            id: id(key, page)?,
            host: host.to_owned(),
            path: text(key.page_path()?)?,
            query: key.page_query().map(texts).collect::<Option<_>>()?,
            headers: key.page_headers().map(texts).collect::<Option<_>>()?,
            cookies: key.page_cookies().map(texts).collect::<Option<_>>()?,
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// If the text is none. The error says where, and nothing of what it holds.
    pub fn parse(text: &str) -> Result<Self, MessageError> {
        if text.len() > BYTES_MAX {
            return Err(MessageError::TooLong { bytes: text.len() });
        }
        let message: Self = serde_json::from_str(text)
            .map_err(|error| MessageError::Json { line: error.line(), column: error.column() })?;
        if message.version != VERSION {
            return Err(MessageError::Version { version: message.version });
        }
        Ok(message)
    }

    /// As it is sent.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers can be written")
    }

    /// What repetitions are recognised by: 64 digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The head of the request that a visitor would have sent.
    pub(crate) fn request(&self) -> Result<Parts, BoxError> {
        let mut target = self.path.clone();
        for (place, (name, value)) in self.query.iter().enumerate() {
            target.push(if place == 0 { '?' } else { '&' });
            target.push_str(name);
            if !value.is_empty() {
                target.push('=');
                target.push_str(value);
            }
        }
        let (mut head, ()) = Request::get(Uri::try_from(target)?).body(())?.into_parts();
        for (name, value) in &self.headers {
            head.headers.append(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        }
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            head.headers.insert(COOKIE, HeaderValue::try_from(cookies.join("; "))?);
        }
        head.headers.insert(HOST, HeaderValue::try_from(&self.host)?);
        Ok(head)
    }
}

/// What a page that was found stale is known by. It is another one after each publish and each purge.
pub(crate) fn id(key: &PageKey, page: &Page) -> Option<String> {
    let kept = page.kept()?;
    let mut hash = Sha256::new();
    let version = kept.version.unwrap_or_default().to_be_bytes();
    for field in [DOMAIN, key.digest().as_bytes(), kept.pointer.as_bytes(), &version] {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field);
    }
    Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Without values of headers and cookies.
impl fmt::Debug for RegenerationMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegenerationMessage")
            .field("id", &self.id)
            .field("host", &self.host)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use facetheory::record::Meta;
    use tabletheory::Model;
    use tabletheory_core::{Item, Value};

    use super::*;

    fn page(pointer: &str, version: u64) -> Page {
        let row = Item::from([
            ("pk", Value::s("CACHE#1")),
            ("sk", Value::s("META")),
            ("s3_key", Value::s(pointer)),
            ("version", Value::N(version.into())),
        ]);
        Page::of(&Meta::from_item(row).unwrap())
    }

    fn key() -> PageKey {
        PageKey::path("/news/1")
            .query("page", "2")
            .query("all", "")
            .header("accept-language", "de")
            .cookie("theme", "dark")
    }

    #[test]
    fn a_message_is_what_a_visitor_would_have_sent() {
        let message = RegenerationMessage::of(&key(), "news.example", &page("b/1", 1)).unwrap();
        let read = RegenerationMessage::parse(&message.text()).unwrap();
        assert_eq!(read, message);
        let head = read.request().unwrap();
        assert_eq!(head.uri, "/news/1?all&page=2");
        assert_eq!(head.headers["host"], "news.example");
        assert_eq!(head.headers["accept-language"], "de");
        assert_eq!(head.headers["cookie"], "theme=dark");
        assert!(!format!("{message:?}").contains("dark"), "values of cookies are not logged");
    }

    #[test]
    fn everybody_who_finds_the_same_page_stale_sends_the_same_message() {
        let id =
            |key: &PageKey, page: &Page| RegenerationMessage::of(key, "h", page).unwrap().id().to_owned();
        let first = id(&key(), &page("b/1", 1));
        assert_eq!(first, id(&key(), &page("b/1", 1)));
        assert_ne!(first, id(&key(), &page("b/2", 1)), "another publish");
        assert_ne!(first, id(&key(), &page("b/1", 2)), "another purge");
        assert_ne!(first, id(&key().query("page", "3"), &page("b/1", 1)), "another page");
    }

    #[test]
    fn what_is_no_text_cannot_be_sent() {
        let odd = key().cookie("theme", b"\xff");
        assert_eq!(RegenerationMessage::of(&odd, "h", &page("b/1", 1)), None);
        assert_eq!(RegenerationMessage::of(&PageKey::raw("x"), "h", &page("b/1", 1)), None);
    }

    #[test]
    fn hostile_messages_are_refused_without_repeating_them() {
        let good = RegenerationMessage::of(&key(), "h", &page("b/1", 1)).unwrap();
        for text in [
            "",
            "{",
            "null",
            "[]",
            r#"{"secret": 1}"#,
            &good.text().replace("\"version\":1", "\"version\":9"),
        ] {
            let error = RegenerationMessage::parse(text).expect_err(text);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        let long = format!("{}{}", good.text(), " ".repeat(BYTES_MAX));
        assert!(matches!(RegenerationMessage::parse(&long), Err(MessageError::TooLong { .. })));
        for (host, path, header) in [("h", "no path\r\n", "x"), ("a\r\nb", "/", "x"), ("h", "/", "\r\n: x")] {
            let hostile = RegenerationMessage {
                host: host.into(),
                path: path.into(),
                headers: vec![(header.into(), "1".into())],
                ..good.clone()
            };
            assert!(hostile.request().is_err(), "{hostile:?}");
        }
    }
}
