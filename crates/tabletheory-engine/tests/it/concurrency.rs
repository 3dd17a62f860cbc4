//! Many threads on one engine: no update is lost, no transaction is seen by halves, and a read sees every write that
//! was acknowledged before it began.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use tabletheory_core::expr::{
    Action, Comparator, Condition, KeyCondition, Path, SetOperand, SetValue, Update,
};
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, Projection,
};
use tabletheory_core::store::op::{
    CreateTable, DeleteItem, DescribeTable, GetItem, GlobalIndexUpdate, OnConditionFailure, PutItem, Query,
    ReturnValues, Scan, TransactAction, TransactGet, TransactGetItems, TransactWrite, TransactWriteItems,
    UpdateItem, UpdateTable, WriteReturns,
};
use tabletheory_core::{Item, Number, StoreError, Value};
use tabletheory_engine::{Durability, Engine, Settings};
use tempfile::TempDir;

use crate::model::dice::Dice;

const TABLE: &str = "accounts";
const BY_KIND: &str = "by_kind";

/// An engine in a folder of its own, with an empty table.
struct Bench {
    engine: Engine,
    _folder: TempDir,
}

impl Bench {
    fn new(durability: Durability, item_cache_bytes: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let settings =
            Settings { durability, item_cache_bytes, write_buffer_bytes: 256 * 1024, ..Settings::default() };
        let engine = Engine::open(folder.path(), settings).expect("an empty folder opens");
        let attribute = |name: &str| AttributeDefinition { name: name.to_owned(), kind: KeyType::S };
        engine
            .run(CreateTable {
                table: TABLE.to_owned(),
                attributes: vec![attribute("pk"), attribute("sk"), attribute("kind")],
                keys: vec![KeyElement::hash("pk"), KeyElement::range("sk")],
                global_indexes: vec![by_kind(BY_KIND)],
                billing: BillingMode::PayPerRequest,
                ..CreateTable::default()
            })
            .expect("the table can be made");
        Self { engine, _folder: folder }
    }

    /// The value of an item's counter.
    fn read(&self, key: &Item) -> i64 {
        let get =
            GetItem { table: TABLE.to_owned(), key: key.clone(), consistent: true, ..GetItem::default() };
        value_of(self.engine.run(get).expect("a read").item.as_ref())
    }

    fn add(&self, key: &Item, amount: i64) -> i64 {
        let returns = WriteReturns { values: ReturnValues::AllNew, ..WriteReturns::default() };
        let update = Some(plus(amount));
        let request = UpdateItem {
            table: TABLE.to_owned(),
            key: key.clone(),
            update,
            returns,
            ..UpdateItem::default()
        };
        value_of(self.engine.run(request).expect("an update").attributes.as_ref())
    }

    /// All counters as of one moment, by one of the operations that promise that.
    fn read_together(&self, keys: &[Item], way: u64) -> Vec<i64> {
        let table = || TABLE.to_owned();
        let items = match way {
            0 => {
                let get = |key: &Item| TransactGet { table: table(), key: key.clone(), projection: None };
                let gets = keys.iter().map(get).collect();
                let request = TransactGetItems { gets, ..TransactGetItems::default() };
                self.engine.run(request).expect("a transaction").items.into_iter().flatten().collect()
            }
            1 => {
                let key_condition = KeyCondition::partition("pk", "bank");
                let request = Query { table: table(), key_condition, ..Query::default() };
                self.engine.run(request).expect("a query").items.expect("items")
            }
            2 => {
                let key_condition = KeyCondition::partition("kind", "account");
                let index = Some(BY_KIND.to_owned());
                let request = Query { table: table(), index, key_condition, ..Query::default() };
                self.engine.run(request).expect("a query of the index").items.expect("items")
            }
            _ => {
                let request = Scan { table: table(), ..Scan::default() };
                self.engine.run(request).expect("a scan").items.expect("items")
            }
        };
        assert_eq!(items.len(), keys.len(), "every account is seen, in way {way}");
        items.iter().map(|item| value_of(Some(item))).collect()
    }
}

fn by_kind(name: &str) -> GlobalIndex {
    let keys = vec![KeyElement::hash("kind")];
    GlobalIndex { name: name.to_owned(), keys, projection: Projection::All, throughput: None }
}

fn key(number: usize) -> Item {
    Item::from([("pk", Value::s("bank")), ("sk", Value::s(format!("{number:03}")))])
}

fn value_of(item: Option<&Item>) -> i64 {
    item.and_then(|item| item.get("value")).and_then(Value::as_n).and_then(Number::to_i64).unwrap_or(0)
}

fn plus(amount: i64) -> Update {
    let kind = SetValue::Operand(SetOperand::Value(Value::s("account")));
    Update { actions: vec![Action::Add("value".into(), Value::n(amount)), Action::Set("kind".into(), kind)] }
}

fn compare(comparator: Comparator, value: i64) -> Condition {
    Condition::Compare(Path::from("value").into(), comparator, Value::n(value).into())
}

/// Tells the readers that the writers are done, even if one of them panicked.
struct Done<'d>(&'d AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs writers and readers until the writers are done. Both are given their number.
fn contend(writers: u64, write: impl Fn(u64) + Sync, readers: u64, read: impl Fn(u64, &mut Dice) + Sync) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for reader in 0..readers {
            let (done, read) = (&done, &read);
            scope.spawn(move || {
                let mut dice = Dice::new(reader);
                while !done.load(Ordering::SeqCst) {
                    read(reader, &mut dice);
                }
            });
        }
        let _done = Done(&done);
        let handles: Vec<_> = (0..writers)
            .map(|writer| {
                let write = &write;
                scope.spawn(move || write(writer))
            })
            .collect();
        for handle in handles {
            handle.join().expect("a writer keeps its word");
        }
    });
}

#[test]
fn conditional_counters_lose_no_update() {
    const THREADS: u64 = 8;
    const ROUNDS: i64 = 40;
    let bench = Bench::new(Durability::Sync, 1024 * 1024);
    let keys: Vec<Item> = (0..3).map(key).collect();
    for key in &keys {
        bench.add(key, 0);
    }
    let write = |writer: u64| {
        let mut dice = Dice::new(writer);
        for _ in 0..ROUNDS {
            let key = dice.pick(&keys);
            loop {
                let seen = bench.read(key);
                let request = UpdateItem {
                    table: TABLE.to_owned(),
                    key: key.clone(),
                    update: Some(plus(1)),
                    condition: Some(compare(Comparator::Eq, seen)),
                    ..UpdateItem::default()
                };
                match bench.engine.run(request) {
                    Ok(_) => break,
                    Err(StoreError::ConditionalCheckFailed { .. }) => {}
                    Err(other) => panic!("a counter failed: {other}"),
                }
            }
        }
    };
    contend(THREADS, write, 0, |_, _| {});
    let total: i64 = keys.iter().map(|key| bench.read(key)).sum();
    assert_eq!(total, i64::try_from(THREADS).unwrap() * ROUNDS, "every round added one");
}

/// Moves money between accounts in transactions, some of them sent twice, while readers count it.
fn transfers_preserve_the_sum(durability: Durability, item_cache_bytes: u64, rounds: u64) {
    const ACCOUNTS: usize = 8;
    const START: i64 = 100;
    let bench = Bench::new(durability, item_cache_bytes);
    let keys: Vec<Item> = (0..ACCOUNTS).map(key).collect();
    for key in &keys {
        bench.add(key, START);
    }
    let total = START * i64::try_from(ACCOUNTS).unwrap();
    let write = |writer: u64| {
        let mut dice = Dice::new(100 + writer);
        for round in 0..rounds {
            let pair = dice.some(&keys, 2, 2);
            let amount = dice.between(1, 60);
            let change = |key: &Item, amount: i64, condition: Option<Condition>| TransactWrite {
                table: TABLE.to_owned(),
                action: TransactAction::Update { key: key.clone(), update: plus(amount) },
                condition,
                on_condition_failure: Default::default(),
            };
            let covered = compare(Comparator::Ge, amount);
            let request = TransactWriteItems {
                writes: vec![change(pair[0], -amount, Some(covered)), change(pair[1], amount, None)],
                client_request_token: Some(format!("{writer}-{round}")),
                ..TransactWriteItems::default()
            };
            // The same again, as a client does that missed the answer: it must not move the money twice.
            let again = dice.chance(30).then(|| request.clone());
            match bench.engine.run(request) {
                Ok(_) => again.into_iter().for_each(|again| drop(bench.engine.run(again).expect("a replay"))),
                Err(StoreError::TransactionCanceled { .. }) => {}
                Err(other) => panic!("a transfer failed: {other}"),
            }
        }
    };
    let read = |_, dice: &mut Dice| {
        let way = dice.below(4);
        let values = bench.read_together(&keys, way);
        assert_eq!(values.iter().sum::<i64>(), total, "the money of all accounts, in way {way}: {values:?}");
        assert!(values.iter().all(|value| *value >= 0), "no account is overdrawn: {values:?}");
    };
    contend(6, write, 2, read);
    for way in 0..4 {
        assert_eq!(bench.read_together(&keys, way).iter().sum::<i64>(), total);
    }
    assert_eq!(keys.iter().map(|key| bench.read(key)).sum::<i64>(), total);
}

#[test]
fn transfers_preserve_the_sum_when_every_write_is_synced() {
    transfers_preserve_the_sum(Durability::Sync, 1024 * 1024, 40);
}

#[test]
fn transfers_preserve_the_sum_when_callers_write_themselves() {
    transfers_preserve_the_sum(Durability::Memory, 2 * 1024, 150);
}

/// Two items change together. Who reads one and then the other never sees the first newer than the second.
fn pairs_are_never_seen_by_halves(durability: Durability, item_cache_bytes: u64, rounds: u64) {
    let bench = Bench::new(durability, item_cache_bytes);
    let pair = [key(0), key(1)];
    let write = |_| {
        for _ in 0..rounds {
            let change = |key: &Item| TransactWrite {
                table: TABLE.to_owned(),
                action: TransactAction::Update { key: key.clone(), update: plus(1) },
                condition: None,
                on_condition_failure: Default::default(),
            };
            let writes = pair.iter().map(change).collect();
            let request = TransactWriteItems { writes, ..TransactWriteItems::default() };
            bench.engine.run(request).expect("both can be changed");
        }
    };
    let read = |reader: u64, dice: &mut Dice| {
        let (one, other) = if reader.is_multiple_of(2) { (0, 1) } else { (1, 0) };
        let first = bench.read(&pair[one]);
        let second = bench.read(&pair[other]);
        assert!(second >= first, "half a transaction was seen: {first} and then {second}");
        // Other keys push the pair out of a small cache.
        bench.read(&key(10 + dice.index(40)));
    };
    contend(4, write, 4, read);
    assert_eq!(bench.read(&pair[0]), 4 * i64::try_from(rounds).unwrap());
    assert_eq!(bench.read(&pair[1]), 4 * i64::try_from(rounds).unwrap());
}

#[test]
fn pairs_are_never_seen_by_halves_when_every_write_is_synced() {
    pairs_are_never_seen_by_halves(Durability::Sync, 1024 * 1024, 60);
}

#[test]
fn pairs_are_never_seen_by_halves_when_callers_write_themselves() {
    for item_cache_bytes in [0, 2 * 1024, 1024 * 1024] {
        pairs_are_never_seen_by_halves(Durability::Memory, item_cache_bytes, 150);
    }
}

/// Hot keys: the engine answers from its cache, and must never answer with less than was acknowledged.
fn reads_see_acknowledged_writes(durability: Durability, item_cache_bytes: u64, rounds: u64) {
    const HOT: usize = 3;
    let bench = Bench::new(durability, item_cache_bytes);
    let keys: Vec<Item> = (0..HOT).map(key).collect();
    let acknowledged: Vec<AtomicI64> = keys.iter().map(|_| AtomicI64::new(0)).collect();
    let write = |writer: u64| {
        let mut dice = Dice::new(200 + writer);
        for _ in 0..rounds {
            let at = dice.index(HOT);
            acknowledged[at].fetch_max(bench.add(&keys[at], 1), Ordering::SeqCst);
        }
    };
    let read = |_, dice: &mut Dice| {
        let at = dice.index(HOT);
        let floor = acknowledged[at].load(Ordering::SeqCst);
        let mut last = floor;
        for _ in 0..5 {
            let value = bench.read(&keys[at]);
            assert!(
                value >= last,
                "a read went back from {last} to {value}; {floor} was acknowledged before"
            );
            last = value;
        }
        bench.read(&key(10 + dice.index(40)));
    };
    contend(4, write, 4, read);
    let stored = bench.read_together(&keys, 0);
    let cached: Vec<i64> = keys.iter().map(|key| bench.read(key)).collect();
    assert_eq!(cached, stored, "the cache has what the storage has");
    assert_eq!(cached.iter().sum::<i64>(), 4 * i64::try_from(rounds).unwrap());
}

#[test]
fn reads_see_acknowledged_writes_when_every_write_is_synced() {
    reads_see_acknowledged_writes(Durability::Sync, 1024 * 1024, 60);
}

#[test]
fn reads_see_acknowledged_writes_when_callers_write_themselves() {
    for item_cache_bytes in [0, 2 * 1024, 1024 * 1024] {
        reads_see_acknowledged_writes(Durability::Memory, item_cache_bytes, 250);
    }
}

/// Partitions that are queried more often than they are written: the engine answers from runs that it keeps, of the table and of its
/// index. Whoever has seen a write in one partition must see it, and all before it, in the others.
fn repeated_queries_see_acknowledged_writes(durability: Durability, item_cache_bytes: u64, rounds: i64) {
    let bench = Bench::new(durability, item_cache_bytes);
    let key = |pk: &str| Item::from([("pk", Value::s(pk)), ("sk", Value::s("counter"))]);
    let (acknowledged, queries, given_up) = (AtomicI64::new(0), AtomicI64::new(0), AtomicBool::new(false));
    let write = |_| {
        for round in 1..=rounds {
            let writes = ["left", "right"].map(|pk| add_one(key(pk))).into();
            let both = TransactWriteItems { writes, ..TransactWriteItems::default() };
            bench.engine.run(both).expect("a write");
            // One row alone goes another way through the cache than several.
            bench.engine.run(count_up(key("alone"))).expect("a write");
            acknowledged.store(round, Ordering::SeqCst);
            let until = queries.load(Ordering::SeqCst) + 12;
            while queries.load(Ordering::SeqCst) < until && !given_up.load(Ordering::SeqCst) {
                thread::yield_now();
            }
        }
    };
    let query = |index: Option<&str>, name: &str, value: &str| {
        let key_condition = KeyCondition::partition(name, value);
        let index = index.map(str::to_owned);
        let request = Query { table: TABLE.to_owned(), index, key_condition, ..Query::default() };
        let items = bench.engine.run(request).expect("a query").items.expect("items");
        queries.fetch_add(1, Ordering::SeqCst);
        items.iter().map(|item| value_of(Some(item))).collect::<Vec<i64>>()
    };
    let read = |_, _: &mut Dice| {
        // A reader that panics must not leave the writer waiting for it.
        let broken = Done(&given_up);
        let mut last = acknowledged.load(Ordering::SeqCst);
        for (index, name, value) in [
            (None, "pk", "left"),
            (None, "pk", "right"),
            (Some(BY_KIND), "kind", "account"),
            (None, "pk", "left"),
        ] {
            for _ in 0..3 {
                let values = query(index, name, value);
                let first = values.first().copied().unwrap_or(0);
                assert!(values.iter().all(|value| *value == first), "the index shows a half: {values:?}");
                assert!(first >= last, "a query of {value} went back from {last} to {first}");
                last = first;
                let alone = query(None, "pk", "alone").first().copied().unwrap_or(0);
                assert!(alone >= last - 1, "what was written before round {last} is {alone}");
            }
        }
        std::mem::forget(broken);
    };
    contend(1, write, 3, read);
}

/// Adds one to the counter of an item that is in the index.
fn add_one(key: Item) -> TransactWrite {
    TransactWrite {
        table: TABLE.to_owned(),
        action: TransactAction::Update { key, update: plus(1) },
        condition: None,
        on_condition_failure: OnConditionFailure::None,
    }
}

/// Adds one to the counter of an item that is in no index.
fn count_up(key: Item) -> UpdateItem {
    let update = Some(Update { actions: vec![Action::Add("value".into(), Value::n(1))] });
    UpdateItem { table: TABLE.to_owned(), key, update, ..UpdateItem::default() }
}

#[test]
fn repeated_queries_see_acknowledged_writes_when_every_write_is_synced() {
    repeated_queries_see_acknowledged_writes(Durability::Sync, 1024 * 1024, 60);
}

#[test]
fn repeated_queries_see_acknowledged_writes_when_callers_write_themselves() {
    for item_cache_bytes in [0, 2 * 1024, 1024 * 1024] {
        repeated_queries_see_acknowledged_writes(Durability::Memory, item_cache_bytes, 400);
    }
}

/// Adds an index to a table of many items that is being written, fills it, and compares it with the table.
fn an_index_made_under_writes_is_complete(durability: Durability, rounds: u64) {
    const ITEMS: u64 = 1500;
    let bench = Bench::new(durability, 64 * 1024);
    let item = |dice: &mut Dice| {
        let mut item = key(dice.index(1500));
        item.insert("value", dice.between(0, 1000));
        if dice.chance(70) {
            item.insert("kind", Value::s(*dice.pick(&["account", "loan"])));
        }
        item
    };
    let mut dice = Dice::new(7);
    for _ in 0..ITEMS / 2 {
        let put = PutItem { table: TABLE.to_owned(), item: item(&mut dice), ..PutItem::default() };
        bench.engine.run(put).expect("a put");
    }
    let write = |writer: u64| {
        let mut dice = Dice::new(300 + writer);
        if writer == 0 {
            return fill_index(&bench);
        }
        for _ in 0..rounds {
            let item = item(&mut dice);
            let table = TABLE.to_owned();
            if dice.chance(75) {
                bench.engine.run(PutItem { table, item, ..PutItem::default() }).expect("a put");
            } else {
                let key = item.iter().filter(|(name, _)| ["pk", "sk"].contains(name));
                let key = key.map(|(name, value)| (name, value.clone())).collect();
                bench.engine.run(DeleteItem { table, key, ..DeleteItem::default() }).expect("a delete");
            }
        }
    };
    contend(5, write, 0, |_, _| {});
    let scan = |index: Option<&str>| {
        let index = index.map(str::to_owned);
        let request = Scan { table: TABLE.to_owned(), index, ..Scan::default() };
        let page = bench.engine.run(request).expect("a scan");
        assert_eq!(page.last_evaluated_key, None, "one page holds everything");
        let mut items = page.items.expect("items");
        items.sort_by_key(|item| item.get("sk").and_then(Value::as_s).map(str::to_owned));
        items
    };
    let items = scan(None);
    let mut kinds = items.clone();
    kinds.retain(|item| item.contains("kind"));
    assert_eq!(scan(Some("late")), kinds, "the late index has every item that it must have");
    assert_eq!(scan(Some(BY_KIND)), kinds, "the index made with the table, too");
    let described = bench.engine.run(DescribeTable { table: TABLE.to_owned() }).expect("the table").table;
    let count = |count: usize| u64::try_from(count).unwrap();
    assert_eq!(described.item_count, count(items.len()));
    for index in &described.global_indexes {
        assert_eq!(index.item_count, count(kinds.len()), "how many items {} has", index.name);
    }
    assert_eq!(described.global_indexes[0].size_bytes, described.global_indexes[1].size_bytes);
}

fn fill_index(bench: &Bench) {
    let request = UpdateTable {
        table: TABLE.to_owned(),
        global_indexes: vec![GlobalIndexUpdate::Create(by_kind("late"))],
        ..UpdateTable::default()
    };
    bench.engine.run(request).expect("an index can be added");
    loop {
        bench.engine.upkeep().expect("upkeep does not fail");
        let described = bench.engine.run(DescribeTable { table: TABLE.to_owned() }).expect("the table").table;
        if described.global_indexes.iter().all(|index| index.backfilling.is_none()) {
            break;
        }
    }
}

#[test]
fn an_index_made_under_writes_is_complete_when_every_write_is_synced() {
    an_index_made_under_writes_is_complete(Durability::Sync, 60);
}

#[test]
fn an_index_made_under_writes_is_complete_when_callers_write_themselves() {
    an_index_made_under_writes_is_complete(Durability::Memory, 300);
}
