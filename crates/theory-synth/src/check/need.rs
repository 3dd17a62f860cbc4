//! What a table is needed for, and how that is known.

use tabletheory::table::Layout;

use crate::kind::Kind;

/// What a table is needed for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Need {
    /// A table of the product.
    Kind(Kind),
    /// The table of models.
    Layout(Box<Layout>),
    /// The archive reads its stream.
    Archive {
        /// The attribute by which items expire, as the function is told.
        ttl_attribute: Option<String>,
    },
}

/// One use of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Use {
    /// The logical id of the table.
    pub(super) table: String,
    pub(super) need: Need,
    /// How that is known, in words.
    pub(super) because: String,
}
