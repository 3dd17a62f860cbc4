//! How an archive writes: plain data.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How an archive writes.
///
/// ```
/// use theory_archive::ArchiveSettings;
///
/// let settings = ArchiveSettings { ttl_attribute: Some("expires".into()), ..ArchiveSettings::default() };
/// assert_eq!((settings.concurrency, settings.attempts), (25, 4));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArchiveSettings {
    /// The attribute of the table's time to live. It is named in what is archived.
    pub ttl_attribute: Option<String>,
    /// How many objects are on their way at once.
    pub concurrency: usize,
    /// How often an object is tried before its record is given up for now.
    pub attempts: u32,
    /// The longest wait between two attempts; the first is a tenth of a second, and each may be twice as long.
    pub backoff_max: Duration,
    /// Whether the object store lists names in their order, as S3 does but for its directory buckets. A page of a long day is
    /// then found without listing the whole day.
    pub is_listed_in_order: bool,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        Self {
            ttl_attribute: None,
            concurrency: 25,
            attempts: 4,
            backoff_max: Duration::from_secs(5),
            is_listed_in_order: false,
        }
    }
}
