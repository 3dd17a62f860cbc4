//! Why a page was not rendered.

/// Why a page was not rendered. The reason goes to operators, never to visitors.
///
/// ```
/// use facetheory::render::RenderError;
///
/// let closed = RenderError::new("the origin closed the connection");
/// assert_eq!(closed.to_string(), "the origin closed the connection");
/// assert!(!closed.is_too_slow() && RenderError::too_slow("no answer within 30 s").is_too_slow());
/// assert!(!closed.is_busy() && RenderError::busy("it has 256 requests").is_busy());
/// assert!(!closed.is_not_begun() && RenderError::not_begun("the time is over").is_not_begun());
/// assert!(!closed.is_unkeepable() && RenderError::unkeepable("it has no end").is_unkeepable());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RenderError {
    reason: String,
    kind: Kind,
}

/// What visitors may be told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Broken,
    TooSlow,
    Busy,
    NotBegun,
    Unkeepable,
}

impl RenderError {
    /// A failure for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: Kind::Broken }
    }

    /// A failure because it took too long, which visitors may be told.
    #[must_use]
    pub fn too_slow(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: Kind::TooSlow }
    }

    /// A failure because nobody was asked: whoever makes pages has too much to do, or is left alone for a while.
    #[must_use]
    pub fn busy(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: Kind::Busy }
    }

    /// No failure of the page: whoever renders has no time left, and did not begin. Another may at once; visitors are told what they are
    /// told of [`busy`](Self::busy).
    #[must_use]
    pub fn not_begun(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: Kind::NotBegun }
    }

    /// No failure of whoever makes pages: what they make cannot be had whole, because it is too long or has no end. It is no page, and
    /// whoever wants it must be given it as it comes.
    #[must_use]
    pub fn unkeepable(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: Kind::Unkeepable }
    }

    /// Whether what is made cannot be had whole.
    #[must_use]
    pub fn is_unkeepable(&self) -> bool {
        self.kind == Kind::Unkeepable
    }

    /// Whether it took too long.
    #[must_use]
    pub fn is_too_slow(&self) -> bool {
        self.kind == Kind::TooSlow
    }

    /// Whether nobody was asked, and asking later may help.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.kind, Kind::Busy | Kind::NotBegun)
    }

    /// Whether it was not even tried, so that nothing is known of the page.
    #[must_use]
    pub fn is_not_begun(&self) -> bool {
        self.kind == Kind::NotBegun
    }
}
