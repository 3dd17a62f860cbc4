//! What a page of documentation points at is there: relative links and pictures of Markdown files lead to files of this
//! checkout, their anchors to headings, and paths in backquotes that begin with one of its folders are paths of it. Addresses of
//! other machines are for whoever reads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::finding::Finding;

/// A name in backquotes that begins so is the path of something here.
const FOLDERS: [&str; 8] =
    ["benches-peers/", "contract-tests/", "crates/", "docs/", "examples/", "fuzz/", "packaging/", "xtask/"];

/// Checks every Markdown file. `all` are the paths of the checkout, text or not.
pub(super) fn check(files: &[(PathBuf, String)], all: &BTreeSet<PathBuf>, complaints: &mut Vec<Finding>) {
    let pages: BTreeMap<&Path, &str> =
        files.iter().filter(|(path, _)| is_page(path)).map(|(path, text)| (&**path, &**text)).collect();
    for (path, text) in &pages {
        for (line, target) in targets(text) {
            if let Some(complaint) = complaint(path, target, &pages, all) {
                complaints.push(Finding::at(path, line, complaint));
            }
        }
        for (line, name) in names(text).into_iter().filter(|(_, name)| !is_in(all, Path::new(name))) {
            complaints.push(Finding::at(path, line, format!("`{name}` is not there")));
        }
    }
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// What is wrong with a link, if something is.
fn complaint(
    page: &Path,
    target: &str,
    pages: &BTreeMap<&Path, &str>,
    all: &BTreeSet<PathBuf>,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let Some(found) = resolve(page, file) else {
        return Some(format!("`{target}` leads out of the checkout"));
    };
    if !is_in(all, &found) {
        return Some(format!("`{target}` leads to {}, which is not there", found.display()));
    }
    let text = pages.get(&*found)?;
    if anchor.is_empty() || headings(text).any(|heading| heading == anchor) {
        return None;
    }
    Some(format!("`{target}`: {} has no such heading", found.display()))
}

/// Whether there is such a file, or a folder with something in it.
fn is_in(all: &BTreeSet<PathBuf>, path: &Path) -> bool {
    all.contains(path) || all.iter().any(|other| other.starts_with(path))
}

/// The path from the root that a page means by `file`; the page itself, if it says nothing.
fn resolve(page: &Path, file: &str) -> Option<PathBuf> {
    if file.is_empty() {
        return Some(page.to_owned());
    }
    let mut found = page.parent()?.to_owned();
    for part in Path::new(file).components() {
        match part {
            Component::Normal(name) => found.push(name),
            Component::CurDir => {}
            Component::ParentDir if found.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(found)
}

/// The targets of `[text](target)` and `![text](target)` outside code, with their lines.
fn targets(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (line, words) in prose(text) {
        // What stands between backquotes is code: every second piece.
        for piece in words.split('`').step_by(2) {
            for (at, _) in piece.match_indices("](") {
                let rest = &piece[at + 2..];
                if let Some(target) = rest.split([')', ' ']).next().filter(|target| !target.is_empty()) {
                    found.push((line, target));
                }
            }
        }
    }
    found
}

/// The paths between backquotes, with their lines. A word with a star or a blank is a pattern or a command.
fn names(text: &str) -> Vec<(usize, &str)> {
    let is_path = |name: &&str| {
        let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.' | '/');
        FOLDERS.iter().any(|folder| name.starts_with(folder)) && name.chars().all(fits)
    };
    let spans = prose(text)
        .into_iter()
        .flat_map(|(line, words)| words.split('`').skip(1).step_by(2).map(move |span| (line, span)));
    spans.filter(|(_, span)| is_path(span)).collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    titles.map(|(_, line)| {
        let kept = line.trim_start_matches('#').trim().chars();
        let kept = kept.filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    })
}

/// The lines outside fenced code, from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((at + 1, line));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let files = [
            ("docs/a.md".into(), text.to_owned()),
            ("docs/guides/b.md".into(), "# What it is: `b`\n\n## Two words\n".to_owned()),
            ("README.md".into(), String::new()),
        ];
        let mut all: BTreeSet<PathBuf> =
            files.iter().map(|(path, _): &(PathBuf, String)| path.clone()).collect();
        all.insert("docs/images/c.png".into());
        let mut complaints = Vec::new();
        check(&files, &all, &mut complaints);
        complaints.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let good = "# A\n[b](guides/b.md) ![c](images/c.png) [folder](guides) [up](../README.md) [here](#a)\n\
                    [there](guides/b.md#two-words) [code](guides/b.md#what-it-is-b) [far](https://example.com/x)\n";
        assert_eq!(complaints(good), Vec::<String>::new());
    }

    #[test]
    fn links_that_lead_nowhere_are_refused_where_they_stand() {
        let found =
            complaints("one\n[b](guides/x.md) and [c](images/x.png)\n[d](guides/b.md#three)\n[e](../../f)\n");
        assert_eq!(
            found,
            [
                "docs/a.md:2: `guides/x.md` leads to docs/guides/x.md, which is not there",
                "docs/a.md:2: `images/x.png` leads to docs/images/x.png, which is not there",
                "docs/a.md:3: `guides/b.md#three`: docs/guides/b.md has no such heading",
                "docs/a.md:4: `../../f` leads out of the checkout",
            ]
        );
    }

    #[test]
    fn a_path_in_backquotes_is_there() {
        assert_eq!(
            complaints("`docs/guides/b.md`, `docs/guides`, `docs/*.md`, `docs/x y`, `other/x`"),
            Vec::<String>::new()
        );
        assert_eq!(complaints("\n`docs/x.md`"), ["docs/a.md:2: `docs/x.md` is not there"]);
    }

    #[test]
    fn code_is_no_link() {
        assert_eq!(complaints("```text\n[a](x.md)\n```\nan `[a](x.md)` in a line\n"), Vec::<String>::new());
    }
}
