//! How keys become partition keys of the table.

use std::fmt;

use super::PageKey;
use crate::error::Error;

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
    /// With [`KeyScheme::Raw`], if the key has no text, or is longer than DynamoDB takes.
    pub fn partition(self, key: &PageKey) -> Result<Partition, Error> {
        let name = match self {
            Self::Hashed => key.digest(),
            Self::Raw => key.raw_text().ok_or(Error::KeyWithoutText)?.to_owned(),
        };
        let pk = match &key.tenant {
            None => format!("CACHE#{name}"),
            Some(tenant) => format!("TENANT#{tenant}#CACHE#{name}"),
        };
        if pk.len() > PK_BYTES_MAX {
            return Err(Error::KeyTooLong { bytes: pk.len(), bytes_max: PK_BYTES_MAX });
        }
        // `CACHE` and `TENANT#<tenant>#CACHE`: no page's partition, because those go on with `#`.
        let site = pk[..pk.len() - name.len() - 1].to_owned();
        Ok(Partition { pk, site })
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
