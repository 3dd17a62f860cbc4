//! What a scene counts: events, store calls, renders, and bodies put and read.

use std::collections::BTreeMap;
use std::sync::Arc;

use facetheory::{Event, Observer, PageKey};
use parking_lot::Mutex;

use super::words::Word;

/// Counters by name, shared by everybody in a scene.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(Arc<Mutex<BTreeMap<String, u64>>>);

impl Tally {
    pub(crate) fn count(&self, name: &str) {
        *self.0.lock().entry(name.to_owned()).or_default() += 1;
    }

    pub(super) fn set(&self, name: &str, value: u64) {
        self.0.lock().insert(name.to_owned(), value);
    }

    pub(crate) fn get(&self, name: &str) -> u64 {
        self.0.lock().get(name).copied().unwrap_or(0)
    }

    pub(crate) fn reset(&self) {
        self.0.lock().clear();
    }

    /// Compares counters with what a script says: `renders=2 store<=4`.
    pub(super) fn check(&self, expected: &[Word]) -> Result<(), String> {
        for word in expected {
            let Word::Pair { name, value, .. } = word else { return Err(format!("{word:?} is no counter")) };
            let value: u64 = value.parse().map_err(|_| format!("{value} is no number"))?;
            let (name, holds): (_, fn(u64, u64) -> bool) = match name.strip_suffix('<') {
                Some(name) => (name, |counted, bound| counted <= bound),
                None => (name.as_str(), |counted, exact| counted == exact),
            };
            let counted = self.get(name);
            if !holds(counted, value) {
                return Err(format!("{name} is {counted}; all counters: {:?}", self.0.lock()));
            }
        }
        Ok(())
    }
}

impl Observer for Tally {
    fn saw(&self, _page: Option<&PageKey>, event: &Event) {
        self.count(event.name());
        match event {
            Event::Published => self.count("publishes"),
            Event::Served(state) => self.count(state.as_str()),
            Event::NotKept(refusal) => self.count(refusal.as_str()),
            _ => {}
        }
    }
}
