//! A header that is kept with a page.

use tabletheory::Attribute;

/// A header of the rendered response, replayed with the page.
///
/// ```
/// use facetheory::record::KeptHeader;
///
/// let header = KeptHeader { name: "content-type".into(), value: "text/html".into() };
/// assert_eq!(header.name, "content-type");
/// ```
#[derive(Attribute, Debug, Clone, PartialEq, Eq)]
#[attribute(rename_all = "snake_case")]
pub struct KeptHeader {
    /// Its name, in lower case.
    pub name: String,
    /// Its value.
    pub value: String,
}
