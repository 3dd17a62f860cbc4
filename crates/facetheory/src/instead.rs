//! The next best thing when a page cannot be rendered or the store is out of reach: an older page, or one that is not kept.

use std::sync::Arc;

use crate::error::Error;
use crate::event::State;
use crate::isr::Inner;
use crate::known::Known;
use crate::render::Renderer;
use crate::visit::{Served, Visit};

impl Inner {
    /// An older page instead of an error, if the policy allows. What was read too long ago to be believed is read again: the visitor may have
    /// waited since, and it may have been purged meanwhile.
    pub(crate) async fn instead(self: &Arc<Self>, visit: &Visit, error: Error) -> Result<Served, Error> {
        let believed = self.settings.meta_cache;
        let is_recent = |known: &Arc<Known>| known.is_recent(self.moment(), believed);
        if !self.known.get(&visit.key).as_ref().is_some_and(is_recent) {
            let partition = self.meta.partition(&visit.key)?;
            // It is remembered. If the store fails, the last that was known has the word.
            let _ = self.look(visit, &partition).await;
        }
        self.last_known(visit, error).await
    }

    /// The same by what this process knows, whenever it was read.
    async fn last_known(&self, visit: &Visit, error: Error) -> Result<Served, Error> {
        let now = self.now();
        let Some(known) =
            self.known.get(&visit.key).filter(|known| known.may_serve_on_error(now, &visit.policy))
        else {
            return Err(error);
        };
        let state = match error {
            Error::Busy { .. } | Error::InProgress { .. } => State::Stale,
            _ => State::StaleError,
        };
        self.page_with_body(visit, &known, state, now).await.ok_or(error)
    }

    /// Serves without the store: what was known last, or a render that is not kept.
    pub(crate) async fn without_store(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
    ) -> Result<Served, Error> {
        // Nobody knows whether it was purged since it was read, so it is not called fresh even if its time is not over.
        match self.last_known(visit, Error::Busy { until: None }).await {
            Ok(served) => Ok(Served { state: State::StaleError, ..served }),
            Err(_) => self.pass_together(visit, renderer).await,
        }
    }
}
