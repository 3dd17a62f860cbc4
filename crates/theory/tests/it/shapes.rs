//! Records as TableTheory for Go, TypeScript and Python store them, the older shapes too, read by Rust; and Rust's records
//! read by others. boto3 writes and reads the raw attributes, through `theory dynamodb`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tabletheory::{Attribute, Db, Model};
use tabletheory_core::{ManualClock, Number, Timestamp as Moment};
use tabletheory_engine::{Engine, Settings};

use crate::clients::client::{ANY, Script};
use crate::clients::tools;
use crate::server::Server;

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "records", rename_all = "camelCase")]
struct Record {
    #[model(pk)]
    identifier: String,
    #[model(sk)]
    window_time: String,
    count: i64,
    #[model(json)]
    payload: Payload,
    #[model(json)]
    meta: BTreeMap<String, f64>,
    #[model(ttl)]
    expires_at: u64,
    #[model(version)]
    version: u64,
    #[model(created_at)]
    created_at: Timestamp,
    #[model(updated_at)]
    updated_at: Timestamp,
    locked_until: Option<Timestamp>,
    #[model(set, omit_empty)]
    tags: Vec<String>,
    #[model(set, omit_empty)]
    nums: Vec<u32>,
    #[model(binary)]
    blob: Vec<u8>,
    ratio: f64,
    huge: Number,
    note: Option<String>,
    empty_list: Vec<String>,
    nested: Nested,
}

#[derive(serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
struct Payload {
    x: u32,
    text: String,
}

#[derive(Attribute, Debug, Clone, PartialEq)]
#[attribute(rename_all = "PascalCase")]
struct Nested {
    name: String,
    level: u8,
}

const MOMENT_MILLIS: i64 = 1_794_768_173_500;

fn moment() -> Timestamp {
    Timestamp::from_millisecond(MOMENT_MILLIS).expect("a moment of this century")
}

/// The record that all shapes mean.
fn record(identifier: &str) -> Record {
    Record {
        identifier: identifier.into(),
        window_time: "w".into(),
        count: 3,
        payload: Payload { x: 1, text: "é".into() },
        meta: BTreeMap::from([("k".into(), 1.5)]),
        expires_at: 4_102_444_800,
        version: 2,
        created_at: moment(),
        updated_at: moment(),
        locked_until: None,
        tags: vec!["a".into(), "b".into()],
        nums: vec![1, 2],
        blob: vec![1, 2, 255],
        ratio: 0.1,
        huge: "9007199254740993".parse().expect("a number"),
        note: None,
        empty_list: Vec::new(),
        nested: Nested { name: "z".into(), level: 2 },
    }
}

/// A database on the folder of the endpoint, which was stopped.
fn db(folder: &std::path::Path) -> Db {
    let engine = Engine::open(folder, Settings::default()).expect("the endpoint has let go of the folder");
    let clock = ManualClock::at(Moment::from_millis(MOMENT_MILLIS));
    Db::new(engine).with_clock(std::sync::Arc::new(clock))
}

#[tokio::test]
async fn rust_reads_what_every_toolkit_wrote_and_they_read_what_rust_wrote() {
    let Some(tools) = tools::find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("the folder's name is text");
    db(folder.path()).table::<Record>().ensure().await.expect("the table is made");

    let server = Server::dynamodb(&["--data", data]);
    let told = Script::Python.run(&tools, &server.address, ANY, &["shapes", "--table", "records"]);
    let toolkits: Vec<&str> = told.lines().filter_map(|line| line.split("shape of ").nth(1)).collect();
    assert_eq!(toolkits.len(), 5, "{told}");
    assert!(server.stop().success());

    {
        let db = db(folder.path());
        for toolkit in &toolkits {
            let mut found = db.get(Record::key(*toolkit, "w")).required().await.expect(toolkit);
            found.tags.sort();
            found.nums.sort_unstable();
            // Go writes a moment that was never set; nobody else does.
            let unset = found.locked_until.take().is_none_or(|moment| moment < Timestamp::UNIX_EPOCH);
            assert!(unset, "{toolkit}");
            assert_eq!(found, record(toolkit), "{toolkit}");
        }
        db.put(&record("rust")).await.expect("written");
        let empty = Record { tags: Vec::new(), nums: Vec::new(), blob: Vec::new(), ..record("rust empty") };
        db.put(&empty).await.expect("written");
    }

    let server = Server::dynamodb(&["--data", data]);
    Script::Python.run(&tools, &server.address, ANY, &["rust", "--table", "records"]);
}
