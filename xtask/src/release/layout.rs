//! The folder of a release, as it is unpacked: below it everything lies as it would below `/usr`, so that one copy installs it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::stage::succeed;
use crate::workspace::{Workspace, output};

/// Shells, and where each looks for completions.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/theory"),
    ("zsh", "share/zsh/site-functions/_theory"),
    ("fish", "share/fish/vendor_completions.d/theory.fish"),
];

/// What is taken from the checkout, and where it goes.
const FILES: [(&str, &str); 6] = [
    ("README.md", "share/doc/theory/README.md"),
    ("CHANGELOG.md", "share/doc/theory/CHANGELOG.md"),
    ("LICENSE", "share/doc/theory/LICENSE"),
    ("packaging/systemd/theory.service", "lib/systemd/system/theory.service"),
    ("packaging/systemd/theory-dynamodb.service", "lib/systemd/system/theory-dynamodb.service"),
    ("packaging/container/Containerfile", "Containerfile"),
];

/// Where Debian and most others keep the certificates that programs trust.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// What a release is made of.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) program: &'a Path,
    pub(super) notices: &'a str,
}

impl Layout<'_> {
    /// Makes the folder anew.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        if folder.is_dir() {
            std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        copy(self.program, &folder.join("bin/theory"))?;
        for (from, to) in FILES {
            copy(&self.workspace.root().join(from), &folder.join(to))?;
        }
        put(&folder.join("share/doc/theory/THIRD-PARTY.txt"), self.notices)?;
        self.ask_the_program(folder)?;
        // The image has no other certificates, and a folder that its user may write to.
        copy(Path::new(CERTIFICATES), &folder.join("container/ca-certificates.crt"))?;
        put(&folder.join("container/data/.keep"), "")
    }

    /// The manual, the completions and the example of settings are what the program says of itself.
    fn ask_the_program(&self, folder: &Path) -> Result<()> {
        let program = folder.join("bin/theory");
        let theory = || Command::new(&program);
        succeed(theory().args(["man", "--out"]).arg(folder.join("share/man/man1")))?;
        for (shell, to) in SHELLS {
            put(&folder.join(to), &output(theory().args(["completions", shell]))?)?;
        }
        let settings = output(theory().args(["config", "example"]))?;
        put(&folder.join("share/doc/theory/theory.example.toml"), &settings)
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    make_room(to)?;
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

fn put(file: &Path, text: &str) -> Result<()> {
    make_room(file)?;
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn make_room(file: &Path) -> Result<()> {
    let folder = file.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_a_release_takes_is_in_the_checkout() {
        let workspace = Workspace::find().unwrap();
        for (from, _) in FILES {
            assert!(workspace.root().join(from).is_file(), "{from}");
        }
    }

    #[test]
    fn the_image_copies_what_the_layout_has() {
        let workspace = Workspace::find().unwrap();
        let recipe = workspace.root().join("packaging/container/Containerfile");
        let recipe = std::fs::read_to_string(recipe).unwrap();
        let copied: Vec<&str> = recipe
            .lines()
            .filter_map(|line| line.strip_prefix("COPY "))
            .filter_map(|line| line.split(' ').find(|word| !word.starts_with("--")))
            .collect();
        assert_eq!(copied, ["bin/theory", "container/ca-certificates.crt", "container/data"]);
    }
}
