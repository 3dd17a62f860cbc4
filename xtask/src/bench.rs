//! `cargo xtask bench`: builds the program `theory` and finds the peers (AWS's DynamoDB Local; for pages nginx, Varnish and Next.js),
//! then runs `benches-peers`, which puts ours beside them, and hands it all arguments. What is written down goes to the front page, too.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::artifact::Artifacts;
use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{dynamodb_local, front_page, next, program, tool};

/// The parts that `benches-peers` can measure alone, as `--only` names them, and the servers they need. Any other word means
/// rows, which may be anywhere.
const PARTS: [(&str, Needs); 10] = [
    ("engine", Needs::NOTHING),
    ("limits", Needs::NOTHING),
    ("reopen", Needs::NOTHING),
    ("growth", Needs::NOTHING),
    ("http", Needs { dynamodb_local: true, ..Needs::NOTHING }),
    ("pages", Needs { caches: true, next: true, ..Needs::NOTHING }),
    ("hits", Needs { caches: true, next: true, ..Needs::NOTHING }),
    ("clients", Needs { caches: true, ..Needs::NOTHING }),
    ("keys", Needs { caches: true, ..Needs::NOTHING }),
    ("fleet", Needs { caches: true, ..Needs::NOTHING }),
];

/// With these nothing is measured.
const NOT_MEASURING: [&str; 3] = ["--help", "-h", "--plots-from"];

/// The peers that have to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Needs {
    dynamodb_local: bool,
    /// nginx, Varnish, and wrk in front of them.
    caches: bool,
    next: bool,
}

impl Needs {
    const NOTHING: Self = Self { dynamodb_local: false, caches: false, next: false };
    const EVERYTHING: Self = Self { dynamodb_local: true, caches: true, next: true };

    /// What the words behind `--only` need together.
    fn of(only: &[&str]) -> Self {
        if only.is_empty() {
            return Self::EVERYTHING;
        }
        only.iter().fold(Self::NOTHING, |needs, word| {
            let part = PARTS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
            needs.with(part.map_or(Self::EVERYTHING, |(_, needs)| *needs))
        })
    }

    fn with(self, other: Self) -> Self {
        Self {
            dynamodb_local: self.dynamodb_local || other.dynamodb_local,
            caches: self.caches || other.caches,
            next: self.next || other.next,
        }
    }
}

/// One run, one document.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let peers = ["run", "--release", "--locked", "--manifest-path", "benches-peers/Cargo.toml", "--"];
    let mut peers = workspace.cargo(&peers);
    if !arguments.iter().any(|word| NOT_MEASURING.contains(&word.as_str())) {
        find_peers(workspace, arguments, &mut peers)?;
        peers.arg("--theory").arg(build_theory(workspace)?);
    }
    succeed(peers.args(arguments))?;
    if arguments.iter().any(|word| word == "--write")
        || values(arguments, "--plots-from") == [front_page::RESULTS]
    {
        front_page::write(workspace)?;
    }
    Ok(())
}

/// Installs what the wanted parts need, and tells where it is.
fn find_peers(workspace: &Workspace, arguments: &[String], peers: &mut Command) -> Result<()> {
    let needs = Needs::of(&values(arguments, "--only"));
    if needs.dynamodb_local && !tool::is_skipped(dynamodb_local::SKIP) {
        peers.arg("--dynamodb-local").arg(dynamodb_local::ensure(workspace)?);
    }
    if needs.caches {
        program::WRK.ensure()?;
        program::NGINX.ensure()?;
        program::VARNISH.ensure()?;
    }
    if needs.next && !values(arguments, "--skip").iter().any(|word| word.eq_ignore_ascii_case("next")) {
        peers.arg("--next").arg(next::ensure(workspace)?);
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

    #[test]
    fn only_the_peers_of_the_wanted_parts_are_fetched() {
        assert_eq!(Needs::of(&["growth", "limits"]), Needs::NOTHING);
        assert_eq!(Needs::of(&["Http"]), Needs { dynamodb_local: true, ..Needs::NOTHING });
        assert_eq!(Needs::of(&["fleet", "engine"]), Needs { caches: true, ..Needs::NOTHING });
        assert_eq!(Needs::of(&["GetItem"]), Needs::EVERYTHING);
        assert_eq!(Needs::of(&[]), Needs::EVERYTHING);
    }
}
