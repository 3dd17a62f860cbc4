//! The sweep: bodies that no row names go when they are old enough that none can name them any more.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::body::BodySweep;
use crate::error::Error;
use crate::event::Event;
use crate::isr::Isr;

impl Isr {
    /// Forgets old versions, and removes bodies that nothing names.
    ///
    /// Rows are read before bodies are listed, and only what was old before the first row was read is removed: a body that
    /// was old then and that no row named can never be published. Two sweeps at once do no harm.
    ///
    /// It remembers sixteen bytes for each body that is named.
    ///
    /// # Errors
    /// If rows or bodies cannot be listed. A body that cannot be removed is left to the next sweep.
    pub async fn sweep(&self) -> Result<BodySweep, Error> {
        let inner = &*self.inner;
        let started = inner.now();
        let old = started - inner.settings.sweep_grace;
        inner.meta.forget_all_versions(inner.settings.versions_kept, old).await?;
        // Two pointers with one hash keep a body too long, and never lose one.
        let (hasher, mut live) = (RandomState::new(), HashSet::new());
        inner
            .meta
            .live_pointers(|pointer| {
                live.insert(hasher.hash_one(pointer));
            })
            .await?;
        let swept =
            inner.bodies.sweep(old, &|pointer: &str| live.contains(&hasher.hash_one(pointer))).await?;
        inner.tell_all(&Event::Swept { bodies: swept.deleted, bytes: swept.deleted_bytes });
        Ok(swept)
    }
}
