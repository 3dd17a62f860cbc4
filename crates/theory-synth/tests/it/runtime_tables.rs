//! The tables of templates beside the tables that the runtime makes, on the engine and on AWS's DynamoDB Local: the same keys, the same
//! types, the same indexes, the same time to live.

use std::sync::Arc;

use facetheory::MetaStore;
use idempotent::Idempotency;
use limited::{IndexedRateLimitRecord, Limiter, RateLimitRecord};
use tabletheory::Db;
use tabletheory::table::Table;
use tabletheory_aws::{Config, Credentials, DynamoDb};
use tabletheory_core::schema::{AttributeDefinition, KeyElement, Projection};
use tabletheory_core::store::contract::DynamoDbLocal;
use tabletheory_core::store::op::{CreateTable, DescribeTable, DescribeTimeToLive};
use tabletheory_core::{Store, StoreExt};
use tabletheory_engine::Engine;
use theory_synth::check::{Found, tables};
use theory_synth::read;

use crate::scenes::{self, Invoice, Order};

/// What is compared: everything that decides whether a call works.
#[derive(Debug, PartialEq)]
struct Shape {
    keys: Vec<KeyElement>,
    attributes: Vec<AttributeDefinition>,
    local: Vec<(String, Vec<KeyElement>, Projection)>,
    global: Vec<(String, Vec<KeyElement>, Projection)>,
    ttl: Option<String>,
}

/// Stores tell attributes and indexes in an order of their own.
fn sorted(mut shape: Shape) -> Shape {
    shape.attributes.sort_by(|first, second| first.name.cmp(&second.name));
    for indexes in [&mut shape.local, &mut shape.global] {
        indexes.sort_by(|first, second| first.0.cmp(&second.0));
    }
    shape
}

fn of_template(found: &Found) -> Shape {
    let CreateTable { keys, attributes, local_indexes, global_indexes, .. } = found.request.clone();
    let local = local_indexes.into_iter().map(|index| (index.name, index.keys, index.projection)).collect();
    let global = global_indexes.into_iter().map(|index| (index.name, index.keys, index.projection)).collect();
    sorted(Shape { keys, attributes, local, global, ttl: found.ttl.clone() })
}

async fn of_store(store: &dyn Store, table: &str) -> Shape {
    let described = store.describe_table(DescribeTable { table: table.to_owned() }).await.unwrap().table;
    let ttl = store.describe_time_to_live(DescribeTimeToLive { table: table.to_owned() }).await.unwrap();
    let indexes = |indexes: Vec<tabletheory_core::schema::IndexDescription>| {
        indexes.into_iter().map(|index| (index.name, index.keys, index.projection)).collect()
    };
    sorted(Shape {
        keys: described.keys,
        attributes: described.attributes,
        local: indexes(described.local_indexes),
        global: indexes(described.global_indexes),
        ttl: ttl.attribute,
    })
}

/// The one table of a scene, parsed from its text.
fn parsed(scene: &str) -> Shape {
    let (_, template) = scenes::all().into_iter().find(|(name, _)| *name == scene).unwrap();
    let found = tables(&read(&template.to_yaml().unwrap()).unwrap()).unwrap();
    let [table] = &found[..] else { panic!("{scene} has one table") };
    assert!(table.unknown.is_empty(), "{:?}", table.unknown);
    of_template(table)
}

/// Has the runtime make its tables, in its own way, and compares.
async fn compare(store: Arc<dyn Store>) {
    let db = || Db::new(Arc::clone(&store));
    MetaStore::in_table(db(), "pages").create_table().await.unwrap();
    Limiter::new(db().with_table::<RateLimitRecord>("limits")).create_table().await.unwrap();
    IndexedRateLimitRecord::ensure_table(&db().with_table::<RateLimitRecord>("limits-indexed"))
        .await
        .unwrap();
    Idempotency::in_table(db(), "requests").create_table().await.unwrap();
    Idempotency::in_table(db(), "requests-indexed").create_table_with_indexes().await.unwrap();
    Table::<Order>::new(Arc::clone(&store)).and::<Invoice>().ensure().await.unwrap();
    for (table, scene) in [
        ("pages", "cache-table"),
        ("pages", "cache-table-full"),
        ("pages", "isr-site"),
        ("limits", "rate-limited-function"),
        ("limits-indexed", "rate-limited-function-full"),
        ("requests", "idempotent-function"),
        ("requests-indexed", "idempotent-function-full"),
        ("requests", "ttl-archive"),
        ("shop.orders-v2", "tables"),
    ] {
        assert_eq!(parsed(scene), of_store(&*store, table).await, "{scene} beside {table}");
    }
}

#[tokio::test]
async fn templates_make_the_tables_that_the_runtime_makes_on_the_engine() {
    compare(Arc::new(Engine::memory())).await;
}

#[tokio::test]
async fn templates_make_the_tables_that_the_runtime_makes_on_dynamodb_local() {
    let Some(folder) = DynamoDbLocal::folder("the comparison of templates with its tables") else {
        eprintln!("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so templates are not compared with its tables");
        return;
    };
    let local = DynamoDbLocal::start(&folder);
    let config = Config {
        endpoint_url: Some(format!("http://127.0.0.1:{}", local.port())),
        region: Some("us-east-1".to_owned()),
        credentials: Some(Credentials::new("local", "local")),
        ..Config::default()
    };
    compare(Arc::new(DynamoDb::connect(config).await.unwrap())).await;
}
