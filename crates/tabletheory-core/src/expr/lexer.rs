//! Text into tokens, one pass over the bytes. Every byte belongs to a token or to white space: what the language does
//! not know becomes [`TokenKind::Unknown`], and the parser names it in its complaint.

use super::ast::Comparator;

/// A word that belongs to the language, in any letter case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A bare attribute or function name.
    Word,
    /// `#name`
    Name,
    /// `:value`
    Value,
    /// Digits without a leading zero.
    Integer,
    Keyword(Keyword),
    Comparator(Comparator),
    Plus,
    Minus,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Comma,
    Dot,
    /// A character, or a quoted text, that no expression may contain.
    Unknown,
    /// After the last token.
    End,
}

/// A token and the bytes it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A place in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The next token. After the end it is [`TokenKind::End`] for ever.
    pub(super) fn next_token(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        let blank = run(&bytes[self.at..], |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        let start = self.at + blank;
        let (kind, length) = match bytes.get(start) {
            None => (TokenKind::End, 0),
            Some(&first) => scan(first, &self.text[start..]),
        };
        self.at = start + length;
        Token { kind, start, end: self.at }
    }
}

/// How many bytes at the front fit.
fn run(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !fits(byte)).unwrap_or(bytes.len())
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The token at the front of `rest`, which begins with `first`, and its length.
fn scan(first: u8, rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    match first {
        b'a'..=b'z' | b'A'..=b'Z' => {
            let length = run(bytes, is_name_byte);
            (keyword(&rest[..length]).map_or(TokenKind::Word, TokenKind::Keyword), length)
        }
        b'#' | b':' => match run(&bytes[1..], is_name_byte) {
            0 => (TokenKind::Unknown, 1),
            length if first == b'#' => (TokenKind::Name, length + 1),
            length => (TokenKind::Value, length + 1),
        },
        b'0' => (TokenKind::Integer, 1),
        b'1'..=b'9' => (TokenKind::Integer, run(bytes, |byte| byte.is_ascii_digit())),
        b'<' if bytes.get(1) == Some(&b'>') => (TokenKind::Comparator(Comparator::Ne), 2),
        b'<' if bytes.get(1) == Some(&b'=') => (TokenKind::Comparator(Comparator::Le), 2),
        b'>' if bytes.get(1) == Some(&b'=') => (TokenKind::Comparator(Comparator::Ge), 2),
        b'<' => (TokenKind::Comparator(Comparator::Lt), 1),
        b'>' => (TokenKind::Comparator(Comparator::Gt), 1),
        b'=' => (TokenKind::Comparator(Comparator::Eq), 1),
        b'+' => (TokenKind::Plus, 1),
        b'-' => (TokenKind::Minus, 1),
        b'(' => (TokenKind::LeftParen, 1),
        b')' => (TokenKind::RightParen, 1),
        b'[' => (TokenKind::LeftBracket, 1),
        b']' => (TokenKind::RightBracket, 1),
        b',' => (TokenKind::Comma, 1),
        b'.' => (TokenKind::Dot, 1),
        // The service's complaint shows a quoted text whole, so that its author recognises it.
        b'"' | b'\'' => match run(&bytes[1..], |byte| byte != first) {
            unclosed if unclosed + 1 == bytes.len() => (TokenKind::Unknown, 1),
            length => (TokenKind::Unknown, length + 2),
        },
        _ => (TokenKind::Unknown, rest.chars().next().map_or(1, char::len_utf8)),
    }
}

fn keyword(word: &str) -> Option<Keyword> {
    const KEYWORDS: [(&str, Keyword); 9] = [
        ("AND", Keyword::And),
        ("OR", Keyword::Or),
        ("NOT", Keyword::Not),
        ("BETWEEN", Keyword::Between),
        ("IN", Keyword::In),
        ("SET", Keyword::Set),
        ("REMOVE", Keyword::Remove),
        ("ADD", Keyword::Add),
        ("DELETE", Keyword::Delete),
    ];
    KEYWORDS.iter().find(|(text, _)| word.eq_ignore_ascii_case(text)).map(|&(_, keyword)| keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| {
            let token = lexer.next_token();
            (token.kind != TokenKind::End).then(|| &text[token.start..token.end])
        })
        .collect()
    }

    #[test]
    fn tokens_are_as_long_as_they_can_be() {
        let check = |text: &str, expected: &[&str]| assert_eq!(tokens(text), expected, "{text}");
        check("", &[]);
        check(" \t\r\n", &[]);
        check("a<>:b", &["a", "<>", ":b"]);
        check("a<=b>=c<d>e=f", &["a", "<=", "b", ">=", "c", "<", "d", ">", "e", "=", "f"]);
        check("a => b", &["a", "=", ">", "b"]);
        check("#a.#b[10]", &["#a", ".", "#b", "[", "10", "]"]);
        check("007", &["0", "0", "7"]);
        check("1e5", &["1", "e5"]);
        check("a_1 _a", &["a_1", "_", "a"]);
        check("##a ::b : #", &["#", "#a", ":", ":b", ":", "#"]);
        check("aé日", &["a", "é", "日"]);
        check("\"x y\"'z'\"open", &["\"x y\"", "'z'", "\"", "open"]);
        check("\"\" '", &["\"\"", "'"]);
        check("a\u{a0}b", &["a", "\u{a0}", "b"]);
        check("a+b-c", &["a", "+", "b", "-", "c"]);
    }

    #[test]
    fn keywords_have_no_letter_case() {
        let check = |text: &str, expected| assert_eq!(Lexer::new(text).next_token().kind, expected, "{text}");
        check("and", TokenKind::Keyword(Keyword::And));
        check("BeTweeN", TokenKind::Keyword(Keyword::Between));
        check("DELETE", TokenKind::Keyword(Keyword::Delete));
        check("andy", TokenKind::Word);
        check("i", TokenKind::Word);
        check("#and", TokenKind::Name);
    }
}
