//! Reading what the table knows about a page: once for all who ask at the same time.

use std::sync::Arc;

use crate::event::Event;
use crate::isr::Inner;
use crate::key::Partition;
use crate::known::Known;
use crate::outcome::Looked;
use crate::visit::Visit;

impl Inner {
    /// Reads the page's metadata, and remembers them. Nothing, if the store fails.
    pub(crate) async fn look(self: &Arc<Self>, visit: &Visit, partition: Partition) -> Looked {
        let begin = || {
            let (inner, key) = (Arc::clone(self), visit.key.clone());
            async move {
                // The moment before: what is read is at least as new.
                let (now, mark) = (inner.now(), inner.mark());
                let look = match inner.meta.get(&partition).await {
                    Ok(look) => look,
                    Err(error) => {
                        inner.store_failed(&key, &error);
                        return None;
                    }
                };
                if look.malformed {
                    inner.tell(&key, &Event::Malformed);
                }
                let known = Arc::new(Known::new(look, now));
                inner.remember(&key, &known, mark);
                Some(known)
            }
        };
        self.looks.join(&visit.key, begin).flight.await
    }
}
