//! What is refused, each with what to do, and before anything changes.

use serde_json::Value as Json;

use super::{copy, refused, text, told};
use crate::server::Server;

use super::source::Source;

#[test]
fn a_target_with_items_is_refused_until_somebody_allows_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 60);
    let run = |arguments: &[&str]| {
        let all = [&["--from", "./from", "--to", "./to"], arguments].concat();
        copy(folder.path(), &all).output().expect("the binary starts")
    };
    let planned = told(&run(&["users", "--dry-run", "--json"]));
    assert_eq!(
        (&planned["tables"][0]["target"], &planned["tables"][0]["items"]),
        (&"missing".into(), &60.into())
    );
    assert!(!folder.path().join("to").exists(), "a dry run makes nothing");
    assert_eq!(told(&run(&["users", "--json"]))["equal"], true);
    let error = refused(&run(&["users"]));
    assert!(error.contains("\"users\"") && error.contains("about 60 items"), "{error}");
    assert!(error.contains("--rename") && error.contains("--into-existing"), "{error}");
    assert_eq!(told(&run(&["users", "--into-existing", "--json"]))["tables"][0]["copied"], 60);
    let renamed = told(&run(&["users", "--rename", "users=people", "--rate", "5000/s", "--json"]));
    assert_eq!(renamed["tables"][0]["to"], "people");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2, "no journal is left");
}

#[test]
fn items_that_a_target_had_stay_and_what_it_lacks_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 50);
    Source::new("users").bare().fill(&folder.path().join("to"), 60);
    let all = ["--from", "./from", "--to", "./to", "users", "--into-existing"];
    let output = copy(folder.path(), &all).output().expect("the binary starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for said in ["beside 10 items", "`by_n` is missing", "items do not expire by `ends`"] {
        assert!(text(&output.stderr).contains(said), "{said}: {}", text(&output.stderr));
    }
    let output = copy(folder.path(), &[&all[..], &["--json"]].concat()).output().expect("the binary starts");
    let told = told(&output);
    let table = &told["tables"][0];
    assert_eq!(
        (&told["equal"], &table["outcome"], &table["extra"]),
        (&false.into(), &"beside".into(), &10.into())
    );
    assert_eq!(table["differences"].as_array().map(Vec::len), Some(2), "{told}");
    assert!(!folder.path().join("theory-copy.journal").exists(), "it came to its end");
}

#[test]
fn tables_that_differ_are_named_with_their_keys() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 60);
    Source::new("users").fill(&folder.path().join("to"), 58);
    let stores = ["--from", "./from", "--to", "./to", "users", "--verify-only"];
    let output = copy(folder.path(), &stores).output().expect("the binary starts");
    let error = refused(&output);
    assert!(
        error.contains("missing {\"id\":{\"S\":\"user-58\"}}") && error.contains("the tables differ"),
        "{error}"
    );
    let output =
        copy(folder.path(), &[&stores[..], &["--json"]].concat()).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(1));
    let told: Json = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    let differences = told["tables"][0]["comparison"]["differences"].as_array().expect("a list");
    assert!(differences.len() == 2 && differences.iter().all(|one| one["is"] == "missing"), "{told}");
}

#[test]
fn wrong_credentials_are_told_before_anything_changes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 30);
    let keys = ["--memory", "--access-key", "right", "--secret-key", "also-right"];
    let server = Server::dynamodb(&keys);
    let stores = ["--from", "./from", "--to", &server.address, "users"];
    let error = refused(&copy(folder.path(), &stores).output().expect("the binary starts"));
    assert!(error.contains(&server.address) && error.contains("AWS_PROFILE"), "{error}");
    let mut right = copy(folder.path(), &[&stores[..], &["--json"]].concat());
    right.env("AWS_ACCESS_KEY_ID", "right").env("AWS_SECRET_ACCESS_KEY", "also-right");
    assert_eq!(
        told(&right.output().expect("the binary starts"))["equal"],
        true,
        "the table was not there before"
    );
}

#[test]
fn journals_that_are_foreign_damaged_missing_or_cannot_be_written_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 30);
    let run = |arguments: &[&str]| {
        let all = [&["--from", "./from", "--to", "./to", "users"], arguments].concat();
        refused(&copy(folder.path(), &all).output().expect("the binary starts"))
    };
    assert!(run(&["--resume"]).contains("no copy was stopped here"));
    std::fs::write(folder.path().join("notes.txt"), "dear diary").expect("a file is written");
    let error = run(&["--journal", "notes.txt"]);
    assert!(error.contains("notes.txt is no journal") && error.contains("--journal"), "{error}");
    assert!(run(&["--resume", "--journal", "notes.txt"]).contains("notes.txt is no journal"));
    let error = run(&["--journal", "no/such/folder/journal"]);
    assert!(error.contains("no/such/folder/journal cannot be locked"), "{error}");
    let files =
        ["notes.txt"].map(|name| std::fs::read_to_string(folder.path().join(name)).expect("it is there"));
    assert_eq!(files, ["dear diary"]);
}

#[test]
fn what_is_no_store_or_table_is_told_with_what_to_say() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 1);
    for (arguments, said) in [
        (&["--from", "./from", "--to", "./to", "nobody"][..], "there is no table \"nobody\""),
        (&["--from", "./none", "--to", "./to", "--all"], "./none holds no store"),
        (&["--from", "./from", "--to", "./from", "--all"], "are both"),
        (&["--from", "./from", "--to", "export:./e", "--resume"], "begin it anew"),
        (&["--from", "export:./a", "--to", "export:./b"], "copy its files as they are"),
        (&["--from", "export:./from", "--to", "./to"], "there is no export in"),
        (&["--from", "./from", "--to", "http://127.0.0.1:9", "users"], "is it running"),
        (&["--from", "./from", "--to", "./to", "users", "--rename", "x=y"], "names no table that is copied"),
    ] {
        let error = refused(&copy(folder.path(), arguments).output().expect("the binary starts"));
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    assert!(!folder.path().join("to").exists(), "nothing was made");
    for (arguments, said) in [
        (&["--from", "s3://bucket", "--to", "./to"][..], "say export:s3://bucket"),
        (&["--from", "./from", "--to", "./to", "--rate", "0/s"], "such as 500/s"),
        (&["--from", "./from", "--to", "./to", "--key", "pk:X"], "such as pk:S"),
        (&["--from", "./from", "--to", "./to", "--segments", "0"], "1..=128"),
    ] {
        let output = copy(folder.path(), arguments).output().expect("the binary starts");
        assert!(
            output.status.code() == Some(2) && text(&output.stderr).contains(said),
            "{}",
            text(&output.stderr)
        );
    }
}
