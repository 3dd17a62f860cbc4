//! Why a page was not rendered.

/// Why a page was not rendered. The reason goes to operators, never to visitors.
///
/// ```
/// use facetheory::render::RenderError;
///
/// assert_eq!(RenderError::new("the origin closed the connection").to_string(), "the origin closed the connection");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RenderError {
    reason: String,
}

impl RenderError {
    /// A failure for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
