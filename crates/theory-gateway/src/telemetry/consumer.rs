//! Who asks most, among those who are limited: counted in bounded room, so that a flood of strangers pushes out only
//! strangers. Whoever takes the place of another inherits its count, which is therefore too high by `off_by` at most.

use std::hash::{BuildHasher, RandomState};

use parking_lot::Mutex;
use tabletheory_core::Timestamp;

/// The table is divided so that threads seldom wait for each other.
const PARTS: usize = 8;
/// Consumers in each part.
const CONSUMERS_MAX: usize = 64;
/// What is longer is cut.
const NAME_CHARS_MAX: usize = 128;
/// After so long what was counted is old, and after twice as long forgotten.
const AGE_MS: i64 = 600_000;

/// Somebody who is limited, and how often they asked in the last ten to twenty minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consumer {
    /// The policy.
    pub policy: String,
    /// Who.
    pub id: String,
    /// How often they asked.
    pub asked: u64,
    /// How often they were refused.
    pub denied: u64,
    /// By how much `asked` may be too high.
    pub off_by: u64,
}

/// Counts who asks most.
#[derive(Debug)]
pub(super) struct Consumers {
    hashes: RandomState,
    parts: [Mutex<Part>; PARTS],
    turned_ms: Mutex<i64>,
}

/// What is counted now, and what was before.
#[derive(Debug, Default)]
struct Part {
    young: Vec<(u64, Consumer)>,
    old: Vec<(u64, Consumer)>,
}

impl Consumers {
    pub(super) fn new(now: Timestamp) -> Self {
        let parts = [const { Mutex::new(Part { young: Vec::new(), old: Vec::new() }) }; PARTS];
        Self { hashes: RandomState::new(), parts, turned_ms: Mutex::new(now.millis()) }
    }

    /// Counts that somebody asked.
    pub(super) fn asked(&self, policy: &str, id: &str, is_denied: bool) {
        let hash = self.hashes.hash_one((policy, id));
        let part = usize::try_from(hash % PARTS as u64).expect("it is below 8");
        self.parts[part].lock().count(hash, policy, id, u64::from(is_denied));
    }

    /// Time has passed.
    pub(super) fn tick(&self, now: Timestamp) {
        let mut turned_ms = self.turned_ms.lock();
        if (0..AGE_MS).contains(&now.millis().saturating_sub(*turned_ms)) {
            return;
        }
        *turned_ms = now.millis();
        for part in &self.parts {
            let mut part = part.lock();
            part.old = std::mem::take(&mut part.young);
        }
    }

    /// Who asked most, most first.
    pub(super) fn top(&self, limit: usize) -> Vec<Consumer> {
        let mut all: Vec<Consumer> = Vec::new();
        for part in &self.parts {
            let part = part.lock();
            let mut sums = part.young.clone();
            for (hash, before) in &part.old {
                match sums.iter_mut().find(|(other, _)| other == hash) {
                    Some((_, consumer)) => {
                        consumer.asked += before.asked;
                        consumer.denied += before.denied;
                        consumer.off_by += before.off_by;
                    }
                    None => sums.push((*hash, before.clone())),
                }
            }
            all.extend(sums.into_iter().map(|(_, consumer)| consumer));
        }
        all.sort_by(|one, other| {
            (other.asked, &one.policy, &one.id).cmp(&(one.asked, &other.policy, &other.id))
        });
        all.truncate(limit);
        all
    }
}

impl Part {
    fn count(&mut self, hash: u64, policy: &str, id: &str, denied: u64) {
        if let Some((_, consumer)) = self.young.iter_mut().find(|(other, _)| *other == hash) {
            consumer.asked += 1;
            consumer.denied += denied;
            return;
        }
        let named = |off_by: u64| Consumer {
            policy: policy.to_owned(),
            id: id.chars().take(NAME_CHARS_MAX).collect(),
            asked: off_by + 1,
            denied,
            off_by,
        };
        if self.young.len() < CONSUMERS_MAX {
            self.young.push((hash, named(0)));
        } else if let Some(least) = self.young.iter_mut().min_by_key(|(_, consumer)| consumer.asked) {
            *least = (hash, named(least.1.asked));
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::Seconds;

    use super::*;

    #[test]
    fn a_flood_of_strangers_does_not_hide_who_asks_most() {
        let consumers = Consumers::new(Timestamp::from_seconds(0));
        for number in 0..20_000 {
            consumers.asked("api", &format!("ip:{number}"), false);
            if number % 10 == 0 {
                consumers.asked("api", "ip:greedy", number % 20 == 0);
            }
        }
        let top = consumers.top(3);
        assert_eq!(top[0].id, "ip:greedy");
        assert!(top[0].asked >= 2000 && top[0].asked - top[0].off_by <= 2000);
        assert!(consumers.top(usize::MAX).len() <= PARTS * CONSUMERS_MAX);
    }

    #[test]
    fn what_is_old_is_forgotten() {
        let start = Timestamp::from_seconds(0);
        let consumers = Consumers::new(start);
        consumers.asked("api", "ip:1", true);
        consumers.tick(start + Seconds(601));
        consumers.asked("api", "ip:1", false);
        assert_eq!((consumers.top(1)[0].asked, consumers.top(1)[0].denied), (2, 1));
        consumers.tick(start + Seconds(1202));
        consumers.tick(start + Seconds(1803));
        assert!(consumers.top(1).is_empty());
    }
}
