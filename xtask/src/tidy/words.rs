//! Rules about the text of single files: headers, words that must not be merged, paths of somebody's machine, sources
//! of locked packages.

use std::path::Path;

use super::finding::Finding;
use super::source;

// Spelled in two parts, so that this file is not found by its own rule.
const UNFINISHED: &str = concat!("FIX", "ME");
const MACHINE_PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp", "/bash")];
const MACROS: [&str; 2] = ["todo", "dbg"];
const PUBLIC_REGISTRY: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
const RESOLVED: &str = "\"resolved\":";

/// Checks one file.
pub(super) fn check(path: &Path, text: &str, complaints: &mut Vec<Finding>) {
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    if is_rust && !text.starts_with("//!") {
        complaints.push(Finding::at(path, 1, "opens without `//!`: say what the file is responsible for"));
    }
    for (at, line) in text.lines().enumerate() {
        if line.contains(UNFINISHED) {
            complaints.push(Finding::at(path, at + 1, format!("{UNFINISHED} means before this merges")));
        }
        if let Some(found) = MACHINE_PATHS.into_iter().find(|known| names_path(line, known)) {
            complaints.push(Finding::at(path, at + 1, format!("`{found}` is a path of one machine")));
        }
    }
    if is_rust {
        check_macros(path, text, complaints);
    }
    if path.ends_with("Cargo.lock") {
        check_sources(path, text, complaints);
    }
    if path.ends_with("package-lock.json") {
        check_addresses(path, text, complaints);
    }
}

fn check_macros(path: &Path, text: &str, complaints: &mut Vec<Finding>) {
    let code = source::code(text);
    let tokens = source::tokens(&code);
    for pair in tokens.windows(2) {
        if MACROS.contains(&pair[0].text) && pair[1].text == "!" {
            complaints.push(Finding::at(path, pair[0].line, format!("`{}!` is for the desk", pair[0].text)));
        }
    }
}

fn check_sources(path: &Path, text: &str, complaints: &mut Vec<Finding>) {
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("source = ") && line != PUBLIC_REGISTRY {
            complaints.push(Finding::at(path, at + 1, "a package that does not come from crates.io"));
        }
    }
}

/// npm checks packages by their hash and finds them in the registry it is told; an address would be that of the registry
/// of whoever wrote the file.
fn check_addresses(path: &Path, text: &str, complaints: &mut Vec<Finding>) {
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with(RESOLVED) {
            let advice =
                "an address in a lock file; write it with `npm install --omit-lockfile-registry-resolved`";
            complaints.push(Finding::at(path, at + 1, advice));
        }
    }
}

/// Whether `path` stands in the line as an absolute path, not as the middle of a longer one or of an address.
fn names_path(line: &str, path: &str) -> bool {
    let belongs = |character: char| character.is_alphanumeric() || "_-./$}".contains(character);
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(belongs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(name: &str, text: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        check(Path::new(name), text, &mut complaints);
        complaints.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_file_in_form_passes() {
        assert!(
            check_one("a.rs", "//! A.\n\n// The word todo!() in a comment.\nfn a() { b(\"dbg!(c)\") }\n")
                .is_empty()
        );
        assert!(check_one("a.md", "No header is needed here.\n").is_empty());
    }

    #[test]
    fn a_rust_file_opens_with_its_purpose() {
        assert_eq!(check_one("a.rs", "fn a() {}\n").len(), 1);
        assert_eq!(check_one("a.rs", "// A.\nfn a() {}\n").len(), 1);
    }

    #[test]
    fn unfinished_work_is_refused_where_it_stands() {
        let found = check_one("a.rs", "//! A.\n\nfn a() { todo!() }\nfn b() { dbg!(1); }\n");
        assert_eq!(found, ["a.rs:3: `todo!` is for the desk", "a.rs:4: `dbg!` is for the desk"]);
        assert_eq!(check_one("a.md", &format!("one\n{UNFINISHED}: two\n")).len(), 1);
    }

    #[test]
    fn paths_of_a_machine_are_refused() {
        for path in MACHINE_PATHS {
            assert_eq!(check_one("a.md", &format!("see {path}x/y")).len(), 1, "{path}");
            assert_eq!(check_one("a.md", &format!("`{path}x/y`")).len(), 1, "{path}");
            assert!(check_one("a.md", &format!("https://host{path}x")).is_empty(), "{path}");
        }
        assert!(check_one("a.md", "/workshop and /rooted").is_empty());
    }

    #[test]
    fn locked_packages_come_from_the_public_registry() {
        assert!(check_one("Cargo.lock", PUBLIC_REGISTRY).is_empty());
        assert_eq!(check_one("x/Cargo.lock", "source = \"registry+https://mirror.example/index\"").len(), 1);
    }

    #[test]
    fn locked_npm_packages_carry_no_address() {
        let entry = "\"integrity\": \"sha512-x\",\n";
        assert!(check_one("package-lock.json", entry).is_empty());
        let address = format!("{entry}  {RESOLVED} \"https://mirror.example/a.tgz\",\n");
        assert_eq!(check_one("x/package-lock.json", &address).len(), 1);
    }
}
