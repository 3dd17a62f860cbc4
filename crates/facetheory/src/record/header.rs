//! A header that is kept with a page.

use std::fmt;

use tabletheory::Attribute;

/// A header of the rendered response, replayed with the page.
///
/// ```
/// use facetheory::record::KeptHeader;
///
/// let header = KeptHeader { name: "content-type".into(), value: "text/html".into() };
/// assert_eq!(header.name, "content-type");
/// ```
#[derive(Attribute, Clone, PartialEq, Eq)]
#[attribute(rename_all = "snake_case")]
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
