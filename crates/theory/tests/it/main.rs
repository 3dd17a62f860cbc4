//! The binary as a person runs it.

mod browser;
mod cache;
mod clients;
mod commands;
mod config;
mod dynamodb;
#[cfg(target_os = "linux")]
mod fleet;
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
mod server;
mod shapes;

use std::process::{Command, Output};

fn theory(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_theory")).args(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

#[test]
fn the_demo_tells_its_story_to_the_end() {
    let output = theory(&["demo"]);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}{}", text(&output.stderr));
    for step in 1..=7 {
        assert!(told.contains(&format!("\n{step}. ")), "step {step} is missing from:\n{told}");
    }
    assert!(told.contains("seven were refused") && told.contains("ConditionalCheckFailed"), "{told}");
}

#[test]
fn the_demo_can_be_run_again_on_its_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("the folder's name is text");
    for round in ["made", "is there from an earlier run"] {
        let output = theory(&["demo", "--data", data]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(round), "{}", text(&output.stdout));
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let data = file.path().to_str().expect("the file's name is text");
    let output = theory(&["demo", "--data", data]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains(data), "{}", text(&output.stderr));
}

#[test]
fn without_arguments_it_teaches() {
    let output = theory(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("demo"), "{}", text(&output.stderr));
}
