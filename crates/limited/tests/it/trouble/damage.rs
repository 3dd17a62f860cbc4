//! Rows that somebody else wrote into, by mistake or not: a decision is made, the row is mended or counts as full, and nobody is let
//! through uncounted.

use futures_executor::block_on;
use limited::{Calendar, Limit, Limiter, Policy, Source};
use tabletheory_core::store::op::{PutItem, Scan};
use tabletheory_core::{Item, StoreExt as _, Value};

use crate::world::{World, strict};

const TABLE: &str = "rate-limits";

fn rules() -> [(&'static str, Vec<Limit>); 6] {
    let minute = Limit::per_minute(10);
    [
        ("bucket", vec![minute]),
        ("fixed", vec![minute.fixed_window()]),
        ("sliding", vec![minute.sliding_window()]),
        ("log", vec![minute.sliding_log()]),
        ("quota", vec![Limit::quota(10, Calendar::Hour)]),
        ("all", vec![minute, minute.fixed_window(), minute.sliding_window(), minute.sliding_log()]),
    ]
}

fn damages() -> Vec<Value> {
    let number = |text: &str| Value::N(text.parse().unwrap());
    let garbage =
        vec![Value::s("x"), Value::Null, number("-5"), number("1e100"), number("1.5"), Value::L(Vec::new())];
    vec![
        Value::s("12"),
        Value::s("later"),
        Value::Null,
        Value::Bool(true),
        number("-1"),
        number("-1000000"),
        number("1.5"),
        number("1e100"),
        number("-1e100"),
        number("9223372036854775807"),
        number("18446744073709551615"),
        number("99999999999999999999999999999999999999"),
        Value::L(garbage),
        Value::L(Vec::new()),
        Value::L(vec![Value::s("moment"); 300]),
        Value::B(b"bytes".to_vec()),
    ]
}

fn row(world: &World) -> Item {
    let scan = Scan { table: TABLE.to_owned(), ..Scan::default() };
    block_on(world.db.store().scan(scan)).unwrap().items.unwrap().pop().unwrap()
}

fn put(world: &World, item: Item) {
    block_on(world.db.store().put_item(PutItem { table: TABLE.to_owned(), item, ..PutItem::default() }))
        .unwrap();
}

/// How many are allowed of so many.
fn allowed(limiter: &Limiter, policy: &Policy, asked: usize) -> usize {
    let one = |_: &usize| {
        let decision = block_on(limiter.check(policy, "a", 1)).unwrap();
        assert_eq!(decision.source, Source::Store, "the store answered, so the store decided");
        decision.is_allowed()
    };
    (0..asked).filter(one).count()
}

#[test]
fn a_damaged_row_neither_fails_nor_lets_more_through_than_a_new_one() {
    for (name, limits) in rules() {
        let policy = Policy::new(name, limits).unwrap();
        let sample = World::new();
        assert_eq!(allowed(&sample.limiter(strict()), &policy, 3), 3);
        let names: Vec<String> = row(&sample).into_iter().map(|(name, _)| name.as_str().to_owned()).collect();
        for attribute in names.iter().filter(|name| !["Identifier", "WindowTime"].contains(&name.as_str())) {
            for damage in damages() {
                for remembers in [true, false] {
                    let world = World::new();
                    let limiter = world.limiter(strict());
                    assert_eq!(allowed(&limiter, &policy, 3), 3);
                    let mut item = row(&world);
                    item.insert(attribute.as_str(), damage.clone());
                    put(&world, item);
                    let limiter = if remembers { limiter } else { world.limiter(strict()) };
                    let case = format!("{name}: {attribute} is {damage:?}, remembered {remembers}");
                    println!("{case}");
                    let more = allowed(&limiter, &policy, 15);
                    // One may pass before the damage is seen.
                    assert!(more <= 11, "{case}: {more} more were allowed");
                    // Two periods later nothing of it is left.
                    world.pass_ms(if name == "quota" { 3_600_000 } else { 240_000 });
                    assert_eq!(allowed(&limiter, &policy, 15), 10, "{case}: it is mended");
                }
            }
        }
    }
}

#[test]
fn a_row_of_another_policy_shape_is_counted_beside_not_over() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let before = Policy::new("api", [Limit::per_minute(10).sliding_window()]).unwrap();
    assert_eq!(allowed(&limiter, &before, 6), 6);
    let after = Policy::new("api", [Limit::per_minute(8).sliding_window(), Limit::per_hour(100)]).unwrap();
    assert_eq!(allowed(&limiter, &after, 15), 2, "what was counted stays counted when an amount changes");
}
