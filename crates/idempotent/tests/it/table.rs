//! The table: without indexes, with them, under another name, and rows that other services wrote.

use std::process::Command;

use idempotent::record::{IdempotencyRecord, IndexedRecord, Status};
use idempotent::{Claim, Completion, Idempotency, KeyScheme, Processed};
use tabletheory::Db;
use tabletheory_core::store::op::DescribeTable;
use tabletheory_core::{Item, StoreExt};

use crate::world::{World, answer, granted, intent};

async fn indexes(requests: &Idempotency) -> Vec<String> {
    let describe = DescribeTable { table: requests.table_name() };
    let table = requests.db().store().describe_table(describe).await.expect("there is a table").table;
    table.global_indexes.into_iter().map(|index| index.name).collect()
}

#[tokio::test]
async fn the_table_has_no_indexes_unless_they_are_asked_for() {
    let plain = Idempotency::in_table(Db::memory(), "requests");
    plain.create_table().await.unwrap();
    assert!(indexes(&plain).await.is_empty());
    let indexed = Idempotency::in_table(Db::memory(), "requests");
    indexed.create_table_with_indexes().await.unwrap();
    let mut names = indexes(&indexed).await;
    names.sort();
    assert_eq!(names, ["gsi-function", "gsi-status", "gsi-tenant", "gsi-timestamp"]);
}

#[tokio::test]
async fn the_indexes_find_what_they_are_for() {
    let requests = Idempotency::in_table(Db::memory(), "requests");
    requests.create_table_with_indexes().await.unwrap();
    let attempt = granted(requests.claim(&intent("k", "a")).await.unwrap());
    let db = requests.db();
    let running = db.query(IndexedRecord::gsi_status(Status::Processing)).page(None).await.unwrap();
    assert_eq!(running.items.len(), 1);
    assert_eq!(attempt.complete(&answer(&"x".repeat(5000))).await.unwrap(), Completion::Completed);
    for (what, page) in [
        ("status", db.query(IndexedRecord::gsi_status(Status::Completed)).page(None).await.unwrap()),
        ("tenant", db.query(IndexedRecord::gsi_tenant("acme")).page(None).await.unwrap()),
        ("function", db.query(IndexedRecord::gsi_function("POST /orders")).page(None).await.unwrap()),
    ] {
        assert_eq!(page.items.len(), 1, "{what}");
    }
    // Without a tenant the row is in no index of tenants, and the store takes it.
    requests.process("m", "f", &1, || async { Ok::<_, ()>(1) }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_record_reads_as_the_model() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    let record = <IdempotencyRecord as tabletheory::Model>::from_item(world.record().await).unwrap();
    assert_eq!((record.status, record.status_code, record.attempt), (Status::Completed, Some(201), Some(1)));
    let shown = format!("{record:?}");
    for secret in [record.idempotency_key.as_str(), record.lock_token.as_deref().unwrap(), "done"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn rows_of_the_seeds_services_are_understood() {
    let world = World::new().await;
    let shared = world.set(|settings| settings.scheme = KeyScheme::Raw);
    // Learn our own hash from a row of ours, and let another service complete it in its own way.
    shared.process("order-1", "charge", &5, || async { Ok::<_, ()>(1) }).await.unwrap();
    let hash = world.record().await.get("RequestHash").cloned().unwrap();
    let mut row = Item::from([
        ("IdempotencyKey", "order-1"),
        ("SK", "IDEMPOTENCY"),
        ("FunctionName", "charge"),
        ("Status", "COMPLETED"),
        ("Timestamp", "0001-01-01T00:00:00Z"),
        ("RequestBody", "5"),
        ("Response", "{\"paid\":true}"),
        ("LockToken", "4f0c7a3e-0000-4000-8000-000000000000"),
        ("LockedUntil", "2024-01-01T00:05:00.123456789Z"),
        ("CompletedAt", "2024-01-01T00:00:01.5Z"),
        ("CreatedAt", "2024-01-01T00:00:00.25Z"),
        ("UpdatedAt", "2024-01-01T00:00:01.5Z"),
    ]);
    row.insert("RequestHash", hash);
    row.insert("StatusCode", 0);
    row.insert("ExpiresAt", 1_704_067_200 + 86_400);
    world.put(row.clone()).await;
    let other = world.set(|settings| settings.scheme = KeyScheme::Raw);
    let paid: Processed<Paid> = other.process::<_, (), _>("order-1", "charge", &5, never).await.unwrap();
    assert!(paid.into_value().paid);
    // A lock with a fraction is not over before it is over.
    row.insert("Status", "PROCESSING");
    world.put(row).await;
    let intent_runs = world.set(|settings| settings.scheme = KeyScheme::Raw);
    world.pass(300);
    assert!(intent_runs.process::<Paid, (), _>("order-1", "charge", &5, never).await.is_err());
    world.pass(2);
    let mine = || async { Ok::<_, ()>(Paid { paid: false }) };
    let taken = intent_runs.process("order-1", "charge", &5, mine).await.unwrap();
    assert_eq!(taken, Processed::Done(Paid { paid: false }));
    assert!(matches!(world.requests.claim(&intent("k", "a")).await.unwrap(), Claim::Granted(_)));
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Paid {
    paid: bool,
}

async fn never() -> Result<Paid, ()> {
    panic!("it must not run")
}

/// What another process says that was told the name of a table.
#[test]
fn the_environment_names_the_table() {
    const NAME: &str = "IDEMPOTENCY_TABLE_NAME";
    if let Ok(named) = std::env::var(NAME) {
        // This is the child, or somebody who has set it runs all tests.
        assert_eq!(Idempotency::new(Db::memory()).table_name(), named);
        assert_eq!(Idempotency::in_table(Db::memory(), "other").table_name(), "other");
        return;
    }
    assert_eq!(Idempotency::new(Db::memory()).table_name(), "idempotency");
    let test = "table::the_environment_names_the_table";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(NAME, "requests")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}
