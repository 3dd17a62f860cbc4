//! How keys become partition keys of the table.

use std::fmt;

use super::PageKey;
use crate::error::Error;
use crate::tenant::Tenant;

/// The longest partition key that DynamoDB takes.
const PK_BYTES_MAX: usize = 2048;

/// How keys become partition keys.
///
/// ```
/// use facetheory::{KeyScheme, PageKey};
///
/// let key = PageKey::path("/news").tenant("acme".parse()?);
/// let partition = KeyScheme::Hashed.partition(&key)?;
/// assert_eq!(partition.as_str(), format!("TENANT#acme#CACHE#{}", key.digest()));
/// # Ok::<(), facetheory::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyScheme {
    /// `CACHE#<digest>`, or `TENANT#<tenant>#CACHE#<digest>`: short, even, and free of what users wrote.
    #[default]
    Hashed,
    /// `CACHE#<text>`: what the TypeScript store writes. Only for keys made with [`PageKey::raw`].
    Raw,
}

impl KeyScheme {
    /// The partition of a page's rows.
    ///
    /// # Errors
    /// With [`KeyScheme::Raw`], if the key has no text, has anything beside it, or is longer than DynamoDB takes.
    pub fn partition(self, key: &PageKey) -> Result<Partition, Error> {
        let name = match self {
            Self::Hashed => key.digest(),
            Self::Raw => key.raw_text()?.to_owned(),
        };
        let site = site(key.tenant.as_ref());
        let pk = format!("{site}#{name}");
        if pk.len() > PK_BYTES_MAX {
            return Err(Error::KeyTooLong { bytes: pk.len(), bytes_max: PK_BYTES_MAX });
        }
        Ok(Partition { pk, site })
    }
}

/// The partition of what all pages of a tenant share: `CACHE` or `TENANT#<tenant>#CACHE`. It is no page's, because those go on
/// with `#`.
pub(crate) fn site(tenant: Option<&Tenant>) -> String {
    match tenant {
        None => "CACHE".to_owned(),
        Some(tenant) => format!("TENANT#{tenant}#CACHE"),
    }
}

/// The partition of a page's rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition {
    pk: String,
    site: String,
}

impl Partition {
    /// The partition key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pk
    }

    /// The partition that a row of the table lies in, if it is a page's.
    ///
    /// ```
    /// use facetheory::Partition;
    ///
    /// let partition = Partition::of_row("TENANT#acme#CACHE#1").expect("a page's");
    /// assert_eq!(partition.site(), "TENANT#acme#CACHE");
    /// assert!(Partition::of_row("USER#7").is_none());
    /// ```
    #[must_use]
    pub fn of_row(pk: &str) -> Option<Self> {
        let tenant =
            pk.strip_prefix("TENANT#").and_then(|rest| rest.split('#').next()?.parse::<Tenant>().ok());
        let site = site(tenant.as_ref());
        let is_page = pk.strip_prefix(&site).is_some_and(|name| name.starts_with('#'));
        is_page.then(|| Self { pk: pk.to_owned(), site })
    }

    /// The partition key of what all pages of the tenant share.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.site
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pk)
    }
}
