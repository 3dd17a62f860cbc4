//! The keys that are kept: one to encrypt with, and some to decrypt with. Whatever is over its time goes at every step.

use std::collections::HashMap;

use tabletheory_core::Timestamp;
use tabletheory_core::keys::{DataKey, SecretKey};

use super::bounds::Reuse;

/// Keys in memory. Each is wiped when it is dropped.
#[derive(Default)]
pub(super) struct Kept {
    current: Option<Current>,
    decrypted: HashMap<Vec<u8>, Decrypted>,
    /// When the first of them was asked for, so that most steps need not look at all of them.
    first_asked: Option<Timestamp>,
    /// Counts the steps, to tell which key was not used for the longest time.
    steps: u64,
}

struct Current {
    key: DataKey,
    asked: Timestamp,
    uses: u32,
}

struct Decrypted {
    key: SecretKey,
    asked: Timestamp,
    last_used: u64,
}

impl Kept {
    /// The data key to encrypt one more value with, if there is one that may.
    pub(super) fn use_current(&mut self, now: Timestamp, reuse: &Reuse) -> Option<DataKey> {
        self.expire(now, reuse);
        let current = self.current.as_mut()?;
        current.uses += 1;
        let (plaintext, encrypted) = (current.key.plaintext.clone(), current.key.encrypted.clone());
        if current.uses >= reuse.uses_max {
            self.current = None;
        }
        Some(DataKey { plaintext, encrypted })
    }

    /// Keeps a data key that is being used for the first time.
    pub(super) fn keep_current(&mut self, key: &DataKey, asked: Timestamp, reuse: &Reuse) {
        if reuse.uses_max > 1 {
            let key = DataKey { plaintext: key.plaintext.clone(), encrypted: key.encrypted.clone() };
            self.current = Some(Current { key, asked, uses: 1 });
        }
    }

    /// The key that was decrypted before.
    pub(super) fn find(&mut self, encrypted: &[u8], now: Timestamp, reuse: &Reuse) -> Option<SecretKey> {
        self.expire(now, reuse);
        self.steps += 1;
        let found = self.decrypted.get_mut(encrypted).filter(|found| is_young(found.asked, now, reuse))?;
        found.last_used = self.steps;
        Some(found.key.clone())
    }

    /// Keeps a key that was decrypted.
    pub(super) fn keep(&mut self, encrypted: &[u8], key: &SecretKey, asked: Timestamp, reuse: &Reuse) {
        if reuse.keys_max == 0 {
            return;
        }
        self.steps += 1;
        let kept = Decrypted { key: key.clone(), asked, last_used: self.steps };
        self.decrypted.insert(encrypted.to_vec(), kept);
        self.first_asked = Some(self.first_asked.map_or(asked, |first| first.min(asked)));
        if self.decrypted.len() > reuse.keys_max {
            // A walk over all of them, which is nothing beside the call to the provider that was just made.
            let oldest = self.decrypted.iter().min_by_key(|(_, kept)| kept.last_used);
            let oldest = oldest.map(|(encrypted, _)| encrypted.clone());
            oldest.and_then(|encrypted| self.decrypted.remove(&encrypted));
        }
    }

    /// How many keys are kept to decrypt with.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.decrypted.len()
    }

    fn expire(&mut self, now: Timestamp, reuse: &Reuse) {
        self.current.take_if(|current| !is_young(current.asked, now, reuse));
        if self.first_asked.is_some_and(|first| !is_young(first, now, reuse)) {
            self.decrypted.retain(|_, kept| is_young(kept.asked, now, reuse));
            self.first_asked = self.decrypted.values().map(|kept| kept.asked).min();
        }
    }
}

/// A clock that was put back does not make a key younger: one from the future goes too.
fn is_young(asked: Timestamp, now: Timestamp, reuse: &Reuse) -> bool {
    let age_ms = now.millis().checked_sub(asked.millis()).and_then(|age| u128::try_from(age).ok());
    age_ms.is_some_and(|age_ms| age_ms < reuse.age_max.as_millis())
}
