//! What is remembered about overrides, also that there is none: bounded, for a minute, and read once by all who miss it together.

use std::sync::Arc;

use parking_lot::Mutex;
use quick_cache::sync::Cache;
use tabletheory_core::{StoreError, Timestamp};

use super::row::Place;
use crate::limit::Limit;

/// For how long what was read is believed.
const REMEMBERED_MS: i64 = 60_000;
/// About how many rows are remembered, at a few hundred bytes each.
const ROWS_REMEMBERED: usize = 20_000;

/// What a row says: limits, none, or why it cannot be read. That it cannot is remembered too, or each request would read it.
pub(super) type Said = Result<Option<Arc<[Limit]>>, String>;

/// What is remembered about all rows.
#[derive(Debug)]
pub(super) struct Shelf {
    notes: Cache<Place, Arc<Note>>,
}

/// What is remembered about one row.
#[derive(Debug)]
pub(super) struct Note {
    place: Place,
    heard: Mutex<Heard>,
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Heard {
    said: Option<(Said, Timestamp)>,
    /// How many calls have come back, and what the last one failed with.
    flights: u64,
    failure: Option<StoreError>,
}

/// The turn to read a row. Whoever waited for it in vain shares the failure of the one before.
#[derive(Debug)]
pub(super) struct Flight<'n> {
    note: &'n Note,
    flights_before: u64,
    _turn: tokio::sync::MutexGuard<'n, ()>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { notes: Cache::new(ROWS_REMEMBERED) }
    }
}

impl Shelf {
    pub(super) fn note(&self, place: Place) -> Arc<Note> {
        if let Some(note) = self.notes.get(&place) {
            return note;
        }
        let note = || {
            let place = place.clone();
            Ok::<_, std::convert::Infallible>(Arc::new(Note {
                place,
                heard: Mutex::default(),
                turn: tokio::sync::Mutex::default(),
            }))
        };
        match self.notes.get_or_insert_with(&place, note) {
            Ok(note) => note,
            Err(never) => match never {},
        }
    }

    /// Forgets a row. Who reads it at this moment writes on a note that nobody looks at again.
    pub(super) fn forget(&self, place: &Place) {
        self.notes.remove(place);
    }
}

impl Note {
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// What the row says, if that was read less than a minute ago. A clock that was set back makes it no younger.
    pub(super) fn said(&self, now: Timestamp) -> Option<Said> {
        let heard = self.heard.lock();
        let (said, at) = heard.said.as_ref()?;
        let age_ms = now.millis().saturating_sub(at.millis());
        (0..REMEMBERED_MS).contains(&age_ms).then(|| said.clone())
    }

    /// What the row said last.
    pub(super) fn said_last(&self) -> Option<Said> {
        self.heard.lock().said.as_ref().map(|(said, _)| said.clone())
    }

    pub(super) fn hear(&self, said: Said, at: Timestamp) {
        self.heard.lock().said = Some((said, at));
    }

    /// Waits for the turn to read the row.
    pub(super) async fn flight(&self) -> Flight<'_> {
        let flights_before = self.heard.lock().flights;
        Flight { note: self, flights_before, _turn: self.turn.lock().await }
    }
}

impl Flight<'_> {
    /// What the call failed with that was made while this one waited.
    pub(super) fn failed_meanwhile(&self) -> Option<StoreError> {
        let heard = self.note.heard.lock();
        if heard.flights == self.flights_before { None } else { heard.failure.clone() }
    }

    /// The call came back.
    pub(super) fn land(&self, failure: Option<&StoreError>) {
        let mut heard = self.note.heard.lock();
        heard.flights += 1;
        heard.failure = failure.cloned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overrides::row::Whose;
    use crate::policy::Policy;

    #[test]
    fn memory_is_bounded_whoever_comes() {
        let policy = Policy::new("api", [Limit::per_second(1)]).expect("a policy");
        let shelf = Shelf::default();
        for number in 0..2 * ROWS_REMEMBERED {
            shelf.note(Place::of(&policy, Whose::Identifier(&format!("ip:{number}"))).expect("a place"));
        }
        assert!(shelf.notes.len() <= ROWS_REMEMBERED);
    }
}
