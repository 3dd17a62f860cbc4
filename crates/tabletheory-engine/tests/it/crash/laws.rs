//! The laws of a folder that was opened again: which prefix of every writer's script it holds, and that everything in
//! it agrees.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use tabletheory_core::store::op::{
    DescribeStream, DescribeTable, GetRecords, GetShardIterator, IteratorStart, Scan, StreamRecord,
};
use tabletheory_core::{Item, Number, Request, StoreError, Value};
use tabletheory_engine::Engine;

use super::script::{BY_BUCKET, BY_NUMBER, LEFT, Left, Place, RIGHT, SHARED, Script, partition, place};

/// Checks everything, and gives how many operations of each writer are there. `allowed` says how many may be.
pub(super) fn check(
    engine: &Engine,
    script: Script,
    allowed: &[RangeInclusive<u64>],
    story: &str,
) -> Vec<u64> {
    let done = check_but_counts(engine, script, allowed, story);
    Found::read(engine).unwrap().check_counts(engine, story);
    done
}

/// As `check`, but tables may have counted wrongly: with memory durability, counts are stored now and then.
pub(super) fn check_but_counts(
    engine: &Engine,
    script: Script,
    allowed: &[RangeInclusive<u64>],
    story: &str,
) -> Vec<u64> {
    let found = Found::read(engine).unwrap_or_else(|error| panic!("{story}: {error}"));
    let done = found.prefixes(script, allowed, story);
    found.check_shared(script, &done, story);
    found.check_indexes(story);
    check_replay(engine, script, &done, &found, story);
    done
}

/// Everything that a folder holds.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    pub items: BTreeMap<Place, Item>,
    pub by_bucket: Vec<Item>,
    pub by_number: Vec<Item>,
    pub records: Vec<StreamRecord>,
}

impl Found {
    pub(super) fn read(engine: &Engine) -> Result<Self, StoreError> {
        let mut items = BTreeMap::new();
        for table in [LEFT, RIGHT] {
            items.extend(scan(engine, table, None)?.into_iter().map(|item| (place(table, &item), item)));
        }
        Ok(Self {
            items,
            by_bucket: scan(engine, LEFT, Some(BY_BUCKET))?,
            by_number: scan(engine, LEFT, Some(BY_NUMBER))?,
            records: records(engine)?,
        })
    }

    /// How many operations of each writer explain what is there: items and history.
    fn prefixes(&self, script: Script, allowed: &[RangeInclusive<u64>], story: &str) -> Vec<u64> {
        let writers = (0..script.writers).zip(allowed);
        writers.map(|(writer, allowed)| self.prefix(script, writer, allowed.clone(), story)).collect()
    }

    fn prefix(&self, script: Script, writer: u64, allowed: RangeInclusive<u64>, story: &str) -> u64 {
        let own = partition(writer);
        let is_own = |item: &&Item| item.get("pk").and_then(Value::as_s) == Some(own.as_str());
        let items: BTreeMap<Place, Item> = self
            .items
            .iter()
            .filter(|(place, _)| place.1 == own)
            .map(|(p, i)| (p.clone(), i.clone()))
            .collect();
        let records = self.records.iter().filter(|record| is_own(&&record.keys));
        let events: Vec<_> = records.map(|r| (r.old_image.clone(), r.new_image.clone())).collect();
        let mut expected = Left::after(script, writer, *allowed.start());
        for n in allowed.clone() {
            if n > *allowed.start() {
                expected.apply(&script.step(writer, n));
            }
            if expected.items == items && expected.events == events {
                return n;
            }
        }
        let numbers =
            |item: Option<&Item>| item.map(|item| (item.get("sk").cloned(), item.get("n").cloned()));
        panic!(
            "{story}: of writer {writer}, {allowed:?} operations may be there, but there are {:?}\nwith {} events, \
             the last {:?}; the last allowed has {} events, the last {:?}",
            items.values().map(|item| numbers(Some(item))).collect::<Vec<_>>(),
            events.len(),
            events.last().map(|(old, new)| (numbers(old.as_ref()), numbers(new.as_ref()))),
            expected.events.len(),
            expected.events.last().map(|(old, new)| (numbers(old.as_ref()), numbers(new.as_ref()))),
        );
    }

    /// The counter that every writer raises has been raised by each of them, and its history is without gaps.
    fn check_shared(&self, script: Script, done: &[u64], story: &str) {
        let raised: u64 =
            (0..script.writers).zip(done).map(|(writer, n)| Left::after(script, writer, *n).raised).sum();
        let shared: Vec<_> = self.items.iter().filter(|(place, _)| place.1 == SHARED).collect();
        let total = shared.iter().find(|(place, _)| place.0 == LEFT).map_or(0, |(_, item)| number(item));
        assert_eq!((total, shared.len()), (raised, usize::from(raised > 0)), "{story}: the shared counter");
        let is_shared = |record: &&StreamRecord| record.keys.get("pk") == Some(&Value::s(SHARED));
        let history = self.records.iter().filter(is_shared);
        let history: Vec<u64> = history.map(|record| record.new_image.as_ref().map_or(0, number)).collect();
        assert_eq!(history, (1..=raised).collect::<Vec<_>>(), "{story}: history of the shared counter");
    }

    fn check_indexes(&self, story: &str) {
        let left = || self.items.iter().filter(|(place, _)| place.0 == LEFT).map(|(_, item)| item);
        let expected = sorted(left().filter(|item| item.contains("bucket")).cloned().collect());
        assert_eq!(sorted(self.by_bucket.clone()), expected, "{story}: {BY_BUCKET} and its table");
        let keys = |item: &Item| -> Item {
            ["pk", "sk", "n"].into_iter().map(|name| (name, item.get(name).unwrap().clone())).collect()
        };
        let expected = sorted(left().map(keys).collect());
        assert_eq!(sorted(self.by_number.clone()), expected, "{story}: {BY_NUMBER} and its table");
    }

    fn check_counts(&self, engine: &Engine, story: &str) {
        for table in [LEFT, RIGHT] {
            let described = engine.run(DescribeTable { table: table.into() }).unwrap().table;
            let items = self.items.keys().filter(|place| place.0 == table).count();
            assert_eq!(described.item_count, items as u64, "{story}: ItemCount of {table}");
            for index in described.global_indexes.iter().chain(&described.local_indexes) {
                let rows = if index.name == BY_BUCKET { &self.by_bucket } else { &self.by_number };
                assert_eq!(index.item_count, rows.len() as u64, "{story}: ItemCount of {}", index.name);
            }
        }
    }
}

/// A transaction that is there is there with its token: asked for again, it succeeds and changes nothing.
fn check_replay(engine: &Engine, script: Script, done: &[u64], found: &Found, story: &str) {
    for (writer, done) in (0..script.writers).zip(done) {
        let Some(n) = Script::last_with_token(*done) else { continue };
        let mut request = script.step(writer, n).request();
        let replayed = engine.apply(request.clone());
        assert!(replayed.is_ok(), "{story}: replay of {n} of writer {writer}: {replayed:?}");
        if let Request::TransactWriteItems(request) = &mut request {
            request.writes.pop();
        }
        let other = engine.apply(request);
        let is_refused = matches!(other, Err(StoreError::IdempotentParameterMismatch(_)));
        assert!(is_refused, "{story}: another request with the token of {n} of writer {writer}: {other:?}");
    }
    assert!(Found::read(engine).unwrap() == *found, "{story}: a replayed transaction changed something");
}

fn number(item: &Item) -> u64 {
    item.get("n").and_then(Value::as_n).and_then(Number::to_i64).and_then(|n| n.try_into().ok()).unwrap()
}

fn sorted(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_key(|item| place("", item));
    items
}

fn scan(engine: &Engine, table: &str, index: Option<&str>) -> Result<Vec<Item>, StoreError> {
    let (mut items, mut start_key) = (Vec::new(), None);
    loop {
        let index = index.map(str::to_owned);
        let page = engine.run(Scan { table: table.into(), index, start_key, ..Scan::default() })?;
        items.extend(page.items.unwrap_or_default());
        start_key = page.last_evaluated_key;
        if start_key.is_none() {
            return Ok(items);
        }
    }
}

/// The whole stream, in order.
fn records(engine: &Engine) -> Result<Vec<StreamRecord>, StoreError> {
    let described = engine.run(DescribeTable { table: LEFT.into() })?.table;
    let arn = described.stream.unwrap().arn;
    let stream = engine.run(DescribeStream { arn: arn.clone(), ..DescribeStream::default() })?;
    let mut records: Vec<StreamRecord> = Vec::new();
    for shard in stream.shards {
        let start = IteratorStart::TrimHorizon;
        let mut next =
            Some(engine.run(GetShardIterator { arn: arn.clone(), shard: shard.id, start })?.iterator);
        while let Some(iterator) = next.take() {
            let page = engine.run(GetRecords { iterator, limit: None })?;
            if !page.records.is_empty() {
                next = page.next_iterator;
            }
            records.extend(page.records);
        }
    }
    assert!(records.is_sorted_by(|earlier, later| earlier.sequence < later.sequence), "records are in order");
    Ok(records)
}
