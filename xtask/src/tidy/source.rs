//! Rust source with comments and literals blanked out, and its tokens. Rules look at the code through it, so that words
//! in strings and comments, tidy's own among them, are not mistaken for code.

/// One token and the line it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Its text: a word, `::`, or one other character.
    pub(super) text: &'a str,
    /// From 1.
    pub(super) line: usize,
}

/// The source, byte for byte as long as `text`, with spaces in place of comments and of what stands in quotes.
pub(super) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = blank_end(text, at);
        for byte in &mut code[at..end.max(at)] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(code).expect("whole comments and whole literals are replaced by spaces")
}

/// Where the comment or literal that starts at `at` ends; `at` itself if none starts there.
fn blank_end(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, b'"'),
        [b'r', b'"' | b'#', ..] if starts_literal(text, at) => at + raw_string(rest),
        [b'\'', b'\\', ..] => at + quoted(rest, b'\''),
        [b'\'', ..] => at + character(&text[at..]),
        _ => at,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `r"…"`, `r#"…"#` and so on; 0 for a raw identifier such as `r#type`.
fn raw_string(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    let open = 1 + hashes;
    if rest.get(open) != Some(&b'"') {
        return 0;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = &rest[open + 1..];
    body.windows(close.len())
        .position(|window| window == close)
        .map_or(rest.len(), |at| open + 1 + at + close.len())
}

/// Whether the `r` at `at` begins a word, or follows only the `b` or `c` of `br"…"`.
fn starts_literal(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(['b', 'c']);
    at - before.len() <= 1 && !before.ends_with(is_word)
}

/// `'x'`; 0 for a lifetime.
fn character(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The tokens of blanked source.
pub(super) fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (code, 1);
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|character| !is_word(character)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            tokens.push(Token { text: &rest[..length], line });
        }
        line += usize::from(first == '\n');
        rest = &rest[length..];
    }
    tokens
}

/// The position just behind the brace that closes the one at `open`.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<String> = code(text).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words.join(" "), expected, "in {text}");
        assert_eq!(code(text).len(), text.len());
    }

    #[test]
    fn comments_and_literals_are_blank() {
        check("a // b\nc", "a c");
        check("a /* b /* c */ d */ e", "a e");
        check(r#"a "b \" c" d"#, "a d");
        check(r##"a r#"b " c"# d"##, "a d");
        check(r##"a br#"b"# d"##, "a b d");
        check("a 'b' c", "a c");
        check(r"a '\'' c", "a c");
        check("a 'é' c", "a c");
        check("//! one\nmod two;", "mod two;");
    }

    #[test]
    fn lifetimes_and_raw_identifiers_stay() {
        check("fn a<'b>(c: &'b str)", "fn a<'b>(c: &'b str)");
        check("r#type", "r#type");
        check("for r in 0..3", "for r in 0..3");
    }

    #[test]
    fn tokens_know_their_lines() {
        let found: Vec<(&str, usize)> =
            tokens("use a::b;\nfn").iter().map(|token| (token.text, token.line)).collect();
        assert_eq!(found, [("use", 1), ("a", 1), ("::", 1), ("b", 1), (";", 1), ("fn", 2)]);
    }

    #[test]
    fn braces_are_matched() {
        let code = "a { b { } c } d";
        assert_eq!(closing(&tokens(code), 1), 7);
    }
}
