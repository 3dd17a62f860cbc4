//! Reading what the table knows about a page: once for all who ask at the same time.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use crate::error::Error;
use crate::event::Event;
use crate::flight::Joined;
use crate::isr::Inner;
use crate::key::Partition;
use crate::known::Known;
use crate::outcome::Looked;
use crate::visit::Visit;

impl Inner {
    /// Reads the page's metadata, and remembers them. Nothing, if the store fails.
    pub(crate) async fn look(self: &Arc<Self>, visit: &Visit, partition: &Partition) -> Looked {
        let came = Instant::now();
        let usual = self.settings.store_wait;
        let patience = self.outage.patience(usual);
        loop {
            let Joined { flight, is_first } = self.begin_look(visit, partition);
            // Whoever has less patience leaves; who has more goes on with the read.
            let Ok(looked) = timeout_at(came + patience, flight).await else {
                if patience < usual {
                    self.tell(&visit.key, &Event::StoreNotAwaited);
                } else {
                    // Who waited as long as is allowed may leave before the read itself gives up.
                    self.outage.begin();
                    self.store_failed(&visit.key, &Error::StoreTooSlow);
                }
                return None;
            };
            let looked = looked?;
            // A read whose answer was long under way may have missed a purge that this visitor came after.
            if is_first || came.saturating_duration_since(looked.read.steady) <= self.settings.meta_cache {
                return Some(looked);
            }
        }
    }

    fn begin_look(self: &Arc<Self>, visit: &Visit, partition: &Partition) -> Joined<Looked> {
        let begin = || {
            let (inner, key, partition) = (Arc::clone(self), visit.key.clone(), partition.clone());
            async move {
                // The moment before: what is read is at least as new.
                let read = inner.moment();
                let look = match inner.in_time(inner.meta.get(&partition)).await {
                    Ok(look) => {
                        inner.outage.end();
                        look
                    }
                    Err(error) => {
                        if matches!(error, Error::StoreTooSlow) {
                            inner.outage.begin();
                        }
                        inner.store_failed(&key, &error);
                        return None;
                    }
                };
                if look.malformed {
                    inner.tell(&key, &Event::Malformed);
                }
                let known = Arc::new(Known::new(look, read));
                inner.remember(&key, &known);
                Some(known)
            }
        };
        self.looks.join(&visit.key, begin)
    }
}
