//! What cargo says it has built: its messages, of which each stands on a line of its own.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The messages of one build.
#[derive(Debug)]
pub(crate) struct Artifacts(Vec<Value>);

impl Artifacts {
    /// Runs a `cargo build`. What the compiler has to say goes to our own output.
    pub(crate) fn of(build: &mut Command) -> Result<Self> {
        build.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
        let done = build.output().context("cannot start cargo")?;
        ensure!(done.status.success(), "cargo cannot build it: it ended with {}", done.status);
        Ok(Self::read(&String::from_utf8_lossy(&done.stdout)))
    }

    fn read(messages: &str) -> Self {
        Self(messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Where the program of this name is.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf> {
        let of_that_name = self.0.iter().filter(|message| message["target"]["name"] == name);
        let found = of_that_name.into_iter().find_map(|message| message["executable"].as_str());
        found.map(PathBuf::from).with_context(|| format!("cargo does not say where it put `{name}`"))
    }

    /// The names of the packages that were compiled, one for each version; also those that an earlier build left ready.
    pub(crate) fn packages(&self) -> Vec<String> {
        let compiled = self.0.iter().filter(|message| message["reason"] == "compiler-artifact");
        let ids: BTreeSet<&str> = compiled.filter_map(|message| message["package_id"].as_str()).collect();
        ids.into_iter().map(name).map(str::to_owned).collect()
    }
}

/// The name in a package's id: `source#name@version`, or `source/name#version` where the folder has the name.
fn name(id: &str) -> &str {
    let (source, rest) = id.rsplit_once('#').unwrap_or(("", id));
    match rest.split_once('@') {
        Some((name, _)) => name,
        None => source.rsplit('/').next().unwrap_or(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = r#"{"reason":"compiler-artifact","package_id":"registry+https://example.org/index#syn@2.0.1","target":{"name":"build-script-build"},"executable":null}
{"reason":"compiler-artifact","package_id":"registry+https://example.org/index#syn@2.0.1","target":{"name":"syn"},"executable":null}
{"reason":"compiler-artifact","package_id":"registry+https://example.org/index#syn@3.0.1","target":{"name":"syn"},"executable":null}
{"reason":"build-script-executed","package_id":"registry+https://example.org/index#other@1.0.0"}
not a message
{"reason":"compiler-artifact","package_id":"path+file:///somewhere/theory#0.1.0","target":{"name":"theory"},"executable":"/somewhere/release/theory"}
{"reason":"build-finished","success":true}"#;

    #[test]
    fn the_program_is_found_among_cargos_messages() {
        let built = Artifacts::read(MESSAGES);
        assert_eq!(built.program("theory").unwrap(), PathBuf::from("/somewhere/release/theory"));
        assert!(built.program("syn").is_err());
    }

    #[test]
    fn a_package_counts_once_for_each_version() {
        assert_eq!(Artifacts::read(MESSAGES).packages(), ["theory", "syn", "syn"]);
    }
}
