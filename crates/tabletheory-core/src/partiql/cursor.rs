//! A walk over a statement's tokens. It hands out parameters, bounds how deep and how large expressions grow, and words
//! the complaint when a token is out of place.

use super::keyword::is_operator;
use super::lexer::{Lexeme, Place, Token};
use super::refusal::malformed;
use crate::error::StoreError;
use crate::limits::EXPRESSION_OPERATORS_MAX;
use crate::value::Value;

/// Parentheses, `NOT` and function calls inside each other. Each takes a few frames of the stack.
const EXPRESSION_DEPTH_MAX: usize = 64;

/// A walk over tokens.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    parameters: std::slice::Iter<'a, Value>,
    depth: usize,
    operators: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: Vec<Token<'a>>, parameters: &'a [Value]) -> Self {
        Self { tokens, at: 0, parameters: parameters.iter(), depth: 0, operators: 0 }
    }

    pub(super) fn peek(&self) -> Option<&Lexeme<'a>> {
        self.peek_ahead(0)
    }

    pub(super) fn peek_ahead(&self, tokens: usize) -> Option<&Lexeme<'a>> {
        self.tokens.get(self.at + tokens).map(|token| &token.lexeme)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.peek().is_none()
    }

    /// Where the next token stands.
    ///
    /// # Panics
    ///
    /// At the end, where there is no token to complain about.
    pub(super) fn place(&self) -> Place {
        self.tokens.get(self.at).expect("a place is asked of a token that was seen").place
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn is_at_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Some(Lexeme::Symbol(found)) if *found == symbol)
    }

    pub(super) fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_at_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    /// `name` is how the service calls the symbol.
    pub(super) fn expect_symbol(&mut self, symbol: &str, name: &str) -> Result<(), StoreError> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(malformed(&format!("Expected {name}"))) }
    }

    /// Whether the token `tokens` further on is this word, keyword or not. A quoted name is never a word.
    pub(super) fn is_word_ahead(&self, tokens: usize, word: &str) -> bool {
        match self.peek_ahead(tokens) {
            Some(Lexeme::Keyword(found)) => *found == word,
            Some(Lexeme::Word(found)) => found.eq_ignore_ascii_case(word),
            _ => false,
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word_ahead(0, word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), StoreError> {
        if self.take_word(word) {
            return Ok(());
        }
        Err(malformed(&format!("Expected {}", word.to_ascii_uppercase())))
    }

    /// A name, bare or quoted, if one comes next.
    pub(super) fn take_name(&mut self) -> Option<String> {
        let name = match self.peek()? {
            Lexeme::Word(word) => (*word).to_owned(),
            Lexeme::Name(name) => name.clone(),
            _ => return None,
        };
        self.advance();
        Some(name)
    }

    /// The name of a function, in lower case, if a call comes next. Only the name is not taken yet.
    pub(super) fn called_function(&self) -> Option<String> {
        let name = match self.peek()? {
            Lexeme::Word(word) => *word,
            Lexeme::Keyword(keyword) if !is_operator(keyword) => keyword,
            _ => return None,
        };
        let is_call = matches!(self.peek_ahead(1), Some(Lexeme::Symbol("(")));
        is_call.then(|| name.to_ascii_lowercase())
    }

    /// The value of the question mark that comes next.
    pub(super) fn take_parameter(&mut self) -> Value {
        self.advance();
        self.parameters.next().expect("there are as many parameters as question marks").clone()
    }

    /// Runs `parse` one level deeper. Text is hostile: without a bound it would choose how much stack we use.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.depth == EXPRESSION_DEPTH_MAX {
            return Err(malformed("Expression is nested too deeply"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Counts an operator or a function. The tree of an `AND` chain is as deep as the chain is long, so this bounds what
    /// whoever walks the tree must be ready for.
    pub(super) fn count_operator(&mut self) -> Result<(), StoreError> {
        self.operators += 1;
        if self.operators > EXPRESSION_OPERATORS_MAX {
            return Err(StoreError::validation(format!(
                "The expression contains too many operators; operator count: {}",
                self.operators
            )));
        }
        Ok(())
    }

    /// After an infix operator: something must follow.
    pub(super) fn expect_right_side(&self) -> Result<(), StoreError> {
        if self.is_at_end() {
            return Err(malformed("Missing right-hand side expression of infix operator"));
        }
        Ok(())
    }

    /// The complaint about the next token where an expression should begin.
    pub(super) fn unexpected(&self) -> StoreError {
        malformed(match self.peek() {
            Some(Lexeme::Keyword(keyword)) if is_operator(keyword) => "Unexpected operator",
            Some(Lexeme::Keyword(_)) => "Unexpected keyword",
            Some(Lexeme::Symbol("=" | "<" | ">" | "<=" | ">=" | "<>" | "!=" | "+" | "-" | "*")) => {
                "Unexpected operator"
            }
            _ => "Unexpected term",
        })
    }
}
