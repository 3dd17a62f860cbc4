//! What a page is known by: typed parts, hashed without ambiguity, or the raw text of a table shared with another store.

mod address;
mod parts;
mod scheme;

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::tenant::Tenant;

use parts::{Kind, Parts};

pub(crate) use scheme::site;
pub use scheme::{KeyScheme, Partition};

/// The first bytes that are hashed: another way to hash would have another name.
const DOMAIN: &[u8] = b"facetheory/page/1";

/// The key of a page: everything that its content depends on, and nothing else.
///
/// Parts of different kinds never meet: a path `/d/x` is not a path `/d` with a query `p=x`. Values may be any bytes of any
/// length. The order in which parts are given does not matter, except among several values of one name.
///
/// ```
/// use facetheory::PageKey;
///
/// let news = PageKey::path("/news").query("page", "2").header("accept-language", "de");
/// assert_eq!(news, PageKey::path("/news").header("accept-language", "de").query("page", "2"));
/// assert_ne!(news.digest(), PageKey::path("/news").query("page", "3").header("accept-language", "de").digest());
/// assert_eq!(news.page_path(), Some(&b"/news"[..]));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PageKey {
    tenant: Option<Tenant>,
    parts: Parts,
}

impl PageKey {
    /// The page at a path.
    #[must_use]
    pub fn path(path: impl AsRef<[u8]>) -> Self {
        Self { tenant: None, parts: Parts::one(Kind::Path, path.as_ref()) }
    }

    /// The page that another store knows by this text, for tables shared with it ([`KeyScheme::Raw`]).
    ///
    /// ```
    /// use facetheory::{KeyScheme, PageKey};
    ///
    /// let key = PageKey::raw("default::/news?page=2");
    /// assert_eq!(KeyScheme::Raw.partition(&key)?.as_str(), "CACHE#default::/news?page=2");
    /// # Ok::<(), facetheory::Error>(())
    /// ```
    #[must_use]
    pub fn raw(text: impl Into<String>) -> Self {
        Self { tenant: None, parts: Parts::one(Kind::Raw, text.into().as_bytes()) }
    }

    /// The same page of this tenant.
    #[must_use]
    pub fn tenant(mut self, tenant: Tenant) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// The same page of this host.
    #[must_use]
    pub fn host(self, host: impl AsRef<[u8]>) -> Self {
        self.with(Kind::Host, b"", host.as_ref())
    }

    /// With a parameter of the query. Several of one name keep their order.
    #[must_use]
    pub fn query(self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.with(Kind::Query, name.as_ref(), value.as_ref())
    }

    /// With a header that the page depends on; its name in lower case.
    #[must_use]
    pub fn header(self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        let name = name.as_ref().to_ascii_lowercase();
        self.with(Kind::Header, &name, value.as_ref())
    }

    /// With a cookie that the page depends on.
    #[must_use]
    pub fn cookie(self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.with(Kind::Cookie, name.as_ref(), value.as_ref())
    }

    /// With anything else that makes another page: a deployment, a theme, a version of the policy.
    #[must_use]
    pub fn variant(self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.with(Kind::Variant, name.as_ref(), value.as_ref())
    }

    /// Whose page it is.
    #[must_use]
    pub fn page_tenant(&self) -> Option<&Tenant> {
        self.tenant.as_ref()
    }

    /// The path, if it has one.
    #[must_use]
    pub fn page_path(&self) -> Option<&[u8]> {
        self.first(Kind::Path)
    }

    /// The host, if it has one.
    #[must_use]
    pub fn page_host(&self) -> Option<&[u8]> {
        self.first(Kind::Host)
    }

    /// The parameters of the query, in the order in which they are hashed.
    pub fn page_query(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.parts.of(Kind::Query)
    }

    /// The headers it depends on.
    pub fn page_headers(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.parts.of(Kind::Header)
    }

    /// The cookies it depends on.
    pub fn page_cookies(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.parts.of(Kind::Cookie)
    }

    /// Whatever else makes it another page.
    pub fn page_variants(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.parts.of(Kind::Variant)
    }

    /// The SHA-256 of all of it, as 64 digits: length-prefixed, typed, and begun with the version of this rule.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        hash_field(&mut hash, self.tenant.as_ref().map_or(&[][..], |tenant| tenant.as_str().as_bytes()));
        hash.update(self.parts.as_bytes());
        hex(&hash.finalize())
    }

    /// The bytes that tell it from others.
    pub(crate) fn bytes(&self) -> usize {
        self.tenant.as_ref().map_or(0, |tenant| tenant.as_str().len()) + self.parts.as_bytes().len()
    }

    /// The text of a key that is nothing but that: what stood beside it would be lost in the partition key, and two pages
    /// would have one.
    fn raw_text(&self) -> Result<&str, Error> {
        let text = self.first(Kind::Raw).and_then(|text| std::str::from_utf8(text).ok());
        let text = text.ok_or(Error::KeyWithoutText)?;
        if self.parts.is_only(Kind::Raw) { Ok(text) } else { Err(Error::KeyBesideText) }
    }

    fn first(&self, kind: Kind) -> Option<&[u8]> {
        self.parts.of(kind).next().map(|(_, value)| value)
    }

    fn with(mut self, kind: Kind, name: &[u8], value: &[u8]) -> Self {
        self.parts.add(kind, name, value);
        self
    }
}

/// Paths are shown; values of headers and cookies may be secrets and are not.
impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.page_path().or_else(|| self.first(Kind::Raw)).map(String::from_utf8_lossy);
        f.debug_struct("PageKey").field("tenant", &self.tenant).field("path", &path).finish_non_exhaustive()
    }
}

/// Hashes bytes with their length before them, so that two fields never pass for two others.
pub(crate) fn hash_field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests;
