//! Rendering a page because somebody wants it, fresh or not: a message of a queue, a button, a deployment.

use std::sync::Arc;

use futures_util::FutureExt;

use crate::error::Error;
use crate::isr::Isr;
use crate::outcome::Regeneration;
use crate::regenerate::Job;
use crate::render::Renderer;
use crate::visit::Visit;

impl Isr {
    /// The work of rendering a page now, though it may be fresh. With an intent, its repetitions do it once.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use facetheory::render::{Render, Rendered, Renderer};
    /// use facetheory::{Bodies, Intent, Isr, MetaStore, PageKey, Regenerated, Visit};
    /// use tabletheory::Db;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let meta = MetaStore::new(Db::memory());
    /// meta.create_table().await?;
    /// let isr = Isr::new(meta, Bodies::memory());
    /// let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });
    ///
    /// // The queue delivers the same message twice.
    /// let visit = Visit::to(PageKey::path("/news")).intent(Intent::from_message_id("m-1"));
    /// assert_eq!(isr.regenerate(&visit, &origin)?.run().await, Regenerated::Published);
    /// assert_eq!(isr.regenerate(&visit, &origin)?.run().await, Regenerated::LeftToOthers);
    /// # Ok::<(), facetheory::Error>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the policy or the key cannot be kept.
    pub fn regenerate(&self, visit: &Visit, renderer: &Arc<dyn Renderer>) -> Result<Regeneration, Error> {
        visit.policy.check()?;
        self.inner.meta.partition(&visit.key)?;
        let job = Job { is_forced: true, ..self.inner.job(visit, renderer, None, false) };
        Ok(Regeneration { flight: job.run().boxed().shared() })
    }
}
