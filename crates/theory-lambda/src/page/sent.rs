//! What was handed to the queue lately: many visitors find a page stale until it is rendered, and one message is enough.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// For so long a message is not sent again. Then it may be lost, with whoever read it.
const SENT_FOR: Duration = Duration::from_secs(30);

/// So many are remembered; then all are forgotten, which costs some messages more.
const SENT_MAX: usize = 1_000;

/// What was handed to the queue lately. Clones remember together.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent(Arc<Mutex<HashMap<String, Instant>>>);

impl Sent {
    pub(super) fn is_known(&self, id: &str) -> bool {
        self.0.lock().get(id).is_some_and(|until| Instant::now() < *until)
    }

    pub(super) fn note(&self, id: &str) {
        let mut sent = self.0.lock();
        if sent.len() >= SENT_MAX {
            sent.clear();
        }
        sent.insert(id.to_owned(), Instant::now() + SENT_FOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_message_is_sent_again_only_when_it_may_be_lost() {
        let sent = Sent::default();
        assert!(!sent.is_known("a"));
        sent.note("a");
        assert!(sent.is_known("a") && !sent.is_known("b"));
        tokio::time::advance(SENT_FOR).await;
        assert!(!sent.is_known("a"));
        for id in 0..=SENT_MAX {
            sent.note(&id.to_string());
        }
        assert!(sent.0.lock().len() <= SENT_MAX);
    }
}
