//! `theory copy` as an operator runs it: processes that copy folders and endpoints, are killed and go on, and what they refuse before
//! anything changes.

mod exports;
mod local;
mod refusals;
mod source;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use crate::clients::client::{Keys, isolate};
use crate::server::Server;
use source::Source;

/// Keys for whoever wants some.
const KEYS: Keys = Keys { access: local_s3::ACCESS_KEY_ID, secret: local_s3::SECRET_ACCESS_KEY };

/// The command in this folder, with nothing of this machine's own settings.
fn copy(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
    isolate(&mut command, KEYS);
    command.env_remove("AWS_ENDPOINT_URL_S3").env("THEORY_DATA", "no-such-folder");
    command.current_dir(folder).arg("copy").args(arguments);
    command
}

/// What a command that went well printed.
#[track_caller]
fn told(output: &Output) -> Json {
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{error}");
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"))
}

/// What a command that failed said.
#[track_caller]
fn refused(output: &Output) -> String {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}{error}", text(&output.stdout));
    assert!(error.contains("error:") && !error.contains("panicked"), "{error}");
    error
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is text")
}

/// How many items a journal says are copied.
fn copied(journal: &Path) -> u64 {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let state: Json = text.split_once('\n').map_or(Json::Null, |(_, body)| {
        serde_json::from_str(body).expect("a journal is whole whenever it is read")
    });
    state["tables"][0]["checkpoint"]["progress"]["written"].as_u64().unwrap_or_default()
}

/// Starts a copy, and kills it with -9 when so many items are copied.
#[track_caller]
fn kill_at(items: u64, folder: &Path, arguments: &[&str]) -> u64 {
    let journal = folder.join("theory-copy.journal");
    let mut command = copy(folder, arguments);
    // Slow enough for the copy not to come to its end while the test stands still for some seconds.
    command.args(["--rate", "20000/s"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    for _ in 0..60_000 {
        if copied(&journal) >= items {
            break;
        }
        let ended = child.try_wait().expect("a child can be asked");
        assert!(ended.is_none(), "it ended before it could be killed: {ended:?}");
        #[expect(clippy::disallowed_methods, reason = "another process needs real time to copy")]
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is running");
    child.wait().expect("it was killed");
    let copied = copied(&journal);
    assert!(copied >= items, "{copied}");
    copied
}

#[test]
fn two_hundred_thousand_items_arrive_though_the_copy_is_killed_twice() {
    const ITEMS: u64 = 200_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), ITEMS);
    let to = folder.path().join("to");
    let server = Server::dynamodb(&["--data", to.to_str().expect("the name is text")]);
    let stores = ["--from", "./from", "--to", &server.address];
    let first = kill_at(30_000, folder.path(), &[&stores[..], &["users"]].concat());
    let resumed = [&stores[..], &["--resume", "--json"]].concat();
    let second = kill_at(110_000, folder.path(), &resumed);
    assert!(first < second && second < ITEMS, "{first}, {second}");
    let done = told(&copy(folder.path(), &resumed).output().expect("the binary starts"));
    let table = &done["tables"][0];
    assert_eq!((&done["equal"], &table["copied"]), (&Json::from(true), &Json::from(ITEMS)), "{done}");
    assert_eq!(table["comparison"]["to"]["items"], ITEMS);
    assert_eq!(table["comparison"]["from"]["checksum"], table["comparison"]["to"]["checksum"]);
    assert!(!folder.path().join("theory-copy.journal").exists(), "it came to its end");
    // Another process, which knows of no journal, finds the same.
    let verify = [&stores[..], &["users", "--verify-only", "--json"]].concat();
    assert_eq!(told(&copy(folder.path(), &verify).output().expect("the binary starts"))["equal"], true);
}
