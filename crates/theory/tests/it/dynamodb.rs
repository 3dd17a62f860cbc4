//! `theory dynamodb` as a person runs it: what it says, what it refuses to do, and what is left after it was ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tabletheory_aws::{Config, Credentials, DynamoDb, Retry};
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{CreateTable, GetItem, ListTables, PutItem};
use tabletheory_core::{Item, Store, StoreError, StoreExt};
use tabletheory_engine::{Engine, Settings};

use crate::server::Server;
use crate::{text, theory};

const TABLE: &str = "pages";

async fn connect(server: &Server, access_key: &str, secret_key: &str) -> DynamoDb {
    let config = Config {
        endpoint_url: Some(server.address.clone()),
        region: Some("us-east-1".to_owned()),
        credentials: Some(Credentials::new(access_key, secret_key)),
        retry: Retry { max_attempts: 1, ..Retry::default() },
        ..Config::default()
    };
    DynamoDb::connect(config).await.expect("the configuration is complete")
}

async fn make_table(store: &impl Store) {
    let table = CreateTable {
        table: TABLE.to_owned(),
        attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("pk")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    store.create_table(table).await.expect("the table is made");
}

fn page(name: &str) -> Item {
    Item::from([("pk", name)])
}

/// How many writes have to be answered before the server is ended, and how long that may take.
const ENOUGH: usize = 20;
const PATIENCE: Duration = Duration::from_secs(120);

/// Writes from eight connections at once until the server is gone, and gives the names whose writes were answered. `count`
/// follows how many they are.
async fn write_until_it_ends(store: DynamoDb, count: Arc<AtomicUsize>) -> Vec<String> {
    let store = Arc::new(store);
    let mut writers = Vec::new();
    for writer in 0..8 {
        let (store, count) = (Arc::clone(&store), Arc::clone(&count));
        writers.push(tokio::spawn(async move {
            let mut answered = Vec::new();
            for number in 0.. {
                let name = format!("{writer}/{number}");
                let put = PutItem { table: TABLE.to_owned(), item: page(&name), ..PutItem::default() };
                match store.put_item(put).await {
                    Ok(_) => {
                        count.fetch_add(1, Ordering::Relaxed);
                        answered.push(name);
                    }
                    Err(StoreError::Unavailable(_) | StoreError::Internal(_)) => break,
                    Err(other) => panic!("a write was refused: {other}"),
                }
            }
            answered
        }));
    }
    let mut answered = Vec::new();
    for writer in writers {
        answered.extend(writer.await.expect("a writer ends by itself"));
    }
    answered
}

/// Ends the server while eight clients write, and looks for every answered write in the folder.
async fn answered_writes_survive(end: impl FnOnce(Server) + Send + 'static) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::dynamodb(&["--data", folder.path().to_str().expect("a folder's name is text")]);
    let store = connect(&server, "any", "key").await;
    make_table(&store).await;
    let count = Arc::new(AtomicUsize::new(0));
    let writing = tokio::spawn(write_until_it_ends(store, Arc::clone(&count)));
    let enough = async {
        while count.load(Ordering::Relaxed) <= ENOUGH && !writing.is_finished() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, enough).await.expect("writes are answered");
    tokio::task::spawn_blocking(move || end(server)).await.expect("the server ends");
    let answered = writing.await.expect("the writers end");
    assert!(answered.len() > ENOUGH, "only {} writes were answered", answered.len());
    let engine = Engine::open(folder.path(), Settings::default()).expect("the folder opens again");
    for name in &answered {
        let found = engine.run(GetItem { table: TABLE.to_owned(), key: page(name), ..GetItem::default() });
        assert_eq!(found.expect("the item is read").item, Some(page(name)), "an answered write is lost");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_while_clients_write_is_clean_and_loses_no_answered_write() {
    answered_writes_survive(|server| {
        let status = server.stop();
        assert!(status.success(), "{status}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_while_clients_write_loses_no_answered_write() {
    answered_writes_survive(drop).await;
}

#[tokio::test]
async fn with_keys_the_right_secret_is_admitted_and_no_other() {
    let keys = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(keys.path(), "[one]\naws_access_key_id = K1\naws_secret_access_key = s1\n[two]\naws_access_key_id = K2\naws_secret_access_key = s2\n")
        .expect("the file is written");
    let server =
        Server::dynamodb(&["--memory", "--keys", keys.path().to_str().expect("a file's name is text")]);
    make_table(&connect(&server, "K1", "s1").await).await;
    let listed = connect(&server, "K2", "s2").await.list_tables(ListTables::default()).await;
    assert_eq!(listed.expect("the second key is admitted").tables, [TABLE]);
    for (access_key, secret_key) in [("K1", "s2"), ("K3", "s1"), ("K1", "")] {
        let put = PutItem { table: TABLE.to_owned(), item: page("a"), ..PutItem::default() };
        let refused = connect(&server, access_key, secret_key).await.put_item(put).await;
        let error = refused.expect_err("the signature is wrong");
        assert!(error.to_string().contains("signature we calculated does not match"), "{error}");
    }
    let get = GetItem { table: TABLE.to_owned(), key: page("a"), ..GetItem::default() };
    assert_eq!(connect(&server, "K1", "s1").await.get_item(get).await.expect("it is read").item, None);
}

#[tokio::test]
async fn any_interface_is_served_with_keys() {
    let keys = ["--memory", "--access-key", "K", "--secret-key", "s"];
    let server = Server::start(&mut Server::command("0.0.0.0:0", &keys), "DynamoDB endpoint ");
    make_table(&connect(&server, "K", "s").await).await;
}

#[test]
fn programs_are_told_in_json() {
    let server = Server::start(&mut Server::command("127.0.0.1:0", &["--memory", "--json"]), "");
    let told: serde_json::Value = serde_json::from_str(&server.address).expect("one line of JSON");
    assert!(
        told["endpoint"].as_str().is_some_and(|endpoint| endpoint.starts_with("http://127.0.0.1:")),
        "{told}"
    );
    assert_eq!(told["signed"], false);
    assert_eq!(told["durability"], "memory");
    assert!(server.stop().success());
}

#[test]
fn what_cannot_be_served_is_refused_with_the_reason_and_what_to_do() {
    let refused = |arguments: &[&str], words: &[&str]| {
        let output = theory(&[&["dynamodb"], arguments].concat());
        assert!(!output.status.success(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
        for word in words {
            assert!(
                text(&output.stderr).contains(word),
                "{arguments:?} does not say {word:?}:\n{}",
                text(&output.stderr)
            );
        }
    };
    refused(
        &["--memory", "--addr", "0.0.0.0:0"],
        &["0.0.0.0:0", "without keys", "--access-key", "127.0.0.1"],
    );
    refused(&["--memory", "--addr", "nowhere"], &["nowhere", "--addr"]);
    refused(&["--durability", "often"], &["often", "sync, interval"]);
    refused(&["--memory", "--durability", "sync"], &["--memory", "--durability"]);
    refused(&["--memory", "--access-key", "K"], &["--secret-key"]);
    refused(&["--memory", "--keys", "/no/such/file"], &["/no/such/file"]);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let name = file.path().to_str().expect("a file's name is text");
    refused(&["--memory", "--keys", name], &[name, "holds no keys", "aws_access_key_id"]);
    refused(&["--data", name], &["cannot open", name]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("it has an address").to_string();
    refused(&["--memory", "--addr", &address], &["cannot listen on", &address]);
}

#[test]
fn a_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("a folder's name is text");
    let server = Server::dynamodb(&["--data", data]);
    let output = theory(&["dynamodb", "--addr", "127.0.0.1:0", "--data", data]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains(data), "{}", text(&output.stderr));
    assert!(server.stop().success());
}
