//! A place for a bounded number of things that each have a name and a time: what is over its time goes, and what was not
//! used for the longest time makes room.

use std::collections::HashMap;

use tabletheory_core::Timestamp;

use super::bounds::Reuse;

/// Things by their names.
pub(super) struct Shelf<T> {
    entries: HashMap<Vec<u8>, Entry<T>>,
    /// When the first of them was asked for, so that most steps need not look at all of them.
    first_asked: Option<Timestamp>,
    /// Counts the steps, to tell what was not used for the longest time.
    steps: u64,
}

struct Entry<T> {
    thing: T,
    asked: Timestamp,
    last_used: u64,
}

impl<T> Shelf<T> {
    /// The thing of this name, if its time is not over.
    pub(super) fn find(&mut self, name: &[u8], now: Timestamp, reuse: &Reuse) -> Option<&mut T> {
        self.expire(now, reuse);
        self.steps += 1;
        let entry = self.entries.get_mut(name).filter(|entry| is_young(entry.asked, now, reuse))?;
        entry.last_used = self.steps;
        Some(&mut entry.thing)
    }

    /// Puts a thing here that was asked for at that time.
    pub(super) fn keep(&mut self, name: Vec<u8>, thing: T, asked: Timestamp, reuse: &Reuse) {
        if reuse.keys_max == 0 {
            return;
        }
        self.steps += 1;
        self.entries.insert(name, Entry { thing, asked, last_used: self.steps });
        self.first_asked = Some(self.first_asked.map_or(asked, |first| first.min(asked)));
        if self.entries.len() > reuse.keys_max {
            // A walk over all of them, which is nothing beside the call to the provider that was just made.
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_used);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| self.entries.remove(&name));
        }
    }

    /// Drops the thing of this name.
    pub(super) fn remove(&mut self, name: &[u8]) {
        self.entries.remove(name);
    }

    /// How many things are here.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn expire(&mut self, now: Timestamp, reuse: &Reuse) {
        if self.first_asked.is_some_and(|first| !is_young(first, now, reuse)) {
            self.entries.retain(|_, entry| is_young(entry.asked, now, reuse));
            self.first_asked = self.entries.values().map(|entry| entry.asked).min();
        }
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { entries: HashMap::new(), first_asked: None, steps: 0 }
    }
}

/// A clock that was put back does not make a key younger: one from the future goes too.
fn is_young(asked: Timestamp, now: Timestamp, reuse: &Reuse) -> bool {
    let age_ms = now.millis().checked_sub(asked.millis()).and_then(|age| u128::try_from(age).ok());
    age_ms.is_some_and(|age_ms| age_ms < reuse.age_max.as_millis())
}
