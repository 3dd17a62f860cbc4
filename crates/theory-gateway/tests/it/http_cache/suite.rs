//! The npm package http-cache-tests, against a gateway with one such route in front of its own origin. What it finds wrong is written down with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use theory_gateway::config::{Document, Flags, read};
use theory_gateway::run::Running;

/// The environment variable with the place of the package; `cargo xtask test` sets it.
const NODE_MODULES: &str = "THEORY_CACHE_TESTS_NODE_MODULES";
const SKIP: &str = "THEORY_SKIP_CACHE_TESTS";
/// What is known to fail, one in a line, and why.
const KNOWN: &str = include_str!("known_failures.txt");

/// What the suite says about one test.
#[derive(serde::Deserialize)]
struct Tested {
    id: String,
    kind: String,
    failure: Option<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn http_cache_tests_find_nothing_that_is_not_written_down() {
    if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
        return;
    }
    let Some(modules) = std::env::var_os(NODE_MODULES).map(PathBuf::from) else {
        panic!("{NODE_MODULES} is not set: run `cargo xtask test`, or set {SKIP}=1 to do without");
    };
    let (mut passed, mut failed) = (BTreeMap::new(), BTreeMap::new());
    for test in run(modules).await {
        match test.failure {
            // What it only asks about has no right answer.
            Some(_) if test.kind == "check" => {}
            Some(failure) => drop(failed.insert(test.id, failure)),
            None => *passed.entry(test.kind).or_insert(0) += 1,
        }
    }
    println!("{passed:?}");
    let known: BTreeSet<&str> = KNOWN.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    let mended: Vec<&str> = known.iter().filter(|id| !failed.contains_key(**id)).copied().collect();
    failed.retain(|id, _| !known.contains(id.as_str()));
    assert!(failed.is_empty() && mended.is_empty(), "failed: {failed:#?}\nno longer fail: {mended:#?}");
    // Of 165 and 95.
    assert!(passed["required"] >= 153 && passed["optimal"] >= 87, "{passed:?}");
}

/// Everything the suite tests.
async fn run(modules: PathBuf) -> Vec<Tested> {
    let (node, port) = Node::start(modules);
    // Many tests make the origin fail on purpose, all at once.
    let settings = format!(
        "listen = '127.0.0.1:0'\norigin = {{url = 'http://127.0.0.1:{port}', failures_max = 1_000_000}}\n\
         admin = {{listen = 'off'}}\nstore = {{kind = 'memory'}}\n[[route]]\npath = '/{{*rest}}'\nkind = 'http-cache'"
    );
    let document = Document::new("theory.toml", "", settings);
    let effective = read(&document, &Flags::default(), &|_| None).unwrap_or_else(|error| panic!("{error}"));
    let gateway = Running::start(effective.settings).await.unwrap();
    let address = gateway.addresses()[0].to_string();
    let tests = tokio::task::spawn_blocking(move || node.test(&address)).await.unwrap();
    gateway.stop().await.unwrap();
    tests
}

/// The suite and its origin. It ends with this.
struct Node {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Node {
    /// Starts the origin; gives its port, too.
    fn start(modules: PathBuf) -> (Self, u16) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/http_cache/suite/run.mjs");
        let mut node = Command::new("node");
        node.arg(script).arg(modules).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().expect("node starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().expect("the origin says its port").unwrap().parse().unwrap();
        (Self { child, lines }, port)
    }

    /// Tests the cache at this address.
    fn test(mut self, address: &str) -> Vec<Tested> {
        writeln!(self.child.stdin.as_mut().unwrap(), "http://{address}").unwrap();
        self.lines.by_ref().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
