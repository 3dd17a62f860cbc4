//! Asking a renderer, which may take too long, or panic.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::timeout;

use super::{Render, RenderError, Rendered, Renderer};

/// What the renderer gives within this time. One that panics has failed: others may wait for the same render, and nobody would
/// wake them.
pub(crate) async fn ask(
    renderer: &dyn Renderer,
    render: Render,
    at_most: Duration,
) -> Result<Rendered, RenderError> {
    // What a renderer leaves behind when it panics is its own affair; nothing of ours is lent to it.
    let rendering = AssertUnwindSafe(async { renderer.render(render).await }).catch_unwind();
    match timeout(at_most, rendering).await {
        Ok(Ok(rendered)) => rendered,
        Ok(Err(_)) => Err(RenderError::new("the renderer panicked")),
        Err(_) => Err(RenderError::too_slow("the render took too long")),
    }
}
