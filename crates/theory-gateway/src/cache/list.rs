//! The members of a field whose value is a list: between commas, those inside quotes not counted, without the space around them.

/// The members of one line.
pub(super) fn members(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let (member, after) = first(line);
        rest = after;
        Some(member.trim_ascii())
    })
    .filter(|member| !member.is_empty())
}

/// What stands before the first comma outside quotes, and what stands after it.
fn first(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => return (&line[..at], Some(&line[at + 1..])),
            _ => {}
        }
    }
    (line, None)
}

/// What stands between quotes, or all of it.
pub(super) fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let found: Vec<&str> =
            members(line.as_bytes()).map(|member| str::from_utf8(member).unwrap()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn commas_part_members_unless_they_are_quoted() {
        check("", &[]);
        check(" , ,", &[]);
        check("a, b ,c", &["a", "b", "c"]);
        check("x=\"a, b\", c", &["x=\"a, b\"", "c"]);
        check("x=\"a\\\", b\", c", &["x=\"a\\\", b\"", "c"]);
        check("x=\"never closed, c", &["x=\"never closed, c"]);
    }
}
