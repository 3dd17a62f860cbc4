//! `theory archive` as an operator runs it: processes that archive a folder or an endpoint into a folder or a bucket, are stopped and
//! killed, and put back what was archived.

mod refusals;
mod table;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use local_s3::LocalS3;
use serde_json::Value as Json;

use crate::clients::client::{Keys, isolate};
use crate::server::{Server, wait};
use table::{Table, expired};

/// The keys of the bucket; the endpoint asks for none and takes these as well.
const KEYS: Keys = Keys { access: local_s3::ACCESS_KEY_ID, secret: local_s3::SECRET_ACCESS_KEY };
const PATIENCE: Duration = Duration::from_secs(120);

/// The command, with nothing of this machine's own settings.
fn archive(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
    isolate(&mut command, KEYS);
    command.env_remove("AWS_ENDPOINT_URL_S3").env("THEORY_DATA", "no-such-folder");
    command.arg("archive").args(arguments);
    command
}

/// Runs it to its end.
fn run(arguments: &[&str]) -> Output {
    archive(arguments).output().expect("the binary starts")
}

#[track_caller]
fn told(output: &Output) -> Json {
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{error}");
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is text")
}

fn name(path: &Path) -> &str {
    path.to_str().expect("the name is text")
}

/// Ends with its value.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        Self(command.spawn().expect("the binary starts"))
    }

    /// Asks it to end, and gives what it printed.
    fn stop(mut self) -> (bool, String) {
        let sent = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let status = wait(&mut self.0, PATIENCE).expect("it ends when it is asked to");
        let mut out = String::new();
        let pipe = self.0.stdout.take().expect("its output is piped");
        std::io::Read::read_to_string(&mut { pipe }, &mut out).expect("the output is text");
        (status.success(), out)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The objects of an archive, by the names of the items in them.
fn archived(place: &str) -> Vec<String> {
    let listed = told(&run(&["ls", "--from", place, "--all", "--keys", "--json"]));
    let objects = listed["objects"].as_array().expect("a list");
    let mut names: Vec<String> =
        objects.iter().map(|object| object["keys"]["id"]["S"].as_str().expect("a key").to_owned()).collect();
    names.sort_unstable();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn what_expires_behind_an_endpoint_is_archived_into_a_bucket_and_comes_back() {
    let (server, bucket) = (Server::dynamodb(&["--memory"]), LocalS3::start("archive").await.unwrap());
    let table = Table::make(&server.address).await;
    table.put(0..300).await;
    table.wait_until_empty().await;
    let aws = |arguments: &[&str]| {
        let mut command = archive(arguments);
        command.env("AWS_ENDPOINT_URL_S3", bucket.endpoint()).args(["--json"]);
        command.output().expect("the binary starts")
    };
    let endpoint = ["--endpoint", server.address.as_str()];
    let arguments = ["run", "--table", "app", "--to", "s3://archive/app", "--once"];
    let first = told(&aws(&[&arguments[..], &endpoint].concat()));
    assert_eq!((&first["archived"], &first["passed"]), (&300.into(), &300.into()), "{first}");
    let again = told(&aws(&[&arguments[..], &endpoint].concat()));
    assert_eq!((&again["archived"], &again["present"]), (&0.into(), &0.into()), "{again}");

    let days = told(&aws(&["ls", "--from", "s3://archive/app", "--days"]));
    assert_eq!(
        days["days"].as_array().unwrap().iter().filter_map(|day| day["objects"].as_u64()).sum::<u64>(),
        300
    );
    let page = told(&aws(&["ls", "--from", "s3://archive/app", "--limit", "7"]));
    assert_eq!(page["objects"].as_array().unwrap().len(), 7);
    let cursor = page["cursor"].as_str().unwrap();
    let next = told(&aws(&["ls", "--from", "s3://archive/app", "--limit", "1000", "--cursor", cursor]));
    assert_eq!((next["objects"].as_array().unwrap().len(), &next["cursor"]), (293, &Json::Null));

    let arguments = ["restore", "--from", "s3://archive/app", "--table", "app"];
    let undecided = aws(&[&arguments[..], &endpoint].concat());
    assert_eq!(undecided.status.code(), Some(1));
    assert!(
        text(&undecided.stderr).contains("--ttl-in 30d, --without-ttl or --keep-ttl"),
        "{}",
        text(&undecided.stderr)
    );
    let dry = told(&aws(&[&arguments[..], &["--without-ttl", "--dry-run"], &endpoint].concat()));
    assert_eq!((&dry["restored"], table.items().await.len()), (&300.into(), 0));
    let restored = told(&aws(&[&arguments[..], &["--without-ttl"], &endpoint].concat()));
    assert_eq!(restored["restored"], 300, "{restored}");
    let mut wanted = expired(0..300, table.ends);
    wanted.values_mut().for_each(|item| drop(item.remove("ends")));
    assert!(table.items().await == wanted, "all items, without the time to live");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_archiver_archives_what_expires_and_ends_when_it_is_asked() {
    let (server, folder) = (Server::dynamodb(&["--memory"]), tempfile::tempdir().unwrap());
    let table = Table::make(&server.address).await;
    let place = folder.path().join("archive");
    let arguments = ["run", "--table", "app", "--to", name(&place), "--endpoint", &server.address, "--json"];
    let running = Running::start(archive(&arguments));
    table.put(0..50).await;
    table.wait_until_empty().await;
    while !place.is_dir() || archived(name(&place)).len() < 50 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (is_well, out) = running.stop();
    assert!(is_well, "{out}");
    let summary: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((&summary["archived"], &summary["gaps"]), (&50.into(), &0.into()), "{summary}");
    // What another time brings is archived by another run.
    table.put(50..60).await;
    table.wait_until_empty().await;
    let more = told(&run(&[&arguments[..], &["--once"]].concat()));
    assert_eq!((&more["archived"], &more["present"]), (&10.into(), &0.into()), "{more}");
    assert_eq!(archived(name(&place)), expired(0..60, 0).into_keys().collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn archivers_that_are_killed_lose_and_duplicate_nothing() {
    let (server, folder) = (Server::dynamodb(&["--memory"]), tempfile::tempdir().unwrap());
    let table = Table::make(&server.address).await;
    let place = folder.path().join("archive");
    let arguments = [
        "run",
        "--table",
        "app",
        "--to",
        name(&place),
        "--endpoint",
        &server.address,
        "--concurrency",
        "2",
        "--json",
    ];
    let (mut had, mut killed_between) = (0, 0);
    for round in 0..5 {
        // The second half comes later: if the test stands still until an archiver is through with the first, there is more for others.
        let there = if round < 2 { 1000 } else { 2000 };
        if [0, 2].contains(&round) {
            table.put(there - 1000..there).await;
            table.wait_until_empty().await;
        }
        let running = Running::start(archive(&arguments));
        // Each gets a little further than the one before.
        while !place.is_dir() || archived(name(&place)).len() < (had + 40).min(there) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(running);
        had = archived(name(&place)).len();
        killed_between += u32::from(had < there);
    }
    assert!(killed_between > 0, "none was killed before it had archived everything");
    let rest = told(&run(&[&arguments[..], &["--once"]].concat()));
    assert_eq!(rest["dead_letters"], 0, "{rest}");
    assert_eq!(archived(name(&place)), expired(0..2000, 0).into_keys().collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_expired_in_a_folder_is_archived_into_a_folder_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let (data, place) = (folder.path().join("data"), folder.path().join("archive"));
    let ends = table::fill(&data, 500).await;
    let arguments = ["run", "--table", "app", "--to", name(&place), "--data", name(&data), "--once"];
    let output = run(&arguments);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        out,
        format!("500 items of app archived into {}; 500 other changes passed over\n", place.display())
    );
    assert!(table::read(&data).await.is_empty(), "what has expired is gone");

    let one =
        ["restore", "--from", name(&place), "--table", "app", "--data", name(&data), "--keep-ttl", "--json"];
    let key = told(&run(&[&one[..], &["--key", r#"{"id": {"S": "item-7"}}"#]].concat()));
    assert_eq!(key["restored"], 1, "{key}");
    let all = told(&run(&one));
    assert_eq!(all["restored"].as_u64().unwrap() + all["present"].as_u64().unwrap(), 500, "{all}");
    assert!(table::read(&data).await == expired(0..500, ends), "the originals");
}
