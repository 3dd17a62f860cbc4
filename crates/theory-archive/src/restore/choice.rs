//! What is to be restored, and how: plain data.

use tabletheory_core::{Item, Seconds};

use crate::list::Days;

/// What becomes of the attribute by which items expire. Archived items are past that time: if nothing is changed, the table
/// removes them again.
///
/// ```
/// use tabletheory_core::Seconds;
/// use theory_archive::Ttl;
///
/// assert_ne!(Ttl::Keep, Ttl::After(Seconds(86_400)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ttl {
    /// It stays as it was.
    Keep,
    /// It is removed: the item does not expire.
    Remove,
    /// The item expires so long after the restoration.
    After(Seconds),
}

/// What is to be restored, and how.
///
/// ```
/// use theory_archive::{RestoreSettings, Ttl};
///
/// let settings = RestoreSettings { ttl: Some(Ttl::Remove), ..RestoreSettings::new("app") };
/// assert_eq!(settings.table, "app");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RestoreSettings {
    /// The table that items are put into.
    pub table: String,
    /// The table that they were removed from, if it had another name.
    pub source: Option<String>,
    /// The days on which they were removed.
    pub days: Days,
    /// Only the item with this key.
    pub key: Option<Item>,
    /// What becomes of the time at which they expire. It has to be said if items of the table expire.
    pub ttl: Option<Ttl>,
    /// Whether an item that is there by now is replaced.
    pub is_overwriting: bool,
    /// Whether it is only looked what would be done.
    pub is_dry: bool,
}

impl RestoreSettings {
    /// Everything of this table, into it, where no item is by now.
    #[must_use]
    pub fn new(table: impl Into<String>) -> Self {
        let (table, days) = (table.into(), Days::default());
        Self { table, source: None, days, key: None, ttl: None, is_overwriting: false, is_dry: false }
    }

    /// The table that items were removed from.
    pub(crate) fn source(&self) -> &str {
        self.source.as_deref().unwrap_or(&self.table)
    }
}
