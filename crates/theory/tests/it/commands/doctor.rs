//! `theory doctor`.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::CreateTable;
use tabletheory_engine::{Engine, Settings};

use super::stand_in::{Answer, StandIn};
use super::{refused, said, theory, told};

/// A doctor in an empty folder, who is told nothing by this machine's environment.
fn doctor(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = theory();
    command.env_remove("THEORY_DATA").env_remove("THEORY_ORIGIN").env_remove("THEORY_CONFIG");
    command
        .current_dir(folder)
        .arg("doctor")
        .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
        .args(arguments);
    command
}

fn application() -> StandIn {
    StandIn::open(|_| Answer { status: 200, kind: "text/html", body: b"<h1>News</h1>".to_vec() })
}

/// The verdict on something, and what is said about it.
fn finding(output: &Output, check: &str) -> (String, String) {
    let found: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output.stderr)));
    let checks = found["checks"].as_array().expect("checks are a list");
    let found =
        checks.iter().find(|found| found["check"].as_str().is_some_and(|name| name.starts_with(check)));
    let found = found.unwrap_or_else(|| panic!("{check} is not among {checks:?}"));
    let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
    (text("verdict"), format!("{} {}", text("text"), text("advice")))
}

#[test]
fn all_is_well_before_the_first_start() {
    let (folder, application) = (tempfile::tempdir().expect("a temporary folder"), application());
    let output = doctor(folder.path(), &["--origin", &application.address]).output().unwrap();
    let told = told(&output);
    for check in ["config", "open files", "admin", "listen", "disk", "store", "bodies", "origin", "clock"] {
        assert!(told.contains(check), "{check} is missing from:\n{told}");
    }
    assert!(told.contains("answers 200 OK to GET /"), "{told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn an_application_that_does_not_answer_fails() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let origin = format!("http://127.0.0.1:{port}");
    let output = doctor(folder.path(), &["--origin", &origin, "--json"]).output().unwrap();
    assert!(refused(&output, 1).contains("1 check failed"));
    let (verdict, text) = finding(&output, "origin");
    assert!(verdict == "fail" && text.contains(&origin) && text.contains("start the application"), "{text}");
    let failing = StandIn::open(|_| Answer { status: 503, kind: "text/plain", body: Vec::new() });
    let output = doctor(folder.path(), &["--origin", &failing.address, "--json"]).output().unwrap();
    assert_eq!(finding(&output, "origin").0, "warn");
    told(&output);
}

#[test]
fn settings_that_are_wrong_are_told_one_by_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(
        folder.path().join("theory.toml"),
        "origin = 'http://127.0.0.1:1'\nlissten = 'x'\nrevalidate = 'soon'\n",
    )
    .unwrap();
    let output = doctor(folder.path(), &["--json"]).output().unwrap();
    refused(&output, 1);
    let (verdict, text) = finding(&output, "config");
    assert!(verdict == "fail" && text.contains("theory.toml:"), "{text}");
}

#[test]
fn a_port_that_another_program_has_fails() {
    let (folder, application) = (tempfile::tempdir().expect("a temporary folder"), application());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = theory();
    command.env_remove("THEORY_DATA").current_dir(folder.path());
    command.args([
        "doctor",
        "--json",
        "--admin-listen",
        "off",
        "--origin",
        &application.address,
        "--listen",
        &address,
    ]);
    let output = command.output().unwrap();
    refused(&output, 1);
    let (verdict, text) = finding(&output, "listen");
    assert!(verdict == "fail" && text.contains("is taken"), "{text}");
    // Another server at the address of the admin listener is no gateway.
    let other = application.address.trim_start_matches("http://");
    let mut command = theory();
    command.env_remove("THEORY_DATA").current_dir(folder.path());
    command.args([
        "doctor",
        "--json",
        "--listen",
        "127.0.0.1:0",
        "--origin",
        &application.address,
        "--admin-listen",
        other,
    ]);
    let output = command.output().unwrap();
    let (verdict, text) = finding(&output, "admin");
    assert!(verdict == "fail" && text.contains("as no gateway does"), "{text}");
}

#[test]
fn a_table_of_another_shape_is_told() {
    let (folder, application) = (tempfile::tempdir().expect("a temporary folder"), application());
    let data = folder.path().join("theory-data/store");
    let engine = Engine::open(&data, Settings::default()).unwrap();
    let table = CreateTable {
        table: "facetheory-cache".to_owned(),
        attributes: vec![AttributeDefinition { name: "id".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("id")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    engine.run(table).unwrap();
    engine.close().unwrap();
    let output = doctor(folder.path(), &["--origin", &application.address, "--json"]).output().unwrap();
    refused(&output, 1);
    let (verdict, text) = finding(&output, "table facetheory-cache");
    assert!(verdict == "fail" && text.contains("its key is") && text.contains("tables create"), "{text}");
    assert_eq!(finding(&output, "table rate-limits").0, "ok");
    assert_eq!(finding(&output, "store").0, "ok");
    // While another process has the folder, nothing is known of its tables.
    let engine = Engine::open(&data, Settings::default()).unwrap();
    let output = doctor(folder.path(), &["--origin", &application.address, "--json"]).output().unwrap();
    let (verdict, text) = finding(&output, "store");
    assert!(verdict == "fail" && text.contains("in use by another process"), "{text}");
    drop(engine);
}
