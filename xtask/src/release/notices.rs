//! What the authors of the crates inside the program ask to be told along with it: their licences, from their own packages. A text
//! that many share stands once, under all their names.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::{Workspace, output};

/// How names of files begin that hold a licence or what goes with one.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// A crate inside the program.
#[derive(Debug)]
struct Used {
    name: String,
    licence: String,
    folder: PathBuf,
}

/// The whole text.
pub(super) fn collect(workspace: &Workspace, target: &str) -> Result<String> {
    let used = used(workspace, target)?;
    let mut text = String::from("The program `theory` contains these crates.\n\n");
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for package in &used {
        let _ = writeln!(text, "{} ({})", package.name, package.licence);
        for licence in licences(&package.folder)? {
            texts.entry(licence).or_default().push(&package.name);
        }
    }
    for (licence, names) in texts {
        let _ = write!(text, "\n{}\n{}\n\n{}\n", "-".repeat(80), names.join(", "), licence.trim_end());
    }
    Ok(text)
}

/// What is compiled into the program and not ours.
fn used(workspace: &Workspace, target: &str) -> Result<Vec<Used>> {
    let tree = ["tree", "--package", "theory", "--edges", "normal", "--target", target, "--prefix", "none"];
    let tree = output(workspace.cargo(&tree).args(["--format", "{p}", "--locked"]))?;
    let mut names: Vec<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    names.sort_unstable();
    names.dedup();
    let metadata = output(&mut workspace.cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata prints JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists packages")?;
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    let inside = foreign.filter(|package| {
        let spelled = format!("{} v{}", text(package, "name"), text(package, "version"));
        names.iter().any(|name| *name == spelled || name.starts_with(&format!("{spelled} ")))
    });
    Ok(inside.map(Used::of).collect())
}

impl Used {
    fn of(package: &Value) -> Self {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        Self {
            name: format!("{} {}", text(package, "name"), text(package, "version")),
            licence: package["license"].as_str().unwrap_or("a licence of its own").to_owned(),
            folder: manifest.parent().unwrap_or(manifest).to_owned(),
        }
    }
}

/// The texts in the folder of a package, in the order of their names.
fn licences(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && NAMES.iter().any(|beginning| name.starts_with(beginning)) {
            files.push(path);
        }
    }
    files.sort();
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
    };
    files.iter().map(read).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_licence_is_found_as_others_are() {
        let workspace = Workspace::find().unwrap();
        let found = licences(workspace.root()).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("Apache License"));
    }
}
