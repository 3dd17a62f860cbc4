//! From a statement's text to its tokens, each with the place the service's messages name.

use std::fmt;

use super::keyword::keyword;
use super::refusal::malformed;
use crate::error::StoreError;

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lexeme<'a> {
    /// A reserved word, in lower case.
    Keyword(&'static str),
    /// Any other bare word, as written.
    Word(&'a str),
    /// A name in double quotes, without them.
    Name(String),
    /// A string in single quotes, without them.
    Text(String),
    /// A number without its sign, as written.
    Number(&'a str),
    /// `?`
    Parameter,
    /// Punctuation or an operator.
    Symbol(&'static str),
}

/// A piece of the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) lexeme: Lexeme<'a>,
    pub(super) place: Place,
}

/// Where a token stands, in characters; the first line and the first column are 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    line: usize,
    column: usize,
    length: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// The tokens of `text`. Comments and blanks are gone.
pub(super) fn tokenize(text: &str) -> Result<Vec<Token<'_>>, StoreError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

/// Longer ones first: the first that fits is the symbol.
const SYMBOLS: &[&str] = &[
    "<<", ">>", "<=", ">=", "<>", "!=", "(", ")", "[", "]", "{", "}", ",", ".", ":", ";", "=", "<", ">", "+",
    "-", "*",
];

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, StoreError> {
        self.skip_blanks_and_comments()?;
        let rest = self.rest;
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let (lexeme, bytes) = match first {
            '\'' => quoted(rest, first).map(|(text, bytes)| (Lexeme::Text(text), bytes))?,
            '"' => quoted(rest, first).map(|(name, bytes)| (Lexeme::Name(name), bytes))?,
            '?' => (Lexeme::Parameter, 1),
            _ if begins_number(rest) => {
                let bytes = number_bytes(rest);
                (Lexeme::Number(&rest[..bytes]), bytes)
            }
            _ if begins_word(first) => {
                let bytes = rest.find(|c: char| !continues_word(c)).unwrap_or(rest.len());
                let word = &rest[..bytes];
                (keyword(word).map_or(Lexeme::Word(word), Lexeme::Keyword), bytes)
            }
            _ => {
                let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
                let symbol = symbol.ok_or_else(|| malformed(""))?;
                (Lexeme::Symbol(symbol), symbol.len())
            }
        };
        let place = Place { line: self.line, column: self.column, length: rest[..bytes].chars().count() };
        self.advance(bytes);
        Ok(Some(Token { lexeme, place }))
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), StoreError> {
        loop {
            let bytes = match self.rest {
                line if line.starts_with("--") => line.find('\n').unwrap_or(line.len()),
                block if block.starts_with("/*") => {
                    let inside = &block[2..];
                    inside.find("*/").map(|end| end + 4).ok_or_else(|| malformed(""))?
                }
                other => other.len() - other.trim_start().len(),
            };
            if bytes == 0 {
                return Ok(());
            }
            self.advance(bytes);
        }
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        for character in passed.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
    }
}

/// The content of a quoted text at the start of `rest`, and the bytes it takes with its quotes. A doubled quote is one.
fn quoted(rest: &str, quote: char) -> Result<(String, usize), StoreError> {
    let mut content = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            content.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            content.push(quote);
        } else {
            return Ok((content, at + quote.len_utf8()));
        }
    }
    Err(malformed(""))
}

fn begins_number(rest: &str) -> bool {
    rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
}

/// How far a number reaches: digits, a fraction, an exponent. An `e` without digits is the next token's.
fn number_bytes(rest: &str) -> usize {
    let digits = |from: usize| from + rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = end + 1 + sign;
        if digits(exponent) > exponent {
            end = digits(exponent);
        }
    }
    end
}

fn begins_word(character: char) -> bool {
    character.is_ascii_alphabetic() || matches!(character, '_' | '$')
}

fn continues_word(character: char) -> bool {
    begins_word(character) || character.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Lexeme<'_>]) {
        let lexemes: Vec<_> = tokenize(text).unwrap().into_iter().map(|token| token.lexeme).collect();
        assert_eq!(lexemes, expected, "{text}");
    }

    #[test]
    fn texts_become_lexemes() {
        use Lexeme::{Keyword, Name, Number, Parameter, Symbol, Text, Word};
        check("", &[]);
        check(" \n\t", &[]);
        check("SELECT a", &[Keyword("select"), Word("a")]);
        check("$1 _b c9", &[Word("$1"), Word("_b"), Word("c9")]);
        check("'it''s' \"a\"\"b\"", &[Text("it's".into()), Name("a\"b".into())]);
        check("'' 'é?'", &[Text(String::new()), Text("é?".into())]);
        check("?", &[Parameter]);
        check(
            "1 1.5 .5 1. 1e5 1.5E-10 1e+2",
            &["1", "1.5", ".5", "1.", "1e5", "1.5E-10", "1e+2"].map(Number),
        );
        check("1e 1ex", &[Number("1"), Word("e"), Number("1"), Word("ex")]);
        check("a[0].b", &[Word("a"), Symbol("["), Number("0"), Symbol("]"), Symbol("."), Word("b")]);
        check("<<1>>", &[Symbol("<<"), Number("1"), Symbol(">>")]);
        check("<= >= <> != < > =", &["<=", ">=", "<>", "!=", "<", ">", "="].map(Symbol));
        check("a-1", &[Word("a"), Symbol("-"), Number("1")]);
        check("a--1\nb", &[Word("a"), Word("b")]);
        check("a/* ' \" */b--", &[Word("a"), Word("b")]);
        check("/**/*", &[Symbol("*")]);
        check("'a--b /*c*/'", &[Text("a--b /*c*/".into())]);
    }

    #[test]
    fn what_cannot_be_read_is_malformed() {
        for text in ["'open", "\"open", "/* open", "/*/", "a # b", "`ion`", "é", "a | b", "\u{0}"] {
            assert_eq!(tokenize(text), Err(malformed("")), "{text}");
        }
    }

    #[test]
    fn places_count_characters_from_one() {
        let tokens = tokenize("'é' a\n \"bc\"").unwrap();
        let places: Vec<_> = tokens.iter().map(|token| token.place.to_string()).collect();
        assert_eq!(places, ["1:1:3", "1:5:1", "2:2:4"]);
    }
}
