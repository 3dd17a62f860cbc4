//! Tokens into trees. Each grammar has its own file; here are the cursor they share, the words they share (paths,
//! values, functions) and the order in which the service complains.
//!
//! No grammar calls itself: what is still open waits on a heap-allocated stack, so a text of nothing but parentheses
//! costs memory in proportion to its length and no call stack.

mod condition;
mod function;
mod key_condition;
mod update;

pub(super) use condition::condition;
pub(super) use key_condition::key_condition;
pub(super) use update::update;

use super::ast::{Path, ProjectionExpression, Step};
use super::kind::ExpressionKind;
use super::lexer::{Keyword, Lexer, Token, TokenKind};
use super::reserved::is_reserved;
use super::substitution::Substitutions;
use crate::error::StoreError;
use crate::limits::EXPRESSION_BYTES_MAX;
use crate::value::Value;

/// The largest position in a list that a path may name.
pub(super) const LIST_INDEX_MAX: u32 = i32::MAX.unsigned_abs();

/// The paths of a projection.
pub(super) fn projection(
    text: &str,
    substitutions: &mut Substitutions,
) -> Result<ProjectionExpression, StoreError> {
    let mut parser = Parser::new(ExpressionKind::Projection, text, substitutions)?;
    let mut paths = vec![parser.path()?];
    while parser.take(TokenKind::Comma) {
        paths.push(parser.path()?);
    }
    parser.expect(TokenKind::End)?;
    parser.faults.into_result(ExpressionKind::Projection)?;
    Ok(ProjectionExpression { paths })
}

/// What is wrong with a text that the grammar allows.
///
/// The service reads a text several times: for its grammar, then for its words, then for what they mean. A later
/// reading complains only if the earlier ones found nothing, so the first complaint of each reading is kept.
#[derive(Debug, Default)]
struct Faults {
    wording: Option<String>,
    meaning: Option<String>,
}

impl Faults {
    fn wording(&mut self, complaint: impl FnOnce() -> String) {
        self.wording.get_or_insert_with(complaint);
    }

    fn meaning(&mut self, complaint: impl FnOnce() -> String) {
        self.meaning.get_or_insert_with(complaint);
    }

    fn into_result(self, kind: ExpressionKind) -> Result<(), StoreError> {
        match self.wording.or(self.meaning) {
            Some(complaint) => Err(kind.invalid(complaint)),
            None => Ok(()),
        }
    }
}

/// A text, the token that comes next, and what was found so far.
#[derive(Debug)]
struct Parser<'t, 's> {
    kind: ExpressionKind,
    lexer: Lexer<'t>,
    token: Token,
    /// Where the token before starts, for the complaint that shows the neighbourhood of an error.
    before: usize,
    substitutions: &'s mut Substitutions,
    faults: Faults,
}

impl<'t, 's> Parser<'t, 's> {
    fn new(
        kind: ExpressionKind,
        text: &'t str,
        substitutions: &'s mut Substitutions,
    ) -> Result<Self, StoreError> {
        if text.is_empty() {
            return Err(kind.invalid("The expression can not be empty;"));
        }
        if text.len() > EXPRESSION_BYTES_MAX {
            let complaint = "Expression size has exceeded the maximum allowed size;";
            // The service counts for the reader in every expression but this one.
            return Err(match kind {
                ExpressionKind::Update => kind.invalid(complaint),
                _ => kind.invalid(format_args!("{complaint} expression size: {}", text.len())),
            });
        }
        let mut lexer = Lexer::new(text);
        let token = lexer.next_token();
        Ok(Self { kind, lexer, token, before: 0, substitutions, faults: Faults::default() })
    }

    /// Goes one token further and returns the text of the one left behind.
    fn advance(&mut self) -> &'t str {
        let Token { start, end, .. } = self.token;
        self.before = start;
        self.token = self.lexer.next_token();
        &self.lexer.text()[start..end]
    }

    fn take(&mut self, kind: TokenKind) -> bool {
        let found = self.token.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Result<(), StoreError> {
        if self.take(kind) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// The complaint about the token that comes next: it, with the tokens on its left and right.
    fn unexpected(&self) -> StoreError {
        let text = self.lexer.text();
        let mut following = self.lexer;
        let after = following.next_token();
        // White space before the end belongs to the neighbourhood.
        let near = &text[self.before..if after.kind == TokenKind::End { text.len() } else { after.end }];
        let token = match self.token.kind {
            TokenKind::End => "<EOF>",
            _ => &text[self.token.start..self.token.end],
        };
        self.kind.invalid(format_args!("Syntax error; token: \"{token}\", near: \"{near}\""))
    }

    /// Closes a pair of parentheses, unless it holds exactly what another pair holds.
    fn close_group(&mut self, grouped: bool) -> Result<(), StoreError> {
        self.advance();
        if grouped {
            return Err(self.kind.invalid("The expression has redundant parentheses;"));
        }
        Ok(())
    }

    fn path(&mut self) -> Result<Path, StoreError> {
        let root = self.path_element()?;
        self.path_from(root)
    }

    /// The rest of a path whose first element was read.
    fn path_from(&mut self, root: String) -> Result<Path, StoreError> {
        let mut path = Path { root, steps: Vec::new() };
        loop {
            match self.token.kind {
                TokenKind::Dot => {
                    self.advance();
                    path.steps.push(Step::Field(self.path_element()?));
                }
                TokenKind::LeftBracket => {
                    self.advance();
                    path.steps.push(Step::Index(self.list_index()?));
                    self.expect(TokenKind::RightBracket)?;
                }
                _ => return Ok(path),
            }
        }
    }

    fn path_element(&mut self) -> Result<String, StoreError> {
        match self.token.kind {
            TokenKind::Word => {
                let word = self.advance();
                Ok(self.bare_name(word))
            }
            TokenKind::Name => {
                let placeholder = self.advance();
                Ok(self.substitutions.name(placeholder).unwrap_or_else(|| {
                    self.faults.meaning(|| {
                        let complaint =
                            "An expression attribute name used in the document path is not defined;";
                        format!("{complaint} attribute name: {placeholder}")
                    });
                    String::new()
                }))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn bare_name(&mut self, word: &str) -> String {
        if is_reserved(word) {
            let complaint = "Attribute name is a reserved keyword;";
            self.faults.wording(|| format!("{complaint} reserved keyword: {word}"));
        }
        word.to_owned()
    }

    fn list_index(&mut self) -> Result<u32, StoreError> {
        if self.token.kind != TokenKind::Integer {
            return Err(self.unexpected());
        }
        let digits = self.advance();
        let index = digits.parse().ok().filter(|&index| index <= LIST_INDEX_MAX);
        Ok(index.unwrap_or_else(|| {
            self.faults.wording(|| list_index_complaint(digits));
            0
        }))
    }

    fn value(&mut self) -> Result<Value, StoreError> {
        if self.token.kind != TokenKind::Value {
            return Err(self.unexpected());
        }
        let placeholder = self.advance();
        Ok(self.substitutions.value(placeholder).unwrap_or_else(|| {
            self.faults.meaning(|| {
                let complaint = "An expression attribute value used in expression is not defined;";
                format!("{complaint} attribute value: {placeholder}")
            });
            Value::Null
        }))
    }

    fn keyword(&self) -> Option<Keyword> {
        match self.token.kind {
            TokenKind::Keyword(keyword) => Some(keyword),
            _ => None,
        }
    }
}

/// The complaint about a position that no list can have.
pub(super) fn list_index_complaint(index: impl std::fmt::Display) -> String {
    format!("List index is not within the allowable range; index: [{index}]")
}
