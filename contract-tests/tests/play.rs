//! Every scenario holds, in the process and over HTTP; and a scenario that does not hold is found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_tests::player::Stage;
use contract_tests::scenario::{self, Scenario};
use tabletheory::Db;
use tabletheory::dms::Document;
use tabletheory_aws::{Config, Credentials, DynamoDb};
use tabletheory_engine::Engine;
use tabletheory_wire::{Endpoint, server};

fn documents() -> Vec<Document> {
    let mut files = Vec::new();
    scenario::collect(Path::new("models"), &mut files).expect("the folder of the models");
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("a document");
        Document::from_yaml(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}

async fn every_scenario_holds(db: Db) {
    let stage = Stage { db, documents: documents() };
    let scenarios = scenario::read(Path::new("scenarios")).expect("the scenarios");
    let mut complaints = Vec::new();
    for (file, scenario) in &scenarios {
        if let Err(error) = stage.play(scenario).await {
            complaints.push(format!("{file}: {error:#}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(scenarios.len() >= 20, "only {} scenarios were found", scenarios.len());
}

#[tokio::test]
async fn every_scenario_holds_on_the_embedded_engine() {
    every_scenario_holds(Db::memory()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_scenario_holds_through_the_aws_sdk() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let endpoint = Endpoint::unsigned(Arc::new(Engine::memory()));
    let serving = server::serve(listener, endpoint, server::Settings::default(), std::future::pending());
    let served = tokio::spawn(serving);
    let credentials = Credentials {
        access_key_id: "anybody".into(),
        secret_access_key: "anything".into(),
        session_token: None,
    };
    let config = Config {
        endpoint_url: Some(format!("http://{address}")),
        region: Some("us-east-1".into()),
        credentials: Some(credentials),
        ..Config::default()
    };
    every_scenario_holds(Db::new(DynamoDb::connect(config).await.expect("a client"))).await;
    served.abort();
}

#[tokio::test]
async fn a_scenario_that_does_not_hold_is_found() {
    let stage = Stage { db: Db::memory(), documents: documents() };
    let wrong = [
        "{error: [condition_failed]}",
        "{item: {points: 8}}",
        "{item: {points: 7}, exactly: true}",
        "{nothing: true}",
        "{types: {points: S}}",
        "{stored: {points: {N: \"8\"}}}",
        "{absent: [points]}",
        "{count: 1}",
        "{items: [{points: 7}]}",
        "{cursor: \"x\"}",
        "{keep_cursor: x}",
        "{keep: {nothing: x}}",
        "{same_as: {points: x}}",
        "{keep: {points: x}, other_than: {points: x}}",
        "{other_than: {points: never_kept}}",
        "{exactly: true}",
    ];
    for expect in wrong {
        let create = "do: {create: {PK: \"A\", SK: \"B\", points: 7}}";
        let text = format!("name: wrong\nmodel: Account\nsteps:\n  - {create}\n    expect: {expect}\n");
        let tree = tabletheory::dms::yaml_as_json(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let scenario: Scenario = serde_json::from_value(tree).expect("a scenario");
        assert!(stage.play(&scenario).await.is_err(), "{expect} was not found to be wrong");
    }
}

#[test]
fn a_scenario_with_a_word_that_does_not_exist_is_refused() {
    for text in [
        "name: n\nmodel: M\nsteps: []\nmore: 1\n",
        "name: n\nmodel: M\nsteps: [{do: describe, expect: {typo: 1}}]\n",
        "name: n\nmodel: M\nsteps: [{do: {get: {a: 1}, put: {a: 1}}, expect: {}}]\n",
        "name: n\nmodel: M\nsteps: [{do: {scan: {pages: 1}}, expect: {}}]\n",
    ] {
        let tree = tabletheory::dms::yaml_as_json(text).expect("YAML");
        assert!(serde_json::from_value::<Scenario>(tree).is_err(), "{text}");
    }
}
