//! Puts a document where readers find it: `results.json`, `results.md` and the plots, side by side.

use std::path::Path;

use anyhow::{Context, Result};

use crate::plot;
use crate::report::Report;

/// In the documentation of this repository, from where `cargo xtask` starts us.
const FOLDER: &str = "docs/bench";
const RESULTS: &str = "results.json";

/// Adds what was measured to what is there. The parts of the report replace their older selves.
pub(crate) fn merge(report: Report) -> Result<()> {
    let folder = Path::new(FOLDER);
    let file = folder.join(RESULTS);
    let report = if file.exists() { report.upon(read(&file)?)? } else { report };
    write(folder, &report)
}

/// Writes tables and plots of a document again, beside it.
pub(crate) fn again(file: &Path) -> Result<()> {
    write(file.parent().context("a document lies in a folder")?, &read(file)?)
}

fn read(file: &Path) -> Result<Report> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_slice(&text).with_context(|| {
        format!("{} is no document of this version of the benchmarks: measure it again", file.display())
    })
}

fn write(folder: &Path, report: &Report) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut files = vec![
        (RESULTS.to_owned(), serde_json::to_string_pretty(report)? + "\n"),
        ("results.md".to_owned(), report.markdown()),
    ];
    files.extend(plot::all(report));
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_drawn_again_beside_itself() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("mine.json");
        std::fs::write(&file, "{}").expect("there is room");
        again(&file).expect("an empty document is one");
        assert!(home.path().join("results.md").exists());
        std::fs::write(&file, "[1]").expect("there is room");
        let error = again(&file).expect_err("that is none");
        assert!(error.to_string().contains("mine.json"), "{error}");
    }
}
