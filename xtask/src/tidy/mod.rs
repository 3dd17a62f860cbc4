//! `cargo xtask tidy`: tests the form of the workspace. Rules refuse; notes only remark. Each rule is a file here with
//! its own tests; this one reads the files once and hands them round.

mod embedded;
mod examples;
mod figures;
mod finding;
mod licences;
mod links;
mod modules;
mod paths;
mod records;
mod rows;
mod size;
mod source;
mod words;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;
pub(crate) use embedded::is_aws;
use finding::Finding;

/// Runs every rule.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "`tidy` takes no arguments");
    let paths: BTreeSet<PathBuf> = workspace.files()?.into_iter().collect();
    let files = read(workspace, &paths)?;
    let crates = workspace.crates()?;

    let mut notes = Vec::new();
    let mut complaints = Vec::new();
    for (path, text) in &files {
        words::check(path, text, &mut complaints);
        examples::check(path, text, &mut complaints);
        size::remark(path, text, &mut notes);
    }
    rows::check(&crates, &mut complaints);
    embedded::check(workspace, &mut complaints)?;
    for member in &crates {
        modules::check(&member.folder.join("src"), &files, &mut complaints);
    }
    records::check(&files, &crates, &mut complaints);
    links::check(&files, &paths, &mut complaints);
    licences::check(&files, &mut complaints);
    figures::check(&files, &mut complaints);

    report(&notes, &complaints, files.len())
}

/// Every text file of the checkout, by its path from the root.
fn read(workspace: &Workspace, paths: &BTreeSet<PathBuf>) -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for path in paths {
        let whole = workspace.root().join(path);
        let bytes = std::fs::read(&whole).with_context(|| format!("cannot read {}", path.display()))?;
        // What is not text (a fixture of an old disk format) has no form to test.
        if let Ok(text) = String::from_utf8(bytes) {
            files.push((path.clone(), text));
        }
    }
    Ok(files)
}

fn report(notes: &[Finding], complaints: &[Finding], files: usize) -> Result<()> {
    for note in notes {
        eprintln!("note: {note}");
    }
    for complaint in complaints {
        eprintln!("error: {complaint}");
    }
    if !complaints.is_empty() {
        bail!("tidy refuses {} thing(s) in {files} files", complaints.len());
    }
    eprintln!("tidy: {files} files are in form, {} note(s)", notes.len());
    Ok(())
}
