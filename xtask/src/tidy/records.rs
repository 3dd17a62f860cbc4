//! Every dependency is a decision: each one named in the workspace's manifests is mentioned in `docs/decisions`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::finding::Finding;
use crate::workspace::Crate;

const RECORDS: &str = "docs/decisions";

/// Checks the root manifest and those of the members.
pub(super) fn check(files: &[(PathBuf, String)], crates: &[Crate], complaints: &mut Vec<Finding>) {
    let manifest = Path::new("Cargo.toml");
    let shared =
        files.iter().find(|(path, _)| path == manifest).map(|(_, text)| workspace_dependencies(text));
    let direct =
        crates.iter().flat_map(|member| &member.dependencies).map(|dependency| dependency.name.clone());
    let names: BTreeSet<String> = shared.unwrap_or_default().into_iter().chain(direct).collect();
    let records: Vec<&str> =
        files.iter().filter(|(path, _)| path.starts_with(RECORDS)).map(|(_, text)| text.as_str()).collect();
    for name in names.iter().filter(|name| crates.iter().all(|member| member.name != **name)) {
        if !records.iter().any(|record| mentions(record, name)) {
            complaints.push(Finding::of(manifest, format!("no record in {RECORDS} mentions `{name}`")));
        }
    }
}

/// The keys of `[workspace.dependencies]` that are not paths into this workspace.
fn workspace_dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.lines().skip_while(|line| line.trim() != "[workspace.dependencies]").skip(1);
    section
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.trim_start().starts_with('#') && !line.contains("path = "))
        .filter_map(|line| line.split_once('='))
        .map(|(key, _)| key.trim().split('.').next().unwrap_or_default().to_owned())
        .collect()
}

/// Whether the name stands in the text as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let belongs = |character: char| character.is_alphanumeric() || character == '_' || character == '-';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(belongs) && !text[at + name.len()..].starts_with(belongs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[workspace]\nmembers = []\n\n[workspace.dependencies]\nours = { path = \"crates/ours\" }\n\
                            # why\nserde = \"1\"\nserde_json.version = \"1\"\n\n[workspace.lints.rust]\nx = \"deny\"\n";

    fn complaints(record: &str) -> Vec<String> {
        let files = [
            ("Cargo.toml".into(), MANIFEST.to_owned()),
            ("docs/decisions/0001-a.md".into(), record.to_owned()),
        ];
        let mut complaints = Vec::new();
        check(&files, &[], &mut complaints);
        complaints.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn dependencies_are_read_from_the_manifest() {
        assert_eq!(workspace_dependencies(MANIFEST), ["serde", "serde_json"]);
    }

    #[test]
    fn each_needs_a_record() {
        assert!(complaints("`serde` and serde_json.").is_empty());
        assert_eq!(
            complaints("only serde_json"),
            ["Cargo.toml: no record in docs/decisions mentions `serde`"]
        );
        assert_eq!(complaints("serde-json, serde2").len(), 2);
    }
}
