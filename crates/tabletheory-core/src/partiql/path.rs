//! Paths into an item: `a.b[0]."c"`.

use super::cursor::Cursor;
use super::lexer::Lexeme;
use super::refusal::malformed;
use crate::error::StoreError;
use crate::expr::{Path, Step};

/// The attribute a selected path comes back as: its last name, and the list positions after that. `a.b[0]` is `b[0]`.
#[must_use]
pub fn column_name(path: &Path) -> String {
    let mut column = path.root.clone();
    for step in &path.steps {
        match step {
            Step::Field(name) => column.clone_from(name),
            Step::Index(position) => column.push_str(&format!("[{position}]")),
        }
    }
    column
}

/// A path, if one comes next.
pub(super) fn path(cursor: &mut Cursor<'_>) -> Result<Option<Path>, StoreError> {
    let Some(root) = cursor.take_name() else { return Ok(None) };
    let mut path = Path::attribute(root);
    loop {
        if cursor.take_symbol(".") {
            let name = cursor.take_name().ok_or_else(|| malformed("Invalid path dot component"))?;
            path = path.field(name);
        } else if cursor.take_symbol("[") {
            path.steps.push(bracket(cursor)?);
            cursor.expect_symbol("]", "RIGHT_BRACKET")?;
        } else {
            return Ok(Some(path));
        }
    }
}

/// The path that a clause changes.
pub(super) fn simple_path(cursor: &mut Cursor<'_>) -> Result<Path, StoreError> {
    path(cursor)?.ok_or_else(|| malformed("Expected identifier for simple path"))
}

/// What stands in brackets: a position, or a name as a string.
fn bracket(cursor: &mut Cursor<'_>) -> Result<Step, StoreError> {
    let negative = cursor.take_symbol("-");
    let step = match cursor.peek() {
        Some(Lexeme::Text(name)) if !negative => Step::Field(name.clone()),
        Some(Lexeme::Number(digits)) => {
            let position = digits.parse().ok().filter(|position| i32::try_from(*position).is_ok());
            let position = position.filter(|position| !negative || *position == 0);
            let sign = if negative { "-" } else { "" };
            Step::Index(position.ok_or_else(|| {
                StoreError::validation(format!(
                    "List index is not within the allowable range; index: [{sign}{digits}] at {}",
                    cursor.place()
                ))
            })?)
        }
        _ => return Err(malformed("Invalid path component")),
    };
    cursor.advance();
    Ok(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partiql::lexer::tokenize;

    fn read(text: &str) -> Result<Option<Path>, StoreError> {
        path(&mut Cursor::new(tokenize(text).unwrap(), &[]))
    }

    #[test]
    fn texts_become_paths() {
        fn check(text: &str, expected: Path, column: &str) {
            assert_eq!(read(text), Ok(Some(expected.clone())), "{text}");
            assert_eq!(column_name(&expected), column, "{text}");
        }
        check("a", Path::attribute("a"), "a");
        check("\"a.b\"", Path::attribute("a.b"), "a.b");
        check("\"select\"", Path::attribute("select"), "select");
        check("a.b[0].\"c\"", Path::attribute("a").field("b").index(0).field("c"), "c");
        check("a[1][2]", Path::attribute("a").index(1).index(2), "a[1][2]");
        check("a.b[1]", Path::attribute("a").field("b").index(1), "b[1]");
        check("a['b c']", Path::attribute("a").field("b c"), "b c");
        check("a[-0]", Path::attribute("a").index(0), "a[0]");
        check("a[2147483647]", Path::attribute("a").index(2_147_483_647), "a[2147483647]");
    }

    #[test]
    fn what_is_no_path_is_refused_in_the_service_s_words() {
        fn check(text: &str, expected: &str) {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text}");
        }
        let envelope = "Statement wasn't well formed, can't be processed: ";
        check("a.inner", &format!("{envelope}Invalid path dot component"));
        check("a.", &format!("{envelope}Invalid path dot component"));
        check("a[b]", &format!("{envelope}Invalid path component"));
        check("a[*]", &format!("{envelope}Invalid path component"));
        check("a[0", &format!("{envelope}Expected RIGHT_BRACKET"));
        check("l[-1]", "List index is not within the allowable range; index: [-1] at 1:4:1");
        check("l[2147483648]", "List index is not within the allowable range; index: [2147483648] at 1:3:10");
        check("l[1.5]", "List index is not within the allowable range; index: [1.5] at 1:3:3");
        assert_eq!(read("inner"), Ok(None));
        assert_eq!(read("'a'"), Ok(None));
    }
}
