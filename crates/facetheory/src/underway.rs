//! A render under way: whoever looks is told of its beginning, and of its end even if it was given up before.

use std::time::Duration;

use tokio::time::Instant;

use crate::event::Event;
use crate::isr::Inner;
use crate::key::PageKey;

/// A render under way. Dropped before its end, it was given up.
pub(crate) struct Underway<'r> {
    inner: &'r Inner,
    page: &'r PageKey,
    started: Instant,
    is_over: bool,
}

impl<'r> Underway<'r> {
    pub(crate) fn begin(inner: &'r Inner, page: &'r PageKey) -> Self {
        inner.tell(page, &Event::Rendering);
        Self { inner, page, started: Instant::now(), is_over: false }
    }

    /// It came to its end; how it ended is told by whoever looks at its answer.
    pub(crate) fn end(mut self) -> Duration {
        self.is_over = true;
        self.started.elapsed()
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.inner.tell(self.page, &Event::RenderDropped { took: self.started.elapsed() });
        }
    }
}
