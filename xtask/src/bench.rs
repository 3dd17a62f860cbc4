//! `cargo xtask bench`: builds the program `theory` and finds AWS's DynamoDB Local, then runs `benches-peers`, which puts
//! ours beside its peers in process and over HTTP, and hands it all arguments.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{dynamodb_local, tool};

/// One run, one table.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let peers = ["run", "--release", "--locked", "--manifest-path", "benches-peers/Cargo.toml", "--"];
    let mut peers = workspace.cargo(&peers);
    if !arguments.iter().any(|word| word == "--help" || word == "-h") {
        if !tool::is_skipped(dynamodb_local::SKIP) {
            peers.arg("--dynamodb-local").arg(dynamodb_local::ensure(workspace)?);
        }
        peers.arg("--theory").arg(build_theory(workspace)?);
    }
    succeed(peers.args(arguments))
}

/// Builds the program as it is released, and says where it is.
fn build_theory(workspace: &Workspace) -> Result<PathBuf> {
    let build = ["build", "--release", "--locked", "--package", "theory"];
    let mut build = workspace.cargo(&build);
    build.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let done = build.output().context("cannot start cargo")?;
    ensure!(done.status.success(), "`theory` cannot be built: cargo ended with {}", done.status);
    executable(&String::from_utf8_lossy(&done.stdout)).context("cargo does not say where it put `theory`")
}

/// The program named in cargo's messages, of which each stands on a line of its own.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages
        .filter(|message| message["target"]["name"] == "theory")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"tabletheory_core"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"theory"},"executable":"/somewhere/release/theory"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("/somewhere/release/theory")));
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
