//! Why something was not archived, read or restored. Texts name places and tables, and never what an item holds.

use tabletheory::stream::ReadError;
use tabletheory_core::StoreError;
use tabletheory_core::schema::StreamView;

/// What goes wrong with an archive.
///
/// ```
/// use theory_archive::Error;
///
/// let error = Error::NoOldImage { sequence: "17".into() };
/// assert_eq!(error.to_string(), "record 17 carries no old image, so there is nothing to archive");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The object store refused, or was not reached. What was asked for can be asked for again.
    #[error("{place} cannot be {action}")]
    Objects {
        /// What was to be done with it.
        action: &'static str,
        /// The object or folder.
        place: String,
        /// What the object store says.
        source: object_store::Error,
    },
    /// An object is not what the archive writes.
    #[error("{place} is no archived item: {reason}")]
    NotAnEntry {
        /// The object.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The record of a removal does not carry the item.
    #[error("record {sequence} carries no old image, so there is nothing to archive")]
    NoOldImage {
        /// The record.
        sequence: String,
    },
    /// The time for a batch was over before the record was archived.
    #[error("record {sequence} could not be archived in time")]
    OutOfTime {
        /// The record.
        sequence: String,
    },
    /// A record of a stream could not be archived for now.
    #[error(transparent)]
    Record(Box<Failure>),
    /// The stream cannot be read.
    #[error(transparent)]
    Stream(#[from] ReadError),
    /// The table has no stream, so nobody is told what is removed.
    #[error(
        "the table {table} has no stream, so nobody is told what is removed; turn one on with the view OLD_IMAGE (UpdateTable, \
         StreamSpecification)"
    )]
    NoStream {
        /// The table.
        table: String,
    },
    /// The stream does not carry the items that are removed.
    #[error(
        "the stream of {table} carries {}, and not the items that are removed; turn it off and on again with the view OLD_IMAGE \
         or NEW_AND_OLD_IMAGES", .view.name()
    )]
    NoOldImages {
        /// The table.
        table: String,
        /// What it carries.
        view: StreamView,
    },
    /// How far a stream was read cannot be understood.
    #[error(
        "{place} does not say how far the stream was read: {reason}; delete it to begin with the oldest record, nothing is \
         archived twice"
    )]
    Checkpoint {
        /// The object.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The table was not found, or the store refused.
    #[error("the table {table} cannot be used")]
    Table {
        /// The table.
        table: String,
        /// What the store says.
        source: StoreError,
    },
    /// The items of the archive have other keys than the table.
    #[error("{place} has the key {found}, and the table {table} wants {wanted}; nothing was written")]
    OtherKeys {
        /// The first object whose key does not fit.
        place: String,
        /// The table.
        table: String,
        /// The key of the archived item, such as `id (S)`.
        found: String,
        /// The key of the table.
        wanted: String,
    },
    /// Restored items would expire at once, and nobody said that they may.
    #[error(
        "{table} removes items by {attribute}, and archived items are past that time: say whether to keep it, to remove it or to \
         set it anew"
    )]
    WouldExpire {
        /// The table.
        table: String,
        /// The attribute of its time to live.
        attribute: String,
    },
    /// The attribute that is to change is part of the key.
    #[error("{attribute} is part of the key of {table}, so it stays as it is; only keeping it is possible")]
    KeyExpires {
        /// The table.
        table: String,
        /// The attribute of its time to live.
        attribute: String,
    },
    /// The archive has items, but none of this table.
    #[error("the archive holds no items of {table}; it holds items of {others}")]
    OtherTables {
        /// The table whose items were asked for.
        table: String,
        /// Tables whose items it holds, some of them.
        others: String,
    },
    /// A cursor is not one that a listing gave.
    #[error("{text:?} is no cursor of a listing; it is such as 2024/01/31/c4ca4238")]
    Cursor {
        /// The text.
        text: String,
    },
}

/// A record that could not be archived for now.
///
/// ```
/// use theory_archive::{Error, Failure};
///
/// let source = Error::NoOldImage { sequence: "17".into() };
/// let failure = Failure { sequence: "17".into(), event_id: "e1".into(), source };
/// assert_eq!(failure.to_string(), "record 17 is not archived");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("record {sequence} is not archived")]
pub struct Failure {
    /// Its place in the stream.
    pub sequence: String,
    /// Its identifier.
    pub event_id: String,
    /// Why.
    pub source: Error,
}

/// An error with its causes, as one line.
pub(crate) fn line(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |line, cause| format!("{line}: {cause}"))
}

impl Error {
    pub(crate) fn objects(
        action: &'static str,
        place: &object_store::path::Path,
        source: object_store::Error,
    ) -> Self {
        let place = if place.is_root() { "the archive".to_owned() } else { place.to_string() };
        Self::Objects { action, place, source }
    }
}
