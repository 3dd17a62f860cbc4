//! One test for each defect that no wider test shows: the story of the bug, and what happens here.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_executor::block_on;
use limited::{Calendar, Limit, Limiter, LimiterSettings, OnFailure, Policy, Source, Subject};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::expr::Action;
use tabletheory_core::store::op::{Scan, UpdateItem};
use tabletheory_core::{Item, Request, StoreExt as _, Value};

use crate::limiter::{rules, used};
use crate::world::{World, check, strict};

fn policy(name: &str, limits: &[Limit]) -> Policy {
    Policy::new(name, limits.to_vec()).unwrap()
}

fn rows(world: &World) -> Vec<Item> {
    let scan = Scan { table: "rate-limits".to_owned(), ..Scan::default() };
    block_on(world.db.store().scan(scan)).unwrap().items.unwrap()
}

/// G19, §6.8: the limiter compared only the newest part of a window with the whole limit: 10 in 10 minutes let 100 through.
#[test]
fn ten_in_ten_minutes_are_ten_however_they_are_spread() {
    let ten = Limit::per(10, Duration::from_secs(600));
    for limit in [ten.sliding_window(), ten.sliding_log()] {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = policy("p", &[limit]);
        let mut allowed = 0;
        for _ in 0..600 {
            allowed += u64::from(check(&limiter, &policy, "a", 1).is_allowed());
            world.pass_ms(999);
        }
        assert_eq!(allowed, 10, "{}", limit.text());
    }
}

/// G20: of several windows, the use was told as nothing, and the tightest was not the one that was kept.
#[test]
fn every_limit_of_several_is_kept_and_told() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let policy = policy(
        "p",
        &[
            Limit::per_minute(5).fixed_window(),
            Limit::per_hour(8).fixed_window(),
            Limit::quota(9, Calendar::Day),
        ],
    );
    let drain = || (0..20).filter(|_| check(&limiter, &policy, "a", 1).is_allowed()).count();
    assert_eq!(drain(), 5);
    assert_eq!(used(&limiter, &policy, "a"), [5, 5, 5]);
    world.pass_ms(60_000);
    assert_eq!(drain(), 3);
    assert_eq!(used(&limiter, &policy, "a"), [3, 8, 8]);
    world.pass_ms(3_600_000);
    assert_eq!(drain(), 1);
    assert_eq!(used(&limiter, &policy, "a"), [1, 1, 9]);
}

/// G21: a minute and an hour that begin together had one key, and counted each other's requests.
#[test]
fn limits_of_other_lengths_never_share_a_count() {
    let world = World::new();
    let limiter = world.limiter(strict());
    // The clock stands at the beginning of a year, so all windows begin now.
    let hour = Duration::from_secs(3_600);
    let limits = [
        Limit::per_minute(10).fixed_window(),
        Limit::per(10, hour).fixed_window(),
        Limit::quota(10, Calendar::Hour),
        Limit::quota(10, Calendar::Day),
        Limit::per_minute(10).sliding_window(),
        Limit::per(10, hour).sliding_window(),
        Limit::per_minute(10),
        Limit::per(10, hour),
        Limit::per_minute(10).sliding_log(),
        Limit::per(10, hour).sliding_log(),
    ];
    for limit in limits {
        assert!(check(&limiter, &policy("p", &[limit]), "a", 10).is_allowed(), "{}", limit.text());
    }
    let all = policy("all", &limits);
    assert!(check(&limiter, &all, "a", 10).is_allowed() && !check(&limiter, &all, "a", 1).is_allowed());
}

/// G22, F28: Go wrote `count` and `ttl`, the others `Count` and `TTL`; the window was named in local time and with an offset.
#[test]
fn a_window_has_the_attributes_of_the_seed_and_a_name_in_utc() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let subject = Subject::new("user:7").tenant("acme").user("7").address("203.0.113.7");
    let decision =
        block_on(limiter.check(&policy("api", &[Limit::per_minute(10).fixed_window()]), subject, 2)).unwrap();
    assert!(decision.is_allowed());
    let [row] = rows(&world).try_into().unwrap();
    let text = |name: &str| row.get(name).and_then(Value::as_s).unwrap().to_owned();
    assert_eq!(
        (text("Identifier"), text("WindowTime")),
        ("api#user:7".into(), "2024-01-01T00:00:00Z/60000ms".into())
    );
    assert_eq!(
        (text("TenantID"), text("UserID"), text("IPAddress")),
        ("acme".into(), "7".into(), "203.0.113.7".into())
    );
    assert!(text("CreatedAt") == text("UpdatedAt") && text("CreatedAt").starts_with("2024-01-01T00:00:00.0"));
    assert_eq!(text("BucketKey"), "api#user:7");
    assert_eq!(row.get("Count"), Some(&Value::n(2)));
    assert_eq!(row.get("ExpiresAt"), Some(&Value::n(1_704_067_260 + 7_200)));
    assert_eq!(row.iter().count(), 10, "{row:?}");
}

/// G27, F33: 200 in one second for 100 a minute, at the boundary of a fixed window.
#[test]
fn at_a_boundary_only_a_fixed_window_doubles() {
    let minute = Limit::per_minute(100);
    let cases = [
        (minute.fixed_window(), 200),
        (minute.sliding_window(), 101),
        (minute.sliding_log(), 100),
        // The bucket gives back 100 in 60 s, so 1 in this time.
        (minute, 101),
    ];
    for (limit, most) in cases {
        let world = World::new();
        world.pass_ms(59_500);
        let limiter = world.limiter(strict());
        let policy = policy("p", &[limit]);
        let mut allowed = 0;
        for _ in 0..1_000 {
            allowed += u64::from(check(&limiter, &policy, "a", 1).is_allowed());
            world.pass_ms(1);
        }
        assert!((100..=most).contains(&allowed), "{}: {allowed}", limit.text());
    }
}

/// G28: the table's time to live named another attribute than the rows had, so they stayed for ever.
#[test]
fn rows_expire_by_the_attribute_that_the_table_names_and_not_while_they_count() {
    for policy in rules(5) {
        let store = TestStore::new();
        let limiter = Limiter::new(store.db()).with_settings(strict()).unwrap();
        block_on(limiter.create_table()).unwrap();
        let count = || {
            let scan = Scan { table: "rate-limits".to_owned(), ..Scan::default() };
            block_on(store.scan(scan)).unwrap().items.unwrap().len()
        };
        assert!(check(&limiter, &policy, "a", 5).is_allowed());
        // To the end of the hour or the day in which it counts, and then for long enough.
        store.advance(tabletheory_core::Seconds(3_500));
        assert_eq!(count(), 1, "{}", policy.name());
        store.advance(tabletheory_core::Seconds(5 * 86_400));
        assert_eq!(count(), 0, "{} is forgotten", policy.name());
    }
}

/// F28: `…00.5Z` comes before `…00Z` by its letters. What decides here is a number; text only names windows.
#[test]
fn moments_that_decide_are_numbers() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let several = rules(5).pop().unwrap();
    assert!(check(&limiter, &several, "a", 1).is_allowed());
    let [row] = rows(&world).try_into().unwrap();
    for (name, value) in row.iter().filter(|(name, _)| !["Identifier", "WindowTime"].contains(name)) {
        let is_number = match value {
            Value::L(moments) => moments.iter().all(|moment| moment.as_n().is_some()),
            value => value.as_n().is_some(),
        };
        assert!(is_number, "{name} is {value:?}");
    }
}

fn updates(store: &TestStore) -> Vec<UpdateItem> {
    let update = |call| if let Request::UpdateItem(update) = call { Some(*update) } else { None };
    store.calls().into_iter().filter_map(update).collect()
}

/// F29, §6.1: `ADD Count` and `SET Count = if_not_exists(…)` in one expression: «Two document paths overlap».
#[test]
fn no_request_changes_an_attribute_twice() {
    for policy in rules(5) {
        let store = TestStore::new();
        let limiter = Limiter::new(store.db()).with_settings(strict()).unwrap();
        block_on(limiter.create_table()).unwrap();
        for _ in 0..8 {
            let _ = check(&limiter, &policy, "a", 1);
            store.advance(tabletheory_core::Seconds(1_000));
        }
        block_on(block_on(limiter.reserve(&policy, "b", 2)).unwrap().settle(1)).unwrap();
        for update in updates(&store) {
            let actions = update.update.unwrap().actions;
            let paths = actions.iter().map(|action| match action {
                Action::Set(path, _)
                | Action::Add(path, _)
                | Action::Delete(path, _)
                | Action::Remove(path) => path.to_string(),
            });
            let names: BTreeSet<String> = paths.collect();
            assert_eq!(names.len(), actions.len(), "{}: {actions:?}", policy.name());
        }
    }
}

/// F30, §6.2: `Count < limit` is false of a row that is not there, so the first request of every window was denied, and with it all.
#[test]
fn the_first_request_of_a_window_is_allowed_by_every_rule() {
    for policy in rules(1) {
        let world = World::new();
        let limiter = world.limiter(strict());
        for window in 0..3 {
            assert!(check(&limiter, &policy, "a", 1).is_allowed(), "{} in window {window}", policy.name());
            assert!(!check(&limiter, &policy, "a", 1).is_allowed(), "{} in window {window}", policy.name());
            world.pass_ms(2 * 86_400_000);
        }
    }
}

/// F31: an index refuses an empty key, and with it the whole request.
#[test]
fn nobody_is_written_as_an_empty_key() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let subject = Subject::new("a").tenant("").user("").address("");
    for policy in rules(5) {
        assert!(block_on(limiter.check(&policy, subject, 1)).unwrap().is_allowed());
    }
    for row in rows(&world) {
        assert!(row.iter().all(|(_, value)| value.as_s() != Some("")), "{row:?}");
        assert!(!row.contains("TenantID") && !row.contains("UserID") && !row.contains("IPAddress"));
    }
}

/// F32: a charge was sent again when its answer was lost, and counted twice.
#[test]
fn a_charge_whose_answer_is_lost_is_sent_once() {
    for policy in rules(5) {
        let store = TestStore::new();
        let limiter = Limiter::new(store.db()).with_settings(strict()).unwrap();
        block_on(limiter.create_table()).unwrap();
        store.trouble("UpdateItem", Trouble::LostAnswer);
        assert_eq!(check(&limiter, &policy, "a", 1).source, Source::FailedClosed);
        assert_eq!((updates(&store).len(), used(&limiter, &policy, "a")[0]), (1, 1), "{}", policy.name());
    }
}

/// §6.5: the whole window before was added, so that a saturated limiter gave half of its limit.
#[test]
fn a_saturated_sliding_window_gives_its_whole_limit() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let policy = policy("p", &[Limit::per_minute(60).sliding_window()]);
    let mut allowed = 0;
    // Twice what is allowed, for ten minutes.
    for _ in 0..1_200 {
        allowed += u64::from(check(&limiter, &policy, "a", 1).is_allowed());
        world.pass_ms(500);
    }
    assert!((570..=630).contains(&allowed), "{allowed} in ten minutes");
}

/// §6.10: burst, soft limits and consistent reads were settings that nobody read.
#[test]
fn every_setting_and_the_burst_change_what_happens() {
    let allowed = |limit: Limit| {
        let limiter = World::new().limiter(strict());
        (0..50).filter(|_| check(&limiter, &policy("p", &[limit]), "a", 1).is_allowed()).count()
    };
    assert_eq!((allowed(Limit::per_second(5)), allowed(Limit::per_second(5).burst(9))), (5, 9));

    let sources = |settings: LimiterSettings, passes_ms: i64| {
        let store = TestStore::new();
        let limiter = Limiter::new(store.db()).with_settings(settings).unwrap();
        block_on(limiter.create_table()).unwrap();
        store.trouble("UpdateItem", Trouble::NotReached);
        let spent = policy("p", &[Limit::per_hour(1)]);
        let first = check(&limiter, &spent, "a", 1).source;
        let clock = store.clock();
        clock.set(tabletheory_core::Timestamp::from_millis(
            tabletheory_core::Clock::now(&*clock).millis() + passes_ms,
        ));
        let second = check(&limiter, &spent, "a", 1).source;
        let (_, fourth) = (check(&limiter, &spent, "a", 1), check(&limiter, &spent, "a", 1).source);
        (first, second, fourth)
    };
    let closed = LimiterSettings { on_failure: OnFailure::Closed, ..LimiterSettings::default() };
    assert_eq!(
        sources(closed.clone(), 0),
        (Source::FailedClosed, Source::FailedClosed, Source::FailedClosed)
    );
    assert_eq!(sources(closed.clone(), 1_000), (Source::FailedClosed, Source::Store, Source::DenyCache));
    let hasty = LimiterSettings { pause: Duration::ZERO, deny_cache: Duration::ZERO, ..closed };
    assert_eq!(sources(hasty, 0), (Source::FailedClosed, Source::Store, Source::Store));
    let open = LimiterSettings { on_failure: OnFailure::Open, ..LimiterSettings::default() };
    assert_eq!(sources(open, 0).0, Source::FailedOpen);
}
