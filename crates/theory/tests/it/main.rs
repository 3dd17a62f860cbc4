//! The binary as a person runs it.

mod application;
mod archive;
mod browser;
mod cache;
mod clients;
mod commands;
mod config;
mod copy;
mod dynamodb;
#[cfg(target_os = "linux")]
mod fleet;
#[cfg(target_os = "linux")]
mod gateways;
mod isr_interop;
mod laws;
#[cfg(target_os = "linux")]
mod limits;
mod origins;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod requests;
#[cfg(target_os = "linux")]
mod said;
#[cfg(target_os = "linux")]
mod served;
mod server;
mod shapes;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod soak;
mod synth;

use std::process::{Command, Output};

fn theory(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_theory")).args(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

/// Runs the demo to its end on free ports, and gives the lines it printed.
fn demo(more: &[&str]) -> Vec<serde_json::Value> {
    let arguments =
        ["demo", "--seconds", "4", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--json"];
    let output = theory(&[&arguments[..], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout).lines();
    lines.map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn the_demo_serves_visitors_from_the_cache_and_ends_by_itself() {
    let [places, summary] = &demo(&[])[..] else { panic!("two lines: the addresses and the summary") };
    assert!(places["dashboard"].as_str().is_some_and(|link| link.contains("/#token=")), "{places}");
    let count = |name: &str| summary[name].as_u64().expect("a count");
    assert!(count("visits") > 0 && count("from_cache") > 0 && count("renders") > 0, "{summary}");
    assert!(count("from_cache") <= count("visits") && count("renders") < count("visits"), "{summary}");
}

#[test]
fn the_demo_finds_its_pages_again_in_its_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("the folder's name is text");
    demo(&["--data", data]);
    let again = demo(&["--data", data]);
    // A page of the first run, whose time is over by now, is served at once and rendered beside that.
    assert!(again[1]["from_cache"].as_u64() > Some(0), "{}", again[1]);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let data = file.path().to_str().expect("the file's name is text");
    let output = theory(&[
        "demo",
        "--seconds",
        "1",
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "127.0.0.1:0",
        "--data",
        data,
    ]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains(data), "{}", text(&output.stderr));
}

#[test]
fn without_arguments_it_teaches() {
    let output = theory(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("demo"), "{}", text(&output.stderr));
}
