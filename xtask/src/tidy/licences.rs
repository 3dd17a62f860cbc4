//! Every package carries the licence: the file in its folder is the one at the root, to the letter.

use std::path::{Path, PathBuf};

use super::finding::Finding;

const NAME: &str = "LICENSE";

/// Compares the licences of `crates` with the one at the root.
pub(super) fn check(files: &[(PathBuf, String)], complaints: &mut Vec<Finding>) {
    let text = |path: &Path| files.iter().find(|(other, _)| other == path).map(|(_, text)| text);
    let Some(licence) = text(Path::new(NAME)) else {
        complaints.push(Finding::of(Path::new(NAME), "is missing".to_owned()));
        return;
    };
    let is_manifest = |path: &Path| path.starts_with("crates") && path.ends_with("Cargo.toml");
    for folder in files.iter().filter(|(path, _)| is_manifest(path)).filter_map(|(path, _)| path.parent()) {
        let place = folder.join(NAME);
        match text(&place) {
            Some(found) if found == licence => {}
            Some(_) => {
                complaints.push(Finding::of(&place, format!("is not the {NAME} of the root: copy it")))
            }
            None => complaints.push(Finding::of(&place, format!("is missing: copy the {NAME} of the root"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| (path.into(), (*text).to_owned())).collect();
        let mut complaints = Vec::new();
        check(&files, &mut complaints);
        complaints.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_package_has_the_licence_itself_and_not_a_word_about_it() {
        let root = [("LICENSE", "Apache"), ("crates/a/Cargo.toml", "")];
        let with = |text| [root[0], root[1], ("crates/a/LICENSE", text)];
        assert!(complaints(&with("Apache")).is_empty());
        assert!(complaints(&with("../../LICENSE"))[0].contains("is not the LICENSE of the root"));
        assert!(complaints(&root)[0].contains("crates/a/LICENSE"));
        assert_eq!(complaints(&[]).len(), 1);
        assert!(complaints(&[root[0], ("xtask/Cargo.toml", "")]).is_empty(), "it is not published");
    }
}
