//! `cargo xtask bench`: builds the program `theory` and finds the peers (AWS's DynamoDB Local; for pages nginx, Varnish and Next.js),
//! then runs `benches-peers`, which puts ours beside them, and hands it all arguments.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::artifact::Artifacts;
use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{dynamodb_local, next, program, tool};

/// The parts with pages, as `--only` names them.
const PAGES: &str = "pages";

/// One run, one table.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let peers = ["run", "--release", "--locked", "--manifest-path", "benches-peers/Cargo.toml", "--"];
    let mut peers = workspace.cargo(&peers);
    if !arguments.iter().any(|word| word == "--help" || word == "-h") {
        find_peers(workspace, arguments, &mut peers)?;
        peers.arg("--theory").arg(build_theory(workspace)?);
    }
    succeed(peers.args(arguments))
}

/// Installs what the wanted parts need, and tells where it is.
fn find_peers(workspace: &Workspace, arguments: &[String], peers: &mut Command) -> Result<()> {
    let only = values(arguments, "--only");
    let is_pages = |word: &&str| word.to_lowercase().starts_with(PAGES);
    let needs_dynamodb_local = only.is_empty() || !only.iter().all(is_pages);
    let needs_pages = only.is_empty() || only.iter().any(is_pages);
    if needs_dynamodb_local && !tool::is_skipped(dynamodb_local::SKIP) {
        peers.arg("--dynamodb-local").arg(dynamodb_local::ensure(workspace)?);
    }
    if needs_pages {
        program::WRK.ensure()?;
        program::NGINX.ensure()?;
        program::VARNISH.ensure()?;
        if !values(arguments, "--skip").iter().any(|word| word.eq_ignore_ascii_case("next")) {
            peers.arg("--next").arg(next::ensure(workspace)?);
        }
    }
    Ok(())
}

/// What stands behind an option, each time.
fn values<'a>(arguments: &'a [String], option: &str) -> Vec<&'a str> {
    let pairs = arguments.windows(2).filter(|pair| pair[0] == option);
    pairs.map(|pair| pair[1].as_str()).collect()
}

/// Builds the program as it is released, and says where it is.
fn build_theory(workspace: &Workspace) -> Result<PathBuf> {
    let build = ["build", "--release", "--locked", "--package", "theory"];
    Artifacts::of(&mut workspace.cargo(&build))?.program("theory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_as_often_as_they_stand() {
        let words = ["--only", "pages", "--json", "--only", "http", "--skip"].map(str::to_owned);
        assert_eq!(values(&words, "--only"), ["pages", "http"]);
        assert!(values(&words, "--skip").is_empty());
    }
}
