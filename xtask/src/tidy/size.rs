//! A gentle report of long files and long functions. Nothing is refused: a list may be as long as the truth.

use std::path::Path;

use super::finding::Finding;
use super::source::{self, Token};

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 70;

/// Remarks on one file.
pub(super) fn remark(path: &Path, text: &str, notes: &mut Vec<Finding>) {
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let lines = text.lines().count();
    if lines > FILE_LINES {
        notes.push(Finding::of(path, format!("{lines} lines: is there a second noun in it?")));
    }
    let code = source::code(text);
    for (name, line, length) in functions(&source::tokens(&code)) {
        if length > FUNCTION_LINES {
            notes.push(Finding::at(
                path,
                line,
                format!("`{name}` has {length} lines: does it fit on a screen?"),
            ));
        }
    }
}

/// Name, first line and number of lines of each function that has a body.
fn functions<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, usize, usize)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text == "fn"
            && let Some(name) = tokens.get(at + 1)
            && let Some(open) = body(tokens, at)
        {
            let last = tokens[source::closing(tokens, open) - 1].line;
            found.push((name.text, token.line, last - token.line + 1));
        }
    }
    found
}

/// Where the body of the function declared at `at` opens.
fn body(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            "{" if depth == 0 => return Some(position),
            // A declaration without body, or a type such as `fn(u8)` among the fields of something.
            ";" | "," | "}" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, usize, usize)> {
        functions(&source::tokens(text))
    }

    #[test]
    fn functions_are_measured_from_head_to_brace() {
        assert_eq!(found("fn a() {}\nfn b(x: [u8; 2]) {\n  c()\n}\n"), [("a", 1, 1), ("b", 2, 3)]);
        assert_eq!(found("trait T { fn a(); }\nfn b() {\n}\n"), [("b", 2, 2)]);
    }

    #[test]
    fn long_files_and_functions_are_noted() {
        let mut notes = Vec::new();
        remark(Path::new("a.rs"), &format!("fn a() {{\n{}}}\n", "b();\n".repeat(69)), &mut notes);
        assert_eq!(notes.len(), 1);
        remark(Path::new("b.rs"), &"// c\n".repeat(401), &mut notes);
        assert_eq!(notes.len(), 2);
        remark(Path::new("list.md"), &"c\n".repeat(401), &mut notes);
        assert_eq!(notes.len(), 2);
    }
}
