//! What this process knows about the slots of one row: which are held, which it is trying for, and which it may hold without
//! knowing. It is only a guess, and costs nothing but a call when it is wrong.

use std::sync::Arc;

use parking_lot::Mutex;
use tabletheory_core::{Entropy, Item, Timestamp};

use super::row::{Token, held};

/// What is known about one row.
#[derive(Debug)]
pub(super) struct View {
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    /// Until when each slot is held, by the last answer.
    until_ms: Box<[i64]>,
    /// How many requests of this process are trying for each slot.
    trying: Box<[u32]>,
    /// Attempts of which nobody knows whether they succeeded.
    ghosts: Vec<(usize, Token)>,
}

/// A slot that a request tries for. What is dropped without an answer becomes a ghost, which the next request takes over.
#[derive(Debug)]
pub(super) struct Attempt {
    view: Arc<View>,
    pub(super) slot: usize,
    pub(super) token: Token,
    is_answered: bool,
}

impl View {
    pub(super) fn new(limit: usize) -> Self {
        let (until_ms, trying) = (vec![i64::MIN; limit].into(), vec![0; limit].into());
        Self { known: Mutex::new(Known { until_ms, trying, ghosts: Vec::new() }) }
    }

    /// The first attempt of a request: at the slot of a ghost, if there is one, or at a slot that seems free.
    pub(super) fn first(self: &Arc<Self>, now: Timestamp, entropy: &dyn Entropy, token: Token) -> Attempt {
        let ghost = self.known.lock().ghosts.pop();
        match ghost {
            Some((slot, token)) => self.attempt(slot, token),
            None => self.next(now, entropy, token),
        }
    }

    /// An attempt at a slot that seems free, or at the one that is free first.
    pub(super) fn next(self: &Arc<Self>, now: Timestamp, entropy: &dyn Entropy, token: Token) -> Attempt {
        let slot = self.known.lock().choose(now, entropy);
        self.attempt(slot, token)
    }

    /// Takes over what the row says.
    pub(super) fn learn(&self, row: &Item, now: Timestamp) {
        let mut known = self.known.lock();
        known.until_ms.fill(i64::MIN);
        for (slot, until_ms) in held(row, now) {
            if let Some(known) = known.until_ms.get_mut(slot) {
                *known = until_ms;
            }
        }
    }

    /// A slot is ours until then.
    pub(super) fn renewed(&self, slot: usize, until_ms: i64) {
        self.known.lock().until_ms[slot] = until_ms;
    }

    /// A slot was given back.
    pub(super) fn freed(&self, slot: usize) {
        self.known.lock().until_ms[slot] = i64::MIN;
    }

    /// When the first slot lapses, if none is free. Those that others in this process are about to take count as taken, without
    /// an end that is known.
    pub(super) fn full_until(&self, now: Timestamp) -> Option<i64> {
        let known = self.known.lock();
        let mut earliest = i64::MAX;
        for (until_ms, trying) in known.until_ms.iter().zip(&known.trying) {
            match (*until_ms > now.millis(), *trying) {
                (true, _) => earliest = earliest.min(*until_ms),
                (false, 0) => return None,
                (false, _) => {}
            }
        }
        Some(if earliest == i64::MAX { now.millis() } else { earliest })
    }

    fn attempt(self: &Arc<Self>, slot: usize, token: Token) -> Attempt {
        self.known.lock().trying[slot] += 1;
        Attempt { view: Arc::clone(self), slot, token, is_answered: false }
    }
}

impl Known {
    fn choose(&self, now: Timestamp, entropy: &dyn Entropy) -> usize {
        let mut free = Vec::new();
        let mut earliest: Option<(i64, usize)> = None;
        for (slot, (until_ms, trying)) in self.until_ms.iter().zip(&self.trying).enumerate() {
            if *trying > 0 {
                continue;
            }
            if *until_ms <= now.millis() {
                free.push(slot);
            }
            earliest = Some(earliest.map_or((*until_ms, slot), |other| other.min((*until_ms, slot))));
        }
        // At random, because other processes choose too.
        match (pick(&free, entropy), earliest) {
            (Some(slot), _) | (None, Some((_, slot))) => slot,
            (None, None) => {
                let any: Vec<usize> = (0..self.until_ms.len()).collect();
                pick(&any, entropy).unwrap_or(0)
            }
        }
    }
}

fn pick(slots: &[usize], entropy: &dyn Entropy) -> Option<usize> {
    let count = u128::try_from(slots.len()).ok().filter(|count| *count > 0)?;
    let place = usize::try_from(entropy.bits() % count).ok()?;
    slots.get(place).copied()
}

impl Attempt {
    /// The store said yes or no, or was not reached: there is no ghost.
    pub(super) fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let mut known = self.view.known.lock();
        known.trying[self.slot] -= 1;
        if !self.is_answered && known.ghosts.len() < known.trying.len() {
            known.ghosts.push((self.slot, self.token));
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{SeededEntropy, Value};

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    fn view(limit: usize) -> (Arc<View>, SeededEntropy) {
        (Arc::new(View::new(limit)), SeededEntropy::new(7))
    }

    #[test]
    fn requests_of_one_process_try_for_different_slots() {
        let (view, entropy) = view(8);
        let attempts: Vec<Attempt> = (0..8).map(|_| view.next(NOW, &entropy, [0; 12])).collect();
        let mut slots: Vec<usize> = attempts.iter().map(|attempt| attempt.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..8).collect::<Vec<_>>());
        let ninth = view.next(NOW, &entropy, [0; 12]);
        assert!(ninth.slot < 8, "there is always one to ask about");
        assert_eq!(view.full_until(NOW), Some(1_000));
    }

    #[test]
    fn a_slot_that_seems_free_comes_first_and_then_the_one_that_is_free_first() {
        let (view, entropy) = view(3);
        view.learn(&Item::from([("u0", Value::n(3_000)), ("u2", Value::n(2_000))]), NOW);
        assert_eq!(view.full_until(NOW), None);
        let first = view.next(NOW, &entropy, [0; 12]);
        assert_eq!(first.slot, 1);
        let second = view.next(NOW, &entropy, [0; 12]);
        assert_eq!(second.slot, 2);
        assert_eq!(view.full_until(NOW), Some(2_000));
        assert_eq!(view.full_until(Timestamp::from_millis(3_000)), None);
    }

    #[test]
    fn what_was_not_answered_is_taken_over_once() {
        let (view, entropy) = view(3);
        view.next(NOW, &entropy, [1; 12]).answered();
        let lost = view.next(NOW, &entropy, [2; 12]);
        let slot = lost.slot;
        drop(lost);
        let again = view.first(NOW, &entropy, [3; 12]);
        assert_eq!((again.slot, again.token), (slot, [2; 12]));
        assert_eq!(view.first(NOW, &entropy, [4; 12]).token, [4; 12]);
    }

    #[test]
    fn slots_above_the_limit_are_not_looked_at() {
        let (view, _) = view(2);
        view.learn(
            &Item::from([("u0", Value::n(3_000)), ("u1", Value::n(4_000)), ("u9", Value::n(2_000))]),
            NOW,
        );
        assert_eq!(view.full_until(NOW), Some(3_000));
    }
}
