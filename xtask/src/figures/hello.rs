//! The first program that a user writes, in a crate of its own that depends on `tabletheory` and nothing else: it is built
//! and run, and the crates that cargo compiled for it are counted.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::figure::Figure;
use crate::artifact::Artifacts;
use crate::stage::succeed;
use crate::tidy::is_aws;
use crate::workspace::Workspace;

/// The head of the table.
pub(super) const HEAD: &str = "\
| a first program on the embedded engine | crates | at most | |
|---|--:|--:|---|
";

const SOURCE: &str = "crates/tabletheory/examples/hello.rs";
const CRATES_MAX: usize = 120;

/// Builds it, runs it, and counts.
pub(super) fn measure(workspace: &Workspace) -> Result<[Figure; 2]> {
    let folder = generate(workspace)?;
    let mut build = workspace.cargo(&["build", "--manifest-path"]);
    build.arg(folder.join("Cargo.toml")).env("CARGO_TARGET_DIR", folder.join("target"));
    let built = Artifacts::of(&mut build).context("the first program")?;
    succeed(&mut Command::new(built.program("hello")?))?;
    Ok(rows(&built.packages()))
}

fn rows(packages: &[String]) -> [Figure; 2] {
    let aws = packages.iter().filter(|name| is_aws(name)).count();
    [
        Figure {
            row: format!(
                "| compiled by `cargo build`, itself included | {} | {CRATES_MAX} |",
                packages.len()
            ),
            holds: packages.len() <= CRATES_MAX,
        },
        Figure { row: format!("| of them of the AWS SDK | {aws} | 0 |"), holds: aws == 0 },
    ]
}

/// A crate as `cargo new` and `cargo add` make it, with the versions that the workspace has locked.
fn generate(workspace: &Workspace) -> Result<PathBuf> {
    let root = workspace.root();
    let folder = root.join("target/hello");
    let sources = folder.join("src");
    std::fs::create_dir_all(&sources).with_context(|| format!("cannot make {}", sources.display()))?;
    let library = root.join("crates/tabletheory");
    std::fs::write(folder.join("Cargo.toml"), manifest(&library.display().to_string()))?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    std::fs::copy(root.join(SOURCE), sources.join("main.rs"))
        .with_context(|| format!("cannot copy {SOURCE}"))?;
    Ok(folder)
}

fn manifest(library: &str) -> String {
    // It lies inside of our workspace and is none of its members, so it says that it is a workspace itself.
    format!(
        "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ntabletheory = {{ path = '{library}' }}\n\n[workspace]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(packages: &[String]) -> [bool; 2] {
        rows(packages).map(|figure| figure.holds)
    }

    #[test]
    fn too_many_crates_and_any_of_the_aws_sdk_miss_the_bound() {
        assert_eq!(holds(&vec!["serde".to_owned(); CRATES_MAX]), [true, true]);
        assert_eq!(holds(&vec!["serde".to_owned(); CRATES_MAX + 1]), [false, true]);
        assert_eq!(holds(&["hello".to_owned(), "aws-smithy-types".to_owned()]), [true, false]);
    }
}
