//! `theory tables migrate`, on a folder.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{refused, theory, told};

/// A document whose model has an index and a time to live.
const DOCUMENT: &str = r#"
dms_version: "0.2"
namespace: "test"
models:
  - name: "Page"
    table: { name: "facetheory-cache" }
    keys:
      partition: { attribute: "pk", type: "S" }
      sort: { attribute: "sk", type: "S" }
    attributes:
      - { attribute: "pk", type: "S", required: true, roles: ["pk"] }
      - { attribute: "sk", type: "S", required: true, roles: ["sk"] }
      - { attribute: "city", type: "S", optional: true, roles: ["index_pk:by_city"] }
      - { attribute: "hits", type: "N", optional: true }
      - { attribute: "ttl", type: "N", optional: true, roles: ["ttl"] }
    indexes:
      - { name: "by_city", type: "GSI", partition: { attribute: "city", type: "S" }, projection: { type: "ALL" } }
"#;

fn tables(data: &Path, arguments: &[&str]) -> Output {
    theory().arg("tables").args(arguments).arg("--data").arg(data).output().expect("the binary starts")
}

/// A folder with the gateway's tables, and some items.
fn made(items: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    told(&tables(folder.path(), &["create"]));
    let line = |number: usize| {
        let item =
            json!({ "pk": { "S": format!("p{number}") }, "sk": { "S": "META" }, "city": { "S": "Ulm" } });
        json!({ "Item": item }).to_string()
    };
    let lines: Vec<String> = (0..items).map(line).collect();
    std::fs::write(folder.path().join("lines.jsonl"), lines.join("\n")).expect("a file is written");
    let file = folder.path().join("lines.jsonl");
    told(&tables(folder.path(), &["import", "facetheory-cache", file.to_str().expect("text")]));
    std::fs::write(folder.path().join("page.yml"), DOCUMENT).expect("a file is written");
    folder
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&told(output)).expect("JSON")
}

#[test]
fn an_index_is_planned_then_added_and_then_nothing_is_missing() {
    let folder = made(300);
    let file = folder.path().join("page.yml");
    let model = ["migrate", "facetheory-cache", "--model", file.to_str().expect("text")];
    let planned = told(&tables(folder.path(), &model));
    assert!(planned.contains("by_city") && planned.contains("say --apply"), "{planned}");
    let described = json(&tables(folder.path(), &["describe", "facetheory-cache", "--json"]));
    assert!(described["Table"]["GlobalSecondaryIndexes"].is_null(), "a plan changes nothing: {described}");
    let applied = json(&tables(folder.path(), &[&model[..], &["--apply", "--json"]].concat()));
    assert_eq!(applied["steps"].as_array().map(Vec::len), Some(1), "{applied}");
    let described = json(&tables(folder.path(), &["describe", "facetheory-cache", "--json"]));
    let index = &described["Table"]["GlobalSecondaryIndexes"][0];
    assert_eq!((&index["IndexStatus"], &index["ItemCount"]), (&json!("ACTIVE"), &json!(300)), "{described}");
    assert!(told(&tables(folder.path(), &model)).contains("lacks nothing"));
    assert!(
        told(&tables(folder.path(), &["migrate", "facetheory-cache", "--kind", "cache"]))
            .contains("lacks nothing")
    );
}

#[test]
fn attributes_are_given_to_items_that_lack_them() {
    let folder = made(120);
    let set = ["migrate", "facetheory-cache", "--set-missing", r#"hits={"N":"0"}"#];
    assert!(told(&tables(folder.path(), &set)).contains("give hits to 120 items"));
    let applied = json(&tables(folder.path(), &[&set[..], &["--apply", "--json"]].concat()));
    assert_eq!(applied["filled"], 120);
    let exported = told(&tables(folder.path(), &["export", "facetheory-cache"]));
    assert_eq!(exported.matches(r#""hits":{"N":"0"}"#).count(), 120);
    assert!(told(&tables(folder.path(), &set)).contains("lacks nothing"));
}

#[test]
fn what_cannot_be_migrated_is_told_with_what_to_do() {
    let folder = made(1);
    let file = folder.path().join("page.yml");
    let file = file.to_str().expect("text");
    let other =
        refused(&tables(folder.path(), &["migrate", "facetheory-cache", "--kind", "limits", "--apply"]), 1);
    assert!(other.contains("copy into a new table") && other.contains("theory copy"), "{other}");
    let nothing = refused(&tables(folder.path(), &["migrate", "facetheory-cache"]), 1);
    assert!(nothing.contains("--kind, --model FILE or --set-missing"), "{nothing}");
    let missing = refused(&tables(folder.path(), &["migrate", "nobody", "--kind", "cache"]), 1);
    assert!(missing.contains("there is no table nobody"), "{missing}");
    let key = refused(
        &tables(folder.path(), &["migrate", "facetheory-cache", "--set-missing", r#"pk={"S":"x"}"#]),
        1,
    );
    assert!(key.contains("part of the key"), "{key}");
    let kind =
        ["migrate", "facetheory-cache", "--model", file, "--set-missing", r#"hits={"S":"none"}"#, "--apply"];
    let kind = refused(&tables(folder.path(), &kind), 1);
    assert!(kind.contains("--set-missing hits is S, and in Page it is N"), "{kind}");
    std::fs::write(file, "models: 7").expect("a file is written");
    let document = refused(&tables(folder.path(), &["migrate", "facetheory-cache", "--model", file]), 1);
    assert!(document.contains("page.yml is no document about models"), "{document}");
    let json =
        refused(&tables(folder.path(), &["migrate", "facetheory-cache", "--set-missing", "hits=0"]), 2);
    assert!(json.contains("DynamoDB's JSON"), "{json}");
}
