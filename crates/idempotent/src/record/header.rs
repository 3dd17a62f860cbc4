//! A header that is kept with an answer.

use std::fmt;

use tabletheory::Attribute;

/// A header of the answer, replayed with it.
///
/// ```
/// use idempotent::record::KeptHeader;
///
/// let header = KeptHeader { name: "location".into(), value: "/orders/7".into() };
/// assert_eq!(format!("{header:?}"), r#"KeptHeader { name: "location", .. }"#);
/// ```
#[derive(Attribute, Clone, PartialEq, Eq)]
pub struct KeptHeader {
    /// Its name, in lower case.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Without the value: what is written down here may end up in a log.
impl fmt::Debug for KeptHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptHeader").field("name", &self.name).finish_non_exhaustive()
    }
}
