//! A folder under `.tools` with something the tests need. It is named after what it is made from, so a changed list of
//! versions is another folder; it appears complete or not at all, so it is its own stamp.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::workspace::Workspace;

/// The folder of `noun` made from `ingredients`; `fill` makes it the first time.
pub(crate) fn ensure(
    workspace: &Workspace,
    noun: &str,
    ingredients: &[&[u8]],
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    install(&workspace.root().join(".tools"), &name(noun, ingredients), fill)
}

/// Whether the environment asks to do without something: the variable has the value 1.
pub(crate) fn is_skipped(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

fn name(noun: &str, ingredients: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for ingredient in ingredients {
        // With its length, so that a line which moves from one file to the next is a change.
        hash.update(ingredient.len().to_le_bytes());
        hash.update(ingredient);
    }
    let stamp: String = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{noun}-{stamp}")
}

/// Fills a draft beside the target and renames it: a run that is stopped half way, or a second one at the same time,
/// leaves no half folder under the final name.
fn install(tools: &Path, name: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let target = tools.join(name);
    if target.is_dir() {
        return Ok(target);
    }
    let draft = tools.join(format!("{name}.draft-{}", std::process::id()));
    if draft.is_dir() {
        // An earlier run that had the same number was stopped half way.
        std::fs::remove_dir_all(&draft).with_context(|| format!("cannot remove {}", draft.display()))?;
    }
    std::fs::create_dir_all(&draft).with_context(|| format!("cannot make {}", draft.display()))?;
    let filled = fill(&draft).and_then(|()| {
        let renamed = std::fs::rename(&draft, &target);
        // Another run may have been quicker; theirs is as good as ours.
        if target.is_dir() { Ok(()) } else { renamed.context("cannot put a tool in its place") }
    });
    if draft.is_dir() {
        std::fs::remove_dir_all(&draft)?;
    }
    filled.map(|()| target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-tool-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_name_follows_the_ingredients() {
        assert_eq!(name("node", &[b"a", b"b"]), name("node", &[b"a", b"b"]));
        assert_ne!(name("node", &[b"a", b"b"]), name("node", &[b"ab", b""]));
        assert!(name("node", &[]).starts_with("node-"));
    }

    #[test]
    fn a_tool_that_cannot_be_made_leaves_nothing() {
        let tools = folder("failed");
        let failed = install(&tools, "x-1", |draft| {
            std::fs::write(draft.join("half"), "")?;
            anyhow::bail!("no network")
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_dir(&tools).unwrap().count(), 0);
        std::fs::remove_dir_all(tools).unwrap();
    }

    #[test]
    fn what_an_earlier_run_left_half_made_is_no_part_of_a_tool() {
        let tools = folder("left");
        let left = tools.join(format!("x-1.draft-{}", std::process::id()));
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("half"), "").unwrap();
        let made = install(&tools, "x-1", |draft| Ok(std::fs::write(draft.join("whole"), "")?)).unwrap();
        assert!(made.join("whole").is_file() && !made.join("half").exists());
        std::fs::remove_dir_all(tools).unwrap();
    }

    #[test]
    fn a_tool_is_made_once() {
        let tools = folder("once");
        let made = install(&tools, "x-1", |draft| Ok(std::fs::write(draft.join("whole"), "")?)).unwrap();
        assert!(made.join("whole").is_file());
        let again = install(&tools, "x-1", |_| anyhow::bail!("it is there")).unwrap();
        assert_eq!(again, made);
        std::fs::remove_dir_all(tools).unwrap();
    }
}
