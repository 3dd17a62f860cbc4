//! A model of the engine, a few ordered maps, and random walks that ask both the same things: every answer must be the
//! same, and so must everything that is stored. `THEORY_SEED=… cargo test` repeats one walk.

mod changes;
mod definitions;
pub(crate) mod dice;
mod history;
mod pages;
mod reference;
mod requests;
mod sweeps;
mod table;
mod values;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tabletheory_core::store::op::{BatchWrite, BatchWriteItem};
use tabletheory_core::{Item, Value};
use tabletheory_engine::Durability;

use walk::{Ground, Walk, sight};

/// What a few walks together see.
const SIGHTS: [&str; 14] = [
    "ConditionalCheckFailedException",
    "IdempotentParameterMismatchException",
    "ResourceNotFoundException",
    "TransactionCanceledException",
    "ValidationException",
    sight::EXPIRED,
    sight::FILLED,
    sight::FORGOTTEN,
    sight::FULL_PAGE,
    sight::LATE_ITERATOR,
    sight::REPLAY,
    sight::SPENT,
    sight::TRIMMED,
    sight::YESTERDAY,
];

/// Walks once for each seed, or once for the seed that the environment gives.
fn walk(ground: Ground, seeds: Range<u64>, operations: u64, sights: &[&str]) {
    if let Ok(seed) = std::env::var("THEORY_SEED") {
        let seed = seed.parse().expect("THEORY_SEED is a number");
        Walk::begin(seed, ground).run(operations);
        return;
    }
    let mut seen = BTreeSet::new();
    for seed in seeds {
        println!("a walk with THEORY_SEED={seed} on {ground:?}");
        seen.extend(Walk::begin(seed, ground).run(operations));
    }
    for sight in sights {
        assert!(seen.contains(sight), "the walks have seen {sight}: {seen:?}");
    }
}

#[test]
fn the_engine_in_memory_does_what_the_model_does() {
    walk(Ground::Memory, 0..6, 2500, &SIGHTS);
}

#[test]
fn the_engine_on_disk_does_what_the_model_does() {
    walk(Ground::Disk(Durability::Memory), 10..13, 2500, &[sight::LATE_REPLAY]);
}

#[test]
fn the_engine_that_syncs_now_and_then_does_what_the_model_does() {
    walk(Ground::Disk(Durability::Interval(20)), 20..21, 2000, &[]);
}

#[test]
fn the_engine_that_syncs_every_write_does_what_the_model_does() {
    walk(Ground::Disk(Durability::Sync), 30..31, 1500, &[]);
}

/// A step of upkeep looks at some hundred rows. Tables, streams and new indexes larger than that take several, and
/// the folder may be closed in between.
#[test]
fn upkeep_gets_through_more_than_one_step() {
    let mut walk = Walk::begin(40, Ground::Disk(Durability::Memory));
    let now = walk.model.now.seconds();
    let item = |number: i64| {
        let text = |prefix: &str, modulus: i64| Value::s(format!("{prefix}{}", number % modulus));
        let mut item = Item::from([("pk", text("p", 7)), ("sk", text("s", 10_000)), ("color", text("c", 3))]);
        if number % 3 > 0 {
            item.insert(definitions::TTL, now + number % 2 * 100_000);
        }
        item
    };
    for numbers in (0..1800).collect::<Vec<_>>().chunks(25) {
        let writes = numbers.iter().map(|number| BatchWrite::Put(item(*number))).collect();
        let tables = BTreeMap::from([("words".to_owned(), writes)]);
        walk.send(BatchWriteItem { tables, ..BatchWriteItem::default() }).expect("a batch");
    }
    walk.switch_index("words", "extra");
    assert!(walk.engine().upkeep().expect("a step").more, "one step is not enough");
    walk.reopen();
    walk.upkeep();
    walk.check_everything();
    walk.advance(1);
    walk.upkeep();
    walk.check_everything();
    walk.advance(24 * 3600);
    walk.upkeep();
    walk.check_everything();
}
