//! The figures on the front page are those that were measured.

use std::path::{Path, PathBuf};

use super::finding::Finding;
use crate::front_page;

/// Compares the table of the front page with the results that it is made of.
pub(super) fn check(files: &[(PathBuf, String)], complaints: &mut Vec<Finding>) {
    let text = |path: &str| files.iter().find(|(other, _)| other == Path::new(path)).map(|(_, text)| text);
    let (Some(page), Some(results)) = (text(front_page::PATH), text(front_page::RESULTS)) else {
        let lacks = format!("is missing, or {} is", front_page::RESULTS);
        return complaints.push(Finding::of(Path::new(front_page::PATH), lacks));
    };
    let complaint = match front_page::with_table(page, results) {
        Ok(expected) if expected == *page => return,
        Ok(_) => format!(
            "its table is not what {0} says: `cargo xtask bench --plots-from {0}`",
            front_page::RESULTS
        ),
        Err(error) => format!("{error:#}"),
    };
    complaints.push(Finding::of(Path::new(front_page::PATH), complaint));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn a_front_page_with_other_figures_is_refused() {
        let root = Workspace::find().unwrap().root().to_owned();
        let results = std::fs::read_to_string(root.join(front_page::RESULTS)).unwrap();
        let page = "<!-- bench:begin -->\n| GetItem | 99 × |\n<!-- bench:end -->\n".to_owned();
        let right = front_page::with_table(&page, &results).unwrap();
        let complaints = |page: &str| {
            let mut complaints = Vec::new();
            let files = [(front_page::PATH, page), (front_page::RESULTS, &results)]
                .map(|(p, t)| (p.into(), t.into()));
            check(&files, &mut complaints);
            complaints.iter().map(Finding::to_string).collect::<Vec<_>>()
        };
        assert!(complaints(&right).is_empty());
        assert!(complaints(&page)[0].contains("cargo xtask bench --plots-from"));
        assert!(complaints("# Name\n")[0].contains("bench:begin"));
    }
}
