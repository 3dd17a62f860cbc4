//! Why a page was not rendered.

/// Why a page was not rendered. The reason goes to operators, never to visitors.
///
/// ```
/// use facetheory::render::RenderError;
///
/// let closed = RenderError::new("the origin closed the connection");
/// assert_eq!(closed.to_string(), "the origin closed the connection");
/// assert!(!closed.is_too_slow() && RenderError::too_slow("no answer within 30 s").is_too_slow());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RenderError {
    reason: String,
    is_too_slow: bool,
}

impl RenderError {
    /// A failure for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_too_slow: false }
    }

    /// A failure because it took too long, which visitors may be told.
    #[must_use]
    pub fn too_slow(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_too_slow: true }
    }

    /// Whether it took too long.
    #[must_use]
    pub fn is_too_slow(&self) -> bool {
        self.is_too_slow
    }
}
