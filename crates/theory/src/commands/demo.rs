//! `theory demo`: the story of one cached page on the embedded engine, told step by step with real calls.

use std::path::{Path as FilePath, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::Args;
use tabletheory_core::expr::{Action, Comparator, Condition, Path, SetOperand, SetValue, Update};
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, StreamView};
use tabletheory_core::store::op::{
    CreateTable, DescribeStream, DescribeTable, GetItem, GetRecords, GetShardIterator, IteratorStart,
    ListStreams, PutItem, ReturnValues, TransactAction, TransactWrite, TransactWriteItems, UpdateItem,
    UpdateTimeToLive, WriteReturns,
};
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock, Item, StoreError, Value};
use tabletheory_engine::{Durability, Engine, Settings};

const TABLE: &str = "facetheory-cache";
const PAGE: &str = "CACHE#3f1e";
const WRITERS: u32 = 64;
const WRITES_EACH: u32 = 50;

/// Shows the embedded engine at work.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Keep the data in this folder instead of a temporary one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Demo {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let temporary =
            tempfile::tempdir().context("cannot make a temporary folder; give one with --data DIR")?;
        let folder = self.data.as_deref().unwrap_or(temporary.path());
        println!("TableTheory demo. The engine keeps its data in {}\n", folder.display());
        {
            let engine = open(folder)?;
            create_table(&engine)?;
            let token = race_for_the_lease(&engine)?;
            publish(&engine, &token)?;
            refuse_a_late_writer(&engine)?;
            count_under_load(&engine)?;
            read_the_stream(&engine)?;
        }
        survive_a_restart(folder)
    }
}

fn open(folder: &FilePath) -> anyhow::Result<Engine> {
    let settings = Settings { durability: Durability::Sync, ..Settings::default() };
    Engine::open(folder, settings).with_context(|| format!("cannot open {}", folder.display()))
}

fn create_table(engine: &Engine) -> anyhow::Result<()> {
    let attribute = |name: &str| AttributeDefinition { name: name.to_owned(), kind: KeyType::S };
    let created = engine.run(CreateTable {
        table: TABLE.to_owned(),
        attributes: vec![attribute("pk"), attribute("sk")],
        keys: vec![KeyElement::hash("pk"), KeyElement::range("sk")],
        billing: BillingMode::PayPerRequest,
        stream: Some(StreamView::NewAndOldImages),
        ..CreateTable::default()
    });
    match created {
        Ok(_) => {
            let ttl =
                UpdateTimeToLive { table: TABLE.to_owned(), attribute: "ttl".to_owned(), enabled: true };
            engine.run(ttl)?;
            println!("1. Table {TABLE} made, with a stream and a time to live.");
        }
        Err(StoreError::ResourceInUse(_)) => println!("1. Table {TABLE} is there from an earlier run."),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn key(sk: &str) -> Item {
    Item::from([("pk", Value::s(PAGE)), ("sk", Value::s(sk))])
}

fn now_seconds() -> i64 {
    SystemClock.now().seconds()
}

/// Eight workers want to render the page; the condition lets one through.
fn race_for_the_lease(engine: &Engine) -> anyhow::Result<String> {
    let now = now_seconds();
    let free = Condition::AttributeNotExists(Path::attribute("pk")).or(Condition::Compare(
        Path::attribute("lease_expires_at").into(),
        Comparator::Le,
        Value::from(now).into(),
    ));
    let attempt = |worker: u32| {
        let mut lease = key("LOCK");
        lease.insert("lease_token", format!("worker-{worker}"));
        lease.insert("lease_expires_at", now + 30);
        let put = PutItem {
            table: TABLE.to_owned(),
            item: lease,
            condition: Some(free.clone()),
            ..PutItem::default()
        };
        match engine.run(put) {
            Ok(_) => Ok(Some(format!("worker-{worker}"))),
            Err(StoreError::ConditionalCheckFailed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let outcomes: Vec<Result<Option<String>, StoreError>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=8).map(|worker| scope.spawn(move || attempt(worker))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    let mut holders = Vec::new();
    for outcome in outcomes {
        holders.extend(outcome?);
    }
    let [holder] = holders.as_slice() else { bail!("{} workers hold the lease, one should", holders.len()) };
    println!("2. Eight workers raced for the lease of {PAGE}: {holder} holds it, seven were refused.");
    Ok(holder.clone())
}

/// META is put and LOCK deleted in one transaction, if the lease is still this worker's.
fn publish_as(engine: &Engine, token: &str, etag: &str) -> Result<(), StoreError> {
    let now = now_seconds();
    let mut meta = key("META");
    meta.insert("s3_key", format!("pages/{etag}.html"));
    meta.insert("etag", format!("\"{etag}\""));
    meta.insert("generated_at", now);
    meta.insert("revalidate_seconds", 60);
    let still_mine =
        Condition::Compare(Path::attribute("lease_token").into(), Comparator::Eq, Value::s(token).into())
            .and(Condition::Compare(
                Path::attribute("lease_expires_at").into(),
                Comparator::Gt,
                Value::from(now).into(),
            ));
    let write = |action, condition| TransactWrite {
        table: TABLE.to_owned(),
        action,
        condition,
        on_condition_failure: Default::default(),
    };
    let writes = vec![
        write(TransactAction::Put { item: meta }, None),
        write(TransactAction::Delete { key: key("LOCK") }, Some(still_mine)),
    ];
    engine.run(TransactWriteItems { writes, ..TransactWriteItems::default() }).map(drop)
}

fn publish(engine: &Engine, token: &str) -> anyhow::Result<()> {
    publish_as(engine, token, "v1")?;
    println!("3. {token} published the page and gave the lease back, in one transaction.");
    Ok(())
}

fn refuse_a_late_writer(engine: &Engine) -> anyhow::Result<()> {
    match publish_as(engine, "worker-that-slept", "v0") {
        Err(StoreError::TransactionCanceled { reasons }) => {
            let codes: Vec<&str> = reasons.iter().map(|reason| reason.code.name()).collect();
            println!("4. A worker that lost its lease tried to publish an older page: cancelled {codes:?}.");
        }
        other => bail!("a late writer must be refused, and got {other:?}"),
    }
    let meta = engine.run(GetItem {
        table: TABLE.to_owned(),
        key: key("META"),
        consistent: true,
        ..GetItem::default()
    })?;
    let etag = meta.item.and_then(|item| item.get("etag").cloned());
    ensure!(etag == Some(Value::s("\"v1\"")), "the page must be the one that was published, and is {etag:?}");
    Ok(())
}

/// Writers on one counter: each increment is one conditional update, durable before it is answered.
#[expect(clippy::disallowed_methods, reason = "the demo tells how long its own calls took")]
fn count_under_load(engine: &Engine) -> anyhow::Result<()> {
    let counter = Item::from([("pk", Value::s("LIMIT#demo")), ("sk", Value::s("WINDOW"))]);
    let before = count(engine, &counter)?;
    let limit = before + i64::from(WRITERS * WRITES_EACH) / 2;
    let (allowed, denied) = (AtomicU32::new(0), AtomicU32::new(0));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                for _ in 0..WRITES_EACH {
                    match engine.run(hit(&counter, limit)) {
                        Ok(_) => allowed.fetch_add(1, Ordering::Relaxed),
                        Err(_) => denied.fetch_add(1, Ordering::Relaxed),
                    };
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    let (allowed, denied) = (allowed.into_inner(), denied.into_inner());
    let counted = count(engine, &counter)? - before;
    ensure!(counted == i64::from(allowed), "{allowed} hits were allowed and {counted} were counted");
    println!(
        "5. {WRITERS} writers hit a counter limited to {allowed} more: {allowed} allowed, {denied} denied, none lost; \
         {:.0} durable decisions a second.",
        f64::from(allowed + denied) / seconds
    );
    Ok(())
}

fn hit(counter: &Item, limit: i64) -> UpdateItem {
    let count = || Path::attribute("Count");
    let below = Condition::AttributeNotExists(count()).or(Condition::Compare(
        count().into(),
        Comparator::Lt,
        Value::from(limit).into(),
    ));
    let seen = SetValue::Operand(SetOperand::Value(Value::from(now_seconds())));
    let actions = vec![Action::Add(count(), Value::from(1)), Action::Set(Path::attribute("UpdatedAt"), seen)];
    UpdateItem {
        table: TABLE.to_owned(),
        key: counter.clone(),
        update: Some(Update { actions }),
        condition: Some(below),
        returns: WriteReturns { values: ReturnValues::UpdatedNew, ..WriteReturns::default() },
    }
}

fn count(engine: &Engine, counter: &Item) -> anyhow::Result<i64> {
    let found =
        engine.run(GetItem { table: TABLE.to_owned(), key: counter.clone(), ..GetItem::default() })?;
    let count =
        found.item.and_then(|item| item.get("Count").and_then(Value::as_n).and_then(|count| count.to_i64()));
    Ok(count.unwrap_or(0))
}

fn read_the_stream(engine: &Engine) -> anyhow::Result<()> {
    let streams =
        engine.run(ListStreams { table: Some(TABLE.to_owned()), ..ListStreams::default() })?.streams;
    let stream = streams.last().context("the table has a stream")?;
    let described = engine.run(DescribeStream { arn: stream.arn.clone(), ..DescribeStream::default() })?;
    let shard = described.shards.first().context("the stream has a shard")?.id.clone();
    let start = IteratorStart::TrimHorizon;
    let iterator = engine.run(GetShardIterator { arn: stream.arn.clone(), shard, start })?.iterator;
    let records = engine.run(GetRecords { iterator, limit: Some(5) })?.records;
    println!("6. The stream has every change in order. Its first records:");
    for record in &records {
        let sk = record.keys.get("sk").and_then(Value::as_s).unwrap_or_default();
        println!("     {:<7} {sk}", record.event.name());
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the demo tells how long opening took")]
fn survive_a_restart(folder: &FilePath) -> anyhow::Result<()> {
    let started = Instant::now();
    let engine = open(folder)?;
    let millis = started.elapsed().as_secs_f64() * 1000.0;
    let meta = engine.run(GetItem { table: TABLE.to_owned(), key: key("META"), ..GetItem::default() })?;
    ensure!(meta.item.is_some(), "the published page must survive a restart");
    let table = engine.run(DescribeTable { table: TABLE.to_owned() })?.table;
    println!("7. Closed and opened again in {millis:.1} ms: {} items, the page is there.", table.item_count);
    println!("\nNext: README.md shows the same in twenty lines of Rust.");
    Ok(())
}
