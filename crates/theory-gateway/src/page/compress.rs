//! Compressed variants of bodies, made beside answers: who comes first gets the bytes as they are, and nobody waits for a
//! compressor who need not.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use facetheory::body::{Body, Digest, Encoding};
use parking_lot::Mutex;

use super::encoding::Wishes;

/// So many bodies are compressed at once: the others are for those who ask next.
const AT_ONCE_MAX: usize = 2;

/// Bodies that are being compressed.
#[derive(Debug, Clone, Default)]
pub(super) struct Compressing(Arc<Mutex<HashSet<(Digest, Encoding)>>>);

/// What a client gets.
pub(super) enum Choice {
    /// These bytes, in this encoding.
    Ready(Encoding, Bytes),
    /// It takes nothing that is there, and has to wait for this.
    Wait(Encoding),
}

impl Compressing {
    /// The best that is there for a client with these wishes. What it would have liked better is begun.
    pub(super) fn choose(&self, body: &Body, wishes: Wishes) -> Choice {
        let mut missing = None;
        for encoding in wishes.iter() {
            if !body.is_encoded(encoding) {
                missing = missing.or(Some(encoding));
            } else if let Some(bytes) = body.encoded(encoding) {
                if let Some(missing) = missing {
                    self.begin(body, missing);
                }
                return Choice::Ready(encoding, bytes);
            }
        }
        match missing {
            Some(encoding) => Choice::Wait(encoding),
            // It takes nothing there could be. It is told by the absence of an encoding what it gets.
            None => Choice::Ready(Encoding::Identity, body.bytes().clone()),
        }
    }

    /// Makes a variant now, for a client who takes nothing else.
    pub(super) async fn wait(body: &Body, encoding: Encoding) -> (Encoding, Bytes) {
        let made = body.clone();
        let made = tokio::task::spawn_blocking(move || made.encoded(encoding)).await;
        match made {
            Ok(Some(bytes)) => (encoding, bytes),
            _ => (Encoding::Identity, body.bytes().clone()),
        }
    }

    fn begin(&self, body: &Body, encoding: Encoding) {
        let name = (body.sha256(), encoding);
        let mut under_way = self.0.lock();
        if under_way.len() >= AT_ONCE_MAX || !under_way.insert(name) {
            return;
        }
        drop(under_way);
        let ended = Ended { under_way: Arc::clone(&self.0), name };
        let body = body.clone();
        tokio::task::spawn_blocking(move || {
            let _ended = ended;
            let _ = body.encoded(encoding);
        });
    }
}

/// Says that a body is not being compressed any more, also if that panicked or never began.
struct Ended {
    under_way: Arc<Mutex<HashSet<(Digest, Encoding)>>>,
    name: (Digest, Encoding),
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.under_way.lock().remove(&self.name);
    }
}
