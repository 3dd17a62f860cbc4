//! The page that shows the figures: what stands between two marks is replaced.

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// The front page of the crate.
pub(super) const PATH: &str = "crates/tabletheory/README.md";

const BEGIN: &str = "<!-- figures: written by `cargo xtask figures --write` -->\n";
const END: &str = "<!-- end of figures -->\n";

/// Puts the tables into the page.
pub(super) fn write(workspace: &Workspace, tables: &str) -> Result<()> {
    let path = workspace.root().join(PATH);
    let page = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PATH}"))?;
    let page = replace(&page, tables).with_context(|| format!("{PATH} has no marks for the figures"))?;
    std::fs::write(&path, page).with_context(|| format!("cannot write {PATH}"))
}

fn replace(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{tables}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        let replaced = replace(&page, "| new |\n").unwrap();
        assert_eq!(replaced, format!("before\n{BEGIN}\n| new |\n\n{END}after\n"));
        assert_eq!(replace(&replaced, "| new |\n").as_ref(), Some(&replaced));
    }

    #[test]
    fn a_page_without_marks_is_left_alone() {
        assert_eq!(replace("before\nafter\n", "| new |\n"), None);
    }

    #[test]
    fn the_front_page_has_the_marks() {
        let page = std::fs::read_to_string(Workspace::find().unwrap().root().join(PATH)).unwrap();
        assert!(replace(&page, "").is_some());
    }
}
