//! `theory tables`, on a folder and on an endpoint.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{refused, said, theory, told};
use crate::server::Server;

const PAGES: &str = "facetheory-cache";

/// The variables that name tables.
const NAMES: [&str; 4] = [
    "FACETHEORY_CACHE_TABLE_NAME",
    "APPTHEORY_CACHE_TABLE_NAME",
    "RATE_LIMIT_TABLE_NAME",
    "IDEMPOTENCY_TABLE_NAME",
];

fn tables(data: &Path, arguments: &[&str]) -> Output {
    tables_in(&[], data, arguments)
}

/// With these variables, and none of the others that name tables.
fn tables_in(variables: &[(&str, &str)], data: &Path, arguments: &[&str]) -> Output {
    let mut command = theory();
    for name in NAMES {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command.arg("tables").args(arguments).arg("--data").arg(data).output().expect("the binary starts")
}

fn line(pk: &str, text: &str) -> String {
    json!({ "Item": { "pk": { "S": pk }, "sk": { "S": "META" }, "text": { "S": text } } }).to_string()
}

fn write(folder: &Path, lines: &[String]) -> String {
    let file = folder.join("lines.jsonl");
    std::fs::write(&file, lines.join("\n")).expect("a file is written");
    file.to_str().expect("the name is text").to_owned()
}

#[test]
fn tables_are_made_once_listed_and_described() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let made = told(&tables(data.path(), &["create"]));
    assert_eq!(made.matches("made").count(), 3, "{made}");
    assert!(data.path().join("store").is_dir(), "a gateway looks for it there");
    let again: Value = serde_json::from_str(&told(&tables(data.path(), &["create", "--json"]))).unwrap();
    assert!(again["tables"].as_array().unwrap().iter().all(|table| table["created"] == false), "{again}");
    let listed: Value = serde_json::from_str(&told(&tables(data.path(), &["ls", "--json"]))).unwrap();
    assert_eq!(
        listed["tables"][0],
        json!({ "name": PAGES, "status": "ACTIVE", "items": 0, "bytes": 0, "keys": ["pk", "sk"], "ttl": "ttl", "indexes": [] })
    );
    let table = told(&tables(data.path(), &["ls"]));
    assert!(table.lines().count() == 4 && table.contains("pk (S), sk (S)"), "{table}");
    let described = told(&tables(data.path(), &["describe", PAGES]));
    assert!(described.contains("key         pk (S), sk (S)\nexpires by  ttl\n"), "{described}");
    let described: Value =
        serde_json::from_str(&told(&tables(data.path(), &["describe", PAGES, "--json"]))).unwrap();
    assert_eq!(described["Table"]["TableName"], PAGES);
    assert_eq!(described["TimeToLiveDescription"]["AttributeName"], "ttl");
}

/// The older variable was not read, and an empty one was taken for a name.
#[test]
fn tables_are_named_by_flag_then_by_the_first_variable_that_says_something() {
    let [cache, older, limits, requests] = NAMES;
    for (variables, arguments, expected) in [
        (vec![(older, "older")], vec![], ["older", "rate-limits", "idempotency"]),
        (vec![(cache, "new"), (older, "older")], vec![], ["new", "rate-limits", "idempotency"]),
        (vec![(cache, ""), (older, "older"), (limits, "")], vec![], ["older", "rate-limits", "idempotency"]),
        (vec![(cache, ""), (requests, "once")], vec![], [PAGES, "rate-limits", "once"]),
        (vec![(cache, "new"), (limits, "few")], vec!["--cache", "mine"], ["mine", "few", "idempotency"]),
    ] {
        let data = tempfile::tempdir().expect("a temporary folder");
        let arguments = [vec!["create", "--json"], arguments].concat();
        let made = told(&tables_in(&variables, data.path(), &arguments));
        let made: Value = serde_json::from_str(&made).unwrap();
        let names = made["tables"].as_array().unwrap().iter().map(|table| &table["name"]);
        assert_eq!(names.collect::<Vec<_>>(), expected, "{variables:?}");
    }
}

#[test]
fn what_is_exported_can_be_imported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    told(&tables(&first, &["create"]));
    told(&tables(&second, &["create"]));
    // More than a batch, more than a page of a scan, and of one key twice: the later line counts.
    let long = "x".repeat(3000);
    let mut lines: Vec<String> = (0..1000).map(|number| line(&format!("CACHE#{number}"), &long)).collect();
    lines.push(line("CACHE#7", "later \u{1b} é\n"));
    let file = write(folder.path(), &lines);
    assert_eq!(told(&tables(&first, &["import", PAGES, &file])), format!("1001 items put into {PAGES}\n"));
    let out = folder.path().join("out.jsonl");
    let out = out.to_str().expect("the name is text");
    let exported = told(&tables(&first, &["export", PAGES, "--out", out]));
    assert_eq!(exported, format!("1000 items of {PAGES} in {out}\n"));
    told(&tables(&second, &["import", PAGES, out]));
    let sorted = |data: &Path| {
        let mut lines: Vec<String> =
            told(&tables(data, &["export", PAGES])).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let lines = sorted(&first);
    assert_eq!(lines.len(), 1000);
    assert!(lines.contains(&line("CACHE#7", "later \u{1b} é\n")));
    assert_eq!(lines, sorted(&second));
}

#[test]
fn a_file_that_is_no_export_changes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    told(&tables(folder.path(), &["create"]));
    for (first, expected) in
        [("{\"pk\":\"CACHE#1\"}", "line 1"), ("hello", "line 1"), ("\u{1f}\u{8b}", "line 1")]
    {
        let file = write(folder.path(), &[first.to_owned(), line("CACHE#1", "a")]);
        let error = refused(&tables(folder.path(), &["import", PAGES, &file]), 1);
        assert!(error.contains(expected), "{error}");
    }
    let gzip = folder.path().join("export.json.gz");
    std::fs::write(&gzip, [0x1f, 0x8b, 8, 0]).expect("a file is written");
    let error = refused(&tables(folder.path(), &["import", PAGES, gzip.to_str().unwrap()]), 1);
    assert!(error.contains("gunzip"), "{error}");
    assert_eq!(told(&tables(folder.path(), &["export", PAGES])), "");
}

#[test]
fn a_line_that_is_refused_is_named_and_the_others_go_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    told(&tables(folder.path(), &["create"]));
    let lines = [
        line("CACHE#1", "a"),
        "{\"Item\":{\"pk\":".to_owned(),
        String::new(),
        json!({ "Item": { "pk": { "N": "1" }, "sk": { "S": "META" } } }).to_string(),
        json!({ "Item": { "pk": { "S": "CACHE#2" } } }).to_string(),
        line("CACHE#3", "b"),
    ];
    let file = write(folder.path(), &lines);
    let output = tables(folder.path(), &["import", PAGES, &file, "--json"]);
    let error = refused(&output, 1);
    for number in [2, 4, 5] {
        assert!(error.contains(&format!("refused line {number}: ")), "{error}");
    }
    assert!(error.ends_with("error: 3 lines refused\n"), "{error}");
    let told_json: Value = serde_json::from_str(&said(&output.stdout)).unwrap();
    assert_eq!(told_json, json!({ "table": PAGES, "items": 2, "refused": 3, "dry_run": false }));
    assert_eq!(told(&tables(folder.path(), &["export", PAGES])).lines().count(), 2);
}

#[test]
fn a_dry_run_changes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    told(&tables(folder.path(), &["create"]));
    let file = write(folder.path(), &[line("CACHE#1", "a")]);
    assert!(
        told(&tables(folder.path(), &["import", PAGES, &file, "--dry-run"])).contains("1 item could be put")
    );
    let file =
        write(folder.path(), &[line("CACHE#1", "a"), "{\"Item\":{\"pk\":{\"S\":\"CACHE#2\"}}}".to_owned()]);
    let error = refused(&tables(folder.path(), &["import", PAGES, &file, "--dry-run"]), 1);
    assert!(error.contains("refused line 2: the key attribute sk is missing"), "{error}");
    assert_eq!(told(&tables(folder.path(), &["export", PAGES])), "");
}

#[test]
fn a_table_or_a_folder_that_is_not_there_is_told_and_not_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("missing");
    for arguments in [&["ls"][..], &["describe", PAGES], &["export", PAGES]] {
        let error = refused(&tables(&missing, arguments), 1);
        assert!(error.contains("there is no folder") && error.contains("tables create"), "{error}");
    }
    assert!(!missing.exists());
    let error = refused(&tables(folder.path(), &["ls"]), 1);
    assert!(error.contains("holds no store"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    told(&tables(folder.path(), &["create"]));
    let file = write(folder.path(), &[line("CACHE#1", "a")]);
    for arguments in [&["describe", "other"][..], &["export", "other"], &["import", "other", &file]] {
        let error = refused(&tables(folder.path(), arguments), 1);
        assert!(error.contains("there is no table other"), "{error}");
    }
    let nowhere = folder.path().join("no/such/out.jsonl");
    refused(&tables(folder.path(), &["export", PAGES, "--out", nowhere.to_str().unwrap()]), 1);
}

#[test]
fn a_folder_that_is_in_use_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::dynamodb(&["--data", folder.path().to_str().unwrap()]);
    let error = refused(&tables(folder.path(), &["ls"]), 1);
    assert!(error.contains("in use by another process") && error.contains("stop that one first"), "{error}");
    drop(server);
}

#[cfg(feature = "aws")]
#[test]
fn an_endpoint_is_as_good_as_a_folder() {
    let server = Server::dynamodb(&["--memory"]);
    let ask = |arguments: &[&str]| {
        let mut command = theory();
        for name in [
            "AWS_ACCESS_KEY_ID",
            "AWS_PROFILE",
            "AWS_REGION",
            "AWS_DEFAULT_REGION",
            "FACETHEORY_CACHE_TABLE_NAME",
        ] {
            command.env_remove(name);
        }
        command
            .arg("tables")
            .args(arguments)
            .args(["--endpoint", &server.address])
            .output()
            .expect("the binary starts")
    };
    assert_eq!(told(&ask(&["create"])).matches("made").count(), 3);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines: Vec<String> = (0..60).map(|number| line(&format!("CACHE#{number}"), "a")).collect();
    let file = write(folder.path(), &lines);
    told(&ask(&["import", PAGES, &file]));
    assert_eq!(told(&ask(&["export", PAGES])).lines().count(), 60);
    let listed: Value = serde_json::from_str(&told(&ask(&["ls", "--json"]))).unwrap();
    assert_eq!((&listed["tables"][0]["name"], &listed["tables"][0]["items"]), (&json!(PAGES), &json!(60)));
    drop(server);
}
