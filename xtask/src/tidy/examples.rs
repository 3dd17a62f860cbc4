//! Every public item of the crates that people import has an example in its documentation. Whether the examples assert
//! something is for reviews.

use std::path::Path;

use super::finding::Finding;

/// The sources whose public items need examples.
const ROOMS: [&str; 1] = ["crates/tabletheory/src"];
const HEADS: [&str; 7] =
    ["pub fn ", "pub async fn ", "pub const fn ", "pub struct ", "pub enum ", "pub trait ", "pub type "];
/// Written for macros, and shown to nobody.
const HIDDEN: [&str; 2] = ["crates/tabletheory/src/derived", "crates/tabletheory/src/attribute/members"];

/// Checks one file.
pub(super) fn check(path: &Path, text: &str, complaints: &mut Vec<Finding>) {
    let hidden = HIDDEN.iter().any(|room| path.to_string_lossy().starts_with(room));
    if hidden
        || !ROOMS.iter().any(|room| path.starts_with(room))
        || path.extension().is_none_or(|kind| kind != "rs")
    {
        return;
    }
    for (line, head) in bare(text) {
        complaints.push(Finding::at(path, line, format!("`{head}` has no example in its documentation")));
    }
}

/// The public items without an example, by their lines.
fn bare(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut example, mut hidden) = (false, false);
    for (at, line) in text.lines().enumerate() {
        let code = line.trim();
        if code.starts_with("///") {
            example |= code.contains("```");
        } else if code.starts_with("#[doc(hidden)]") {
            hidden = true;
        } else if HEADS.iter().any(|head| code.starts_with(head)) {
            if !example && !hidden {
                found.push((at + 1, code.trim_end_matches(" {")));
            }
            (example, hidden) = (false, false);
        } else if !is_attribute(code) {
            (example, hidden) = (false, false);
        }
    }
    found
}

/// Whether a line belongs to an attribute between the documentation and the item.
fn is_attribute(code: &str) -> bool {
    code.starts_with("#[")
        || code.starts_with(')')
        || code.starts_with("message =")
        || code.starts_with("label =")
        || code.starts_with("note =")
        || code.starts_with("clippy::")
        || code.starts_with("reason =")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_item_without_an_example_is_found() {
        assert_eq!(bare("/// Does.\npub fn a() {\n"), [(2, "pub fn a()")]);
        assert_eq!(bare("/// Does.\n///\n/// ```\n/// a();\n/// ```\n#[must_use]\npub fn a() {\n"), []);
        assert_eq!(bare("/// ```\npub struct A;\npub struct B;\n"), [(3, "pub struct B;")]);
    }

    #[test]
    fn what_is_hidden_or_not_public_needs_none() {
        assert_eq!(bare("#[doc(hidden)]\npub fn a() {}\npub(crate) fn b() {}\nfn c() {}\n"), []);
    }

    #[test]
    fn only_the_sources_of_imported_crates_are_checked() {
        let mut complaints = Vec::new();
        check(Path::new("crates/tabletheory-wire/src/a.rs"), "pub fn a() {}", &mut complaints);
        check(Path::new("crates/tabletheory/src/derived.rs"), "pub fn a() {}", &mut complaints);
        assert_eq!(complaints, []);
        check(Path::new("crates/tabletheory/src/a.rs"), "pub fn a() {}", &mut complaints);
        assert_eq!(complaints.len(), 1);
    }
}
