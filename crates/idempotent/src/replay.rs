//! An answer that was given before.

use tabletheory_core::Timestamp;

use crate::response::Response;

/// An answer that was given before.
///
/// ```
/// use idempotent::{Replay, Response};
///
/// let replay = Replay::new(Response::new(201, "done")?);
/// assert!(!replay.is_cached && replay.completed_at.is_none());
/// # Ok::<(), http::status::InvalidStatusCode>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replay {
    /// The answer: status, body and the headers that are kept.
    pub response: Response,
    /// The number of the attempt whose answer it is, if that is known.
    pub attempt: Option<u64>,
    /// When it was given, if that is known.
    pub completed_at: Option<Timestamp>,
    /// Whether it comes from the memory of this process, and the store was not asked.
    pub is_cached: bool,
}

impl Replay {
    /// A replay of this answer.
    #[must_use]
    pub fn new(response: Response) -> Self {
        Self { response, attempt: None, completed_at: None, is_cached: false }
    }
}
