//! `theory config` as a person runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::text;

/// Runs it in a folder, with these variables and none of whoever runs the tests.
fn config(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
    command.arg("config").args(arguments).current_dir(folder).env_clear().envs(variables.iter().copied());
    command.output().expect("the binary starts")
}

fn folder(file: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("theory.toml"), file).expect("the file can be written");
    folder
}

/// The line of a key, its spaces made one.
#[track_caller]
fn line(told: &str, key: &str) -> String {
    let found = told.lines().find(|line| line.trim_start().starts_with(&format!("{key} ")));
    let found = found.unwrap_or_else(|| panic!("{key} is missing from:\n{told}"));
    found.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_value_says_where_it_came_from() {
    let folder = folder(
        "origin = 'http://127.0.0.1:3000'\nlisten = '127.0.0.1:1'\n\n[admin]\ntoken = 'a-token-of-some-length'\n",
    );
    let variables = [("THEORY_LISTEN", "127.0.0.1:2"), ("THEORY_DATA", "kept")];
    let output = config(folder.path(), &variables, &["check", "--revalidate", "5m"]);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}{}", text(&output.stderr));
    assert_eq!(line(told, "url"), "url http://127.0.0.1:3000 theory.toml:1");
    assert_eq!(line(told, "listen"), "listen 127.0.0.1:2 THEORY_LISTEN");
    assert_eq!(line(told, "data"), "data kept THEORY_DATA");
    assert_eq!(line(told, "revalidate"), "revalidate 5m --revalidate");
    assert_eq!(line(told, "kind"), "kind embedded default");
    assert_eq!(line(told, "token"), "token (not shown) theory.toml:5");
    assert!(!told.contains("some-length"), "{told}");
}

#[test]
fn no_file_is_needed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = config(folder.path(), &[], &["check", "--origin", "http://127.0.0.1:3000"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("There is no theory.toml"), "{}", text(&output.stdout));
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0,
        "a check leaves nothing behind"
    );
}

#[test]
fn everything_that_is_wrong_is_told_and_the_code_is_1() {
    let folder = folder("orign = 'http://127.0.0.1:3000'\nlisten = 'here'\n");
    let output = config(folder.path(), &[("THEORY_ORIGIN", "http://127.0.0.1:3000")], &["check"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains("theory.toml:1:1: `orign` is unknown at the top: did you mean `origin`?"),
        "{told}"
    );
    assert!(told.contains("theory.toml:2:10: `listen` cannot be `here`"), "{told}");
    assert!(output.stdout.is_empty() && !told.contains("backtrace"), "{told}");
}

#[test]
fn programs_are_told_in_json() {
    let folder = folder("origin = 'http://127.0.0.1:3000'\n[[route]]\npath = '/a'\nrevalidate = '2h'\n");
    let output = config(folder.path(), &[], &["check", "theory.toml", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&told["ok"], &told["file"]), (&Value::from(true), &Value::from("theory.toml")));
    let values = told["values"].as_array().expect("values");
    let found = values.iter().find(|value| value["table"] == "route[0]" && value["key"] == "revalidate");
    let found = found.expect("the route is explained");
    assert_eq!((&found["value"], &found["source"]["line"]), (&Value::from("2h"), &Value::from(4)));

    let output = config(folder.path(), &[], &["check", "--json", "--config", "missing.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(told["ok"], Value::from(false));
    assert!(told["problems"][0]["text"].as_str().is_some_and(|text| text.contains("missing.toml")), "{told}");
}

#[test]
fn the_example_can_be_used_as_it_is_printed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = config(folder.path(), &[], &["example"]);
    assert!(output.status.success());
    std::fs::write(folder.path().join("theory.toml"), &output.stdout).expect("the file can be written");
    let output = config(folder.path(), &[], &["check"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("site blog, route /blog/{slug}"), "{}", text(&output.stdout));
}
