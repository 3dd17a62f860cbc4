//! Why something was not done. Losing a race is no error: it is an outcome.

use tabletheory_core::{Seconds, StoreError, Timestamp};

use crate::body::BodyError;
use crate::failure::RenderError;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tenant's name cannot stand in a key.
    #[error("a tenant of {length} bytes is not 1 to 64 letters, digits, `-` and `_`")]
    Tenant {
        /// Its length.
        length: usize,
    },
    /// A key made of parts has no text, and the table's keys are texts.
    #[error("the key has no text, which the raw scheme needs; make it with `PageKey::raw`")]
    KeyWithoutText,
    /// A key made of a text has parts beside it, for which the table's keys have no place.
    #[error("the raw scheme knows a page by its text alone; put everything that makes another page into it")]
    KeyBesideText,
    /// The key is longer than DynamoDB takes.
    #[error("the partition key has {bytes} bytes, more than {bytes_max}; use the hashed scheme")]
    KeyTooLong {
        /// Its length.
        bytes: usize,
        /// What DynamoDB takes.
        bytes_max: usize,
    },
    /// A window of a policy cannot be kept.
    #[error("{seconds} seconds cannot be `{name}`")]
    Window {
        /// Which.
        name: &'static str,
        /// Its length.
        seconds: i64,
    },
    /// The table would forget a page while it is still served.
    #[error("pages are served for {} seconds and would be forgotten after {}; `retention` must be longer", served.0, retention.0)]
    RetentionTooShort {
        /// After how long they would be forgotten.
        retention: Seconds,
        /// For how long they are served.
        served: Seconds,
    },
    /// Another process renders the page, and it took longer than this visitor waits. Asking again later helps.
    #[error("the page is being rendered by another process")]
    Busy {
        /// Until when the other process has the lease, if that is known.
        until: Option<Timestamp>,
    },
    /// The page could not be rendered, and nobody tries again yet.
    #[error("the page could not be rendered; the next attempt is in {} ms", at.millis() - now.millis())]
    BackedOff {
        /// When the next attempt is welcome.
        at: Timestamp,
        /// When this was said.
        now: Timestamp,
    },
    /// The page could not be rendered.
    #[error("the page could not be rendered")]
    Render(#[source] RenderError),
    /// Another worker is at this intent.
    #[error("the same request is under way")]
    InProgress {
        /// Until when it has time, if that is known.
        until: Option<Timestamp>,
    },
    /// The intent was used with other inputs.
    #[error("the idempotency key was used for another request")]
    IntentMismatch,
    /// A page cannot be fresh for so long.
    #[error("a page cannot be fresh for {seconds} s: 0 to {seconds_max} s are possible")]
    Revalidate {
        /// For how long it was to be fresh.
        seconds: i64,
        /// The longest time.
        seconds_max: i64,
    },
    /// The table would forget a page while it is fresh.
    #[error("a page that is fresh for {revalidate_s} s would be forgotten after {kept_s} s; keep it longer")]
    Retention {
        /// For how long it is fresh.
        revalidate_s: i64,
        /// After how long the table may forget it.
        kept_s: i64,
    },
    /// A text cannot stand in the sort key of a request.
    #[error("an idempotency key of {length} bytes is not 1 to {length_max} bytes without `#`; hash it")]
    IdempotencyKey {
        /// Its length.
        length: usize,
        /// The longest.
        length_max: usize,
    },
    /// A page was to be published that names no body.
    #[error("a page cannot be published without the key of its body")]
    NoBody,
    /// The lease was taken without an intent, so there is none to complete.
    #[error("the lease carries no intent; take it with `claim`")]
    NoIntent,
    /// The row that says what was purged in a site cannot be read, so nothing can be added to it.
    #[error("the journal of the site cannot be read; delete the row and purge everything")]
    Journal,
    /// Others wrote the same row each time.
    #[error("others wrote the {what} each time it was tried; try again later")]
    Contended {
        /// Which row.
        what: &'static str,
    },
    /// The table was not made.
    #[error(transparent)]
    NoTable(#[from] tabletheory::table::TableError),
    /// The store did not answer in time.
    #[error("the store did not answer in time")]
    StoreTooSlow,
    /// The body store did not do it.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The store did not do it.
    #[error(transparent)]
    Table(#[from] tabletheory::Error),
}

impl Error {
    /// Whether it is unknown if something was written, because an answer was lost.
    ///
    /// ```
    /// use facetheory::Error;
    /// use tabletheory_core::StoreError;
    ///
    /// assert!(Error::from(StoreError::Internal("lost".into())).is_ambiguous());
    /// assert!(!Error::NoIntent.is_ambiguous());
    /// ```
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::Table(error) if error.is_ambiguous())
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Table(error.into())
    }
}
