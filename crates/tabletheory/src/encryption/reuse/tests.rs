//! Each bound holds, alone and when calls meet; nothing wrong is kept.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_executor::block_on;
use tabletheory_core::keys::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, SecretKey};
use tabletheory_core::{ManualClock, Seconds, Timestamp, Value};

use super::{Reuse, ReusedKeys};
use crate::encryption::{Envelope, LocalKeys};

const CONTEXT: KeyContext<'static> = KeyContext { model: "Patient", attribute: "diagnosis" };

/// Local keys that count how often they are asked, and can be away.
#[derive(Debug)]
struct Counted {
    keys: LocalKeys,
    generated: AtomicUsize,
    decrypted: Mutex<Vec<Vec<u8>>>,
    away: AtomicBool,
}

impl Counted {
    fn answer(&self) -> Result<(), KeyError> {
        let away = self.away.load(Ordering::Relaxed);
        if away { Err(KeyError::Unavailable { reason: "away".to_owned() }) } else { Ok(()) }
    }
}

impl KeyProvider for Counted {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        Box::pin(async move {
            self.generated.fetch_add(1, Ordering::Relaxed);
            self.answer()?;
            self.keys.generate(context).await
        })
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], context: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(async move {
            self.decrypted.lock().unwrap().push(encrypted.to_vec());
            self.answer()?;
            self.keys.decrypt(encrypted, context).await
        })
    }
}

struct World {
    provider: Arc<Counted>,
    clock: Arc<ManualClock>,
    keys: ReusedKeys<Arc<Counted>>,
}

impl World {
    fn new(reuse: Reuse) -> Self {
        let provider = Arc::new(Counted {
            keys: LocalKeys::new(1, SecretKey::generate()),
            generated: AtomicUsize::new(0),
            decrypted: Mutex::default(),
            away: AtomicBool::new(false),
        });
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1000)));
        let keys = ReusedKeys::new(Arc::clone(&provider), reuse).with_clock(clock.clone());
        Self { provider, clock, keys }
    }

    fn generate(&self) -> Vec<u8> {
        block_on(self.keys.generate(CONTEXT)).unwrap().encrypted
    }

    fn decrypt(&self, encrypted: &[u8]) -> SecretKey {
        block_on(self.keys.decrypt(encrypted, CONTEXT)).unwrap()
    }

    /// New data keys, past the ones that are kept.
    fn fresh<const N: usize>(&self) -> [Vec<u8>; N] {
        std::array::from_fn(|_| block_on(self.provider.keys.generate(CONTEXT)).unwrap().encrypted)
    }

    fn generated(&self) -> usize {
        self.provider.generated.load(Ordering::Relaxed)
    }

    fn decrypted(&self) -> usize {
        self.provider.decrypted.lock().unwrap().len()
    }
}

fn bounds(uses_max: u32, age_s: u64, keys_max: usize) -> Reuse {
    Reuse { uses_max, age_max: Duration::from_secs(age_s), keys_max }
}

#[test]
fn a_data_key_encrypts_as_many_values_as_it_may_and_no_more() {
    for (uses_max, expected) in [(0, 12), (1, 12), (2, 6), (5, 3), (12, 1), (u32::MAX, 1)] {
        let world = World::new(bounds(uses_max, 60, 1));
        for _ in 0..12 {
            world.generate();
        }
        assert_eq!(world.generated(), expected, "{uses_max} uses");
    }
}

#[test]
fn a_data_key_encrypts_for_as_long_as_it_may_and_no_longer() {
    let world = World::new(bounds(100, 60, 1));
    let first = world.generate();
    world.clock.advance(Seconds(59));
    assert_eq!(world.generate(), first);
    world.clock.advance(Seconds(1));
    let second = world.generate();
    assert_ne!(second, first);
    // A clock that is put back does not bring a longer life.
    world.clock.advance(Seconds(-1));
    assert_ne!(world.generate(), second);
}

#[test]
fn a_decrypted_key_is_found_for_as_long_as_it_may_be() {
    let world = World::new(bounds(1, 60, 10));
    let [one, two] = world.fresh();
    assert_eq!(world.decrypt(&one).expose(), world.decrypt(&one).expose());
    assert_ne!(world.decrypt(&one).expose(), world.decrypt(&two).expose());
    assert_eq!(world.decrypted(), 2);
    world.clock.advance(Seconds(59));
    world.decrypt(&one);
    assert_eq!(world.decrypted(), 2);
    // Its use does not make it younger.
    world.clock.advance(Seconds(1));
    world.decrypt(&one);
    assert_eq!(world.decrypted(), 3);
    assert_eq!(world.keys.kept().len(), (0, 1), "the other one's time is over too");
    world.clock.advance(Seconds(-1));
    world.decrypt(&one);
    assert_eq!(world.decrypted(), 4);
}

#[test]
fn the_key_that_was_not_used_for_the_longest_time_goes_first() {
    let world = World::new(bounds(1, 60, 2));
    let [one, two, three] = world.fresh();
    for key in [&one, &two, &one, &three] {
        world.decrypt(key);
    }
    assert_eq!((world.decrypted(), world.keys.kept().len()), (3, (0, 2)));
    world.decrypt(&one);
    world.decrypt(&three);
    assert_eq!(world.decrypted(), 3, "both are kept");
    world.decrypt(&two);
    assert_eq!(world.decrypted(), 4, "and this one was not");
}

#[test]
fn without_room_nothing_is_kept() {
    let world = World::new(bounds(100, 60, 0));
    let [one] = world.fresh();
    for _ in 0..2 {
        world.decrypt(&one);
        world.generate();
    }
    assert_eq!((world.generated(), world.decrypted(), world.keys.kept().len()), (2, 2, (0, 0)));
}

#[test]
fn no_attribute_is_served_with_the_key_of_another() {
    let world = World::new(bounds(100, 60, 2));
    let contexts =
        [("ab", "c"), ("a", "bc"), ("ab", "d")].map(|(model, attribute)| KeyContext { model, attribute });
    let keys = contexts.map(|context| block_on(world.keys.generate(context)).unwrap().encrypted);
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
    assert_eq!(world.keys.kept().len(), (2, 0), "their number is bounded too");
    assert_eq!(block_on(world.keys.generate(contexts[2])).unwrap().encrypted, keys[2]);

    // Whether a key may be used for an attribute is the provider's to say.
    for context in contexts {
        block_on(world.keys.decrypt(&keys[0], context)).unwrap();
    }
    assert_eq!(world.decrypted(), 3);
}

#[test]
fn a_failure_is_not_kept_and_an_old_key_does_not_help_out() {
    let world = World::new(bounds(100, 60, 10));
    let [one] = world.fresh();
    world.generate();
    world.decrypt(&one);
    world.clock.advance(Seconds(60));
    world.provider.away.store(true, Ordering::Relaxed);
    let away = KeyError::Unavailable { reason: "away".to_owned() };
    assert_eq!(block_on(world.keys.generate(CONTEXT)).unwrap_err(), away);
    assert_eq!(block_on(world.keys.decrypt(&one, CONTEXT)).unwrap_err(), away);
    world.provider.away.store(false, Ordering::Relaxed);
    world.generate();
    world.decrypt(&one);
}

#[test]
fn a_changed_data_key_is_refused_beside_the_kept_one() {
    let world = World::new(Reuse::default());
    let [one] = world.fresh();
    world.decrypt(&one);
    let mut changed = one.clone();
    changed[40] ^= 1;
    for _ in 0..2 {
        let refused = block_on(world.keys.decrypt(&changed, CONTEXT)).unwrap_err();
        assert!(matches!(refused, KeyError::Refused { .. }), "{refused}");
    }
    assert_eq!(world.decrypted(), 3, "a refusal is asked for again");
}

#[test]
fn forgetting_leaves_nothing_and_clones_share_what_is_kept() {
    let world = World::new(Reuse::default());
    let [one] = world.fresh();
    let clone = world.keys.clone();
    let first = world.generate();
    world.decrypt(&one);
    assert_eq!(block_on(clone.generate(CONTEXT)).unwrap().encrypted, first);
    clone.forget();
    assert_ne!(world.generate(), first);
    world.decrypt(&one);
    assert_eq!((world.generated(), world.decrypted()), (2, 2));
}

#[test]
fn values_under_one_data_key_open_with_the_provider_alone() {
    let world = World::new(Reuse::default());
    let values: Vec<Value> = (0..20).map(Value::n).collect();
    let sealed: Vec<Value> =
        values.iter().map(|value| block_on(Envelope::seal(value, CONTEXT, &world.keys)).unwrap()).collect();
    assert_eq!(world.generated(), 1);
    for (value, sealed) in values.iter().zip(&sealed) {
        assert_eq!(block_on(Envelope::open(sealed, CONTEXT, &world.provider.keys)).as_ref(), Ok(value));
        assert_eq!(block_on(Envelope::open(sealed, CONTEXT, &world.keys)).as_ref(), Ok(value));
    }
    assert_eq!(world.decrypted(), 1);
}

#[test]
fn no_use_is_lost_when_calls_meet() {
    let world = World::new(bounds(10, 60, 4));
    let [one, two] = world.fresh();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..250 {
                    world.generate();
                    assert_ne!(world.decrypt(&one).expose(), world.decrypt(&two).expose());
                }
            });
        }
    });
    assert!(world.generated() >= 100, "1000 values need 100 keys of 10 uses: {}", world.generated());
}

#[test]
fn kept_keys_are_not_shown() {
    let world = World::new(Reuse::default());
    let key = block_on(world.keys.generate(CONTEXT)).unwrap();
    let shown = format!("{:?} {:#?}", world.keys, world.keys);
    assert!(
        !shown.contains(&format!("{:?}", key.plaintext.expose())) && !shown.contains("plaintext"),
        "{shown}"
    );
}
