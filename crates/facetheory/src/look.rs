//! Reading what the table knows about a page: once for all who ask at the same time.

use std::sync::Arc;

use crate::event::Event;
use crate::isr::Inner;
use crate::known::Known;
use crate::outcome::Looked;
use crate::visit::Visit;

impl Inner {
    /// Reads the page's metadata, and remembers them.
    pub(crate) async fn look(self: &Arc<Self>, visit: &Visit) -> Looked {
        let begin = || {
            let (inner, key) = (Arc::clone(self), visit.key.clone());
            async move {
                let partition = inner.meta.partition(&key).map_err(Arc::new)?;
                // The moment before: what is read is at least as new.
                let now = inner.now();
                let look = inner.meta.get(&partition).await.map_err(Arc::new)?;
                if look.malformed {
                    inner.tell(&key, &Event::Malformed);
                }
                let known = Arc::new(Known::new(look, now));
                inner.known.insert(key, Arc::clone(&known));
                Ok(known)
            }
        };
        self.looks.join(&visit.key, begin).flight.await
    }
}
