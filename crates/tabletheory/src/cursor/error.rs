//! Why a cursor is refused. A cursor holds keys, and refusals are logged: no text here repeats what a cursor holds.

use std::fmt;

use thiserror::Error;

use super::sort::Sort;

/// Why a cursor cannot be used.
///
/// ```
/// use tabletheory::cursor::{Cursor, CursorError, Flaw};
///
/// let refusal = Cursor::decode("no cursor!").unwrap_err();
/// assert_eq!(refusal, CursorError::Malformed { flaw: Flaw::Base64 });
/// assert_eq!(refusal.to_string(), "the cursor is malformed: it is not base64url");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CursorError {
    /// The text is no cursor: the client made it up, or lost a part of it.
    #[error("the cursor is malformed: {flaw}")]
    Malformed {
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The cursor is of a query on another index: the client changed its question between two pages.
    #[error("the cursor belongs to another index: the query reads {}", index_name(query.as_deref()))]
    OtherIndex {
        /// The index of the query at hand, or none if it reads the table.
        query: Option<String>,
    },
    /// The cursor is of a query in the other order: the client changed its question between two pages.
    #[error("the cursor belongs to the other order: the query reads {query}")]
    OtherOrder {
        /// The order of the query at hand.
        query: Sort,
    },
    /// The key in the cursor is none that the query visits: the client changed its question between two pages, or made the
    /// cursor up.
    #[error("the cursor belongs to another query: its key is none of this one")]
    OtherKey,
    /// The reader asks for a signature, and the cursor has none.
    #[error("the cursor is not signed")]
    Unsigned,
    /// The signature is not ours, or not for this text and this scope: the cursor was changed, belongs to somebody else,
    /// or was signed with a secret that is no longer known.
    #[error("the signature of the cursor is wrong")]
    Forged,
    /// The cursor is signed, and the reader has no key to check it with: the program reads with the wrong function.
    #[error("the cursor is signed and was read without a key")]
    Signed,
}

/// What is wrong with a text that is no cursor.
///
/// ```
/// use tabletheory::cursor::Flaw;
///
/// assert_eq!(Flaw::Order.to_string(), "its order is neither ASC nor DESC");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It is longer than any cursor.
    TooLong,
    /// It is not base64url.
    Base64,
    /// It does not hold the JSON of a cursor.
    Json,
    /// It names an order that is neither `ASC` nor `DESC`.
    Order,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "it is longer than any cursor",
            Self::Base64 => "it is not base64url",
            Self::Json => "it does not hold the JSON of a cursor",
            Self::Order => "its order is neither ASC nor DESC",
        })
    }
}

fn index_name(index: Option<&str>) -> &str {
    index.unwrap_or("the table")
}
