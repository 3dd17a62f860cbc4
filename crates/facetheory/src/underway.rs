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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tabletheory::Db;
    use tokio::time::timeout;

    use super::*;
    use crate::event::Observer;
    use crate::render::{Render, RenderError, Rendered, Renderer};
    use crate::{Bodies, Isr, MetaStore, Visit};

    #[derive(Debug, Default)]
    struct Ears(Mutex<Vec<&'static str>>);

    impl Observer for Ears {
        fn saw(&self, _page: Option<&PageKey>, event: &Event) {
            if event.name().starts_with("render") {
                self.0.lock().push(event.name());
            }
        }
    }

    async fn heard(renderer: impl Renderer + 'static) -> Vec<&'static str> {
        let meta = MetaStore::new(Db::memory());
        meta.create_table().await.unwrap();
        let ears = Arc::new(Ears::default());
        let isr = Isr::new(meta, Bodies::memory()).with_observer(Arc::clone(&ears) as Arc<dyn Observer>);
        let renderer: Arc<dyn Renderer> = Arc::new(renderer);
        let visit = Visit::to(PageKey::path("/news"));
        // Whoever waits for longer leaves.
        let _ = timeout(Duration::from_millis(200), isr.serve(&visit, &renderer)).await;
        ears.0.lock().clone()
    }

    #[tokio::test]
    async fn a_render_has_a_beginning_and_an_end_even_if_its_visitor_left() {
        let well = |_: Render| async { Ok(Rendered::html("new")) };
        assert_eq!(heard(well).await, ["rendering", "rendered"]);
        let wrong = |_: Render| async { Err(RenderError::new("down")) };
        assert_eq!(heard(wrong).await, ["rendering", "render-failed"]);
        let never = |_: Render| std::future::pending::<Result<Rendered, RenderError>>();
        assert_eq!(heard(never).await, ["rendering", "render-dropped"]);
    }
}
