//! What goes wrong with streams: with one record, or with the reading of a whole stream. The texts name records, tables
//! and attributes, never a value.

use tabletheory_core::StoreError;

use crate::encryption::EncryptionError;
use crate::model::ModelError;

/// Why a record cannot be read as a model. The record itself is still the caller's: [`Decoder`](super::Decoder) only
/// borrows it.
///
/// ```
/// use tabletheory::attribute::{AttributeError, Fault};
/// use tabletheory::model::ModelError;
/// use tabletheory::stream::{DecodeError, DecodeFault, Image};
///
/// let missing = AttributeError::from(Fault::Missing).inside("count");
/// let error = DecodeError {
///     sequence: "17".into(),
///     event_id: "e1".into(),
///     image: Image::New,
///     source: ModelError::Read { model: "Visit", source: missing }.into(),
/// };
/// assert_eq!(error.to_string(), "the new image of record 17 is not the model's");
/// assert!(matches!(error.source, DecodeFault::Model(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {image} of record {sequence} is not the model's")]
pub struct DecodeError {
    /// The record's place in its stream, for reports: [`BatchFailures`](super::BatchFailures) takes it.
    pub sequence: String,
    /// The record's identifier.
    pub event_id: String,
    /// Which of its images.
    pub image: Image,
    /// What is wrong with the image.
    pub source: DecodeFault,
}

/// One of the two states of an item that a record carries.
///
/// ```
/// assert_eq!(tabletheory::stream::Image::Old.to_string(), "old image");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Image {
    /// The item before the change.
    Old,
    /// The item after the change.
    New,
}

impl std::fmt::Display for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Old => "old image",
            Self::New => "new image",
        })
    }
}

/// What is wrong with an image.
///
/// ```
/// use tabletheory::attribute::{AttributeError, Fault};
/// use tabletheory::model::ModelError;
/// use tabletheory::stream::DecodeFault;
///
/// let missing = AttributeError::from(Fault::Missing).inside("count");
/// let fault = DecodeFault::from(ModelError::Read { model: "Visit", source: missing });
/// assert_eq!(fault.to_string(), "cannot read a Visit: count: the attribute is missing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeFault {
    /// It cannot be read as the model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An encrypted attribute cannot be opened. If the [key](EncryptionError::Key) is
    /// [unavailable](crate::encryption::KeyError::Unavailable), the same record may be read later.
    #[error(transparent)]
    Encryption(#[from] EncryptionError),
}

/// Why a stream cannot be read on.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::stream::{ReadError, Reader};
/// use tabletheory::testing::TestStore;
///
/// let store = Arc::new(TestStore::new());
/// let error = futures_executor::block_on(Reader::of_table(store, "missing")).unwrap_err();
/// assert!(matches!(error, ReadError::Store(_)));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The store refused, or was not reached for as long as the reader is patient. The reader stands where it stood: the
    /// next call goes on from there.
    #[error("the stream was not read: {0}")]
    Store(#[from] StoreError),
    /// The table has no stream: it has to be turned on first.
    #[error("the table {table} has no stream")]
    NoStream {
        /// The table.
        table: String,
    },
    /// The checkpoint belongs to another stream: the stream was turned off and on, or its table made anew.
    #[error("the checkpoint is of the stream {checkpoint}, and not of {stream}")]
    OtherStream {
        /// The stream to read.
        stream: String,
        /// The stream that the checkpoint names.
        checkpoint: String,
    },
}
