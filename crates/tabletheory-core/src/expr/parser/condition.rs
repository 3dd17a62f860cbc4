//! The grammar of conditions, filters and key conditions. `NOT` binds closer than `AND`, `AND` closer than `OR`; equal
//! operators group to the left.
//!
//! A machine with two moments: *start* reads what may come before an operand until one stands, *go on* reads what may
//! follow it. What waits for something further right lies on the stack.

use super::super::ast::{Comparator, Condition, Operand, Path};
use super::super::kind::ExpressionKind;
use super::super::lexer::{Keyword, TokenKind};
use super::super::substitution::Substitutions;
use super::Parser;
use super::function::Function;
use crate::error::StoreError;
use crate::value::Value;

/// The condition that `text` is. The kind is one of those that hold conditions.
pub(in super::super) fn condition(
    kind: ExpressionKind,
    text: &str,
    substitutions: &mut Substitutions,
) -> Result<Condition, StoreError> {
    let mut machine =
        Machine { parser: Parser::new(kind, text, substitutions)?, waiting: Vec::new(), grouped: false };
    let condition = machine.run()?;
    machine.parser.faults.into_result(kind)?;
    Ok(condition)
}

/// What was read last. A call may turn out to be either: only what follows tells `size(a)` from `size(a) = :n`.
#[derive(Debug)]
enum Node {
    Operand(Operand),
    Condition(Condition),
    Call(Option<Function>, Vec<Operand>),
}

/// What waits for something further right.
#[derive(Debug)]
enum Waiting {
    Group { operands_only: bool },
    Not,
    And(Condition),
    Or(Condition),
    Compare(Operand, Comparator),
    BetweenLow(Operand),
    BetweenHigh(Operand, Operand),
    In(Operand, Vec<Operand>),
    Call(Option<Function>, Vec<Operand>),
}

/// What the machine does next.
enum Next {
    Start,
    GoOn(Node),
    Done(Condition),
}

struct Machine<'t, 's> {
    parser: Parser<'t, 's>,
    waiting: Vec<Waiting>,
    /// Whether the last node is exactly what a pair of parentheses held: a second pair around it is refused.
    grouped: bool,
}

impl Machine<'_, '_> {
    fn run(&mut self) -> Result<Condition, StoreError> {
        let mut next = Next::Start;
        loop {
            next = match next {
                Next::Start => Next::GoOn(self.start()?),
                Next::GoOn(node) => self.go_on(node)?,
                Next::Done(condition) => return Ok(condition),
            };
        }
    }

    fn operands_only(&self) -> bool {
        match self.waiting.last() {
            None | Some(Waiting::Not | Waiting::And(_) | Waiting::Or(_)) => false,
            Some(Waiting::Group { operands_only }) => *operands_only,
            Some(_) => true,
        }
    }

    fn start(&mut self) -> Result<Node, StoreError> {
        self.grouped = false;
        loop {
            match self.parser.token.kind {
                TokenKind::Keyword(Keyword::Not) if !self.operands_only() => {
                    self.parser.advance();
                    self.waiting.push(Waiting::Not);
                }
                TokenKind::LeftParen => {
                    self.parser.advance();
                    let operands_only = self.operands_only();
                    self.waiting.push(Waiting::Group { operands_only });
                }
                TokenKind::Word => {
                    let word = self.parser.advance();
                    if !self.parser.take(TokenKind::LeftParen) {
                        let root = self.parser.bare_name(word);
                        return Ok(Node::Operand(Operand::Path(self.parser.path_from(root)?)));
                    }
                    let function = self.called(word);
                    self.waiting.push(Waiting::Call(function, Vec::new()));
                }
                TokenKind::Name => return Ok(Node::Operand(Operand::Path(self.parser.path()?))),
                _ => return Ok(Node::Operand(Operand::Value(self.parser.value()?))),
            }
        }
    }

    /// The function called `name`. Where only an operand can stand, `size` is the only one.
    fn called(&mut self, name: &str) -> Option<Function> {
        let function = self.parser.function(name)?;
        if self.operands_only() && function != Function::Size {
            self.parser.misused(function);
            return None;
        }
        Some(function)
    }

    /// Gives the node to what waits for it, or reads the operator that follows it.
    fn go_on(&mut self, node: Node) -> Result<Next, StoreError> {
        match self.waiting.pop() {
            Some(Waiting::Compare(left, comparator)) => {
                let right = self.operand(node)?;
                Ok(self.made(Node::Condition(Condition::Compare(left, comparator, right))))
            }
            Some(Waiting::BetweenLow(operand)) => {
                let low = self.operand(node)?;
                self.parser.expect(TokenKind::Keyword(Keyword::And))?;
                self.waiting.push(Waiting::BetweenHigh(operand, low));
                Ok(Next::Start)
            }
            Some(Waiting::BetweenHigh(operand, low)) => {
                let high = self.operand(node)?;
                Ok(self.made(Node::Condition(Condition::Between(operand, low, high))))
            }
            Some(Waiting::In(operand, mut candidates)) => {
                candidates.push(self.operand(node)?);
                if self.another()? {
                    self.waiting.push(Waiting::In(operand, candidates));
                    return Ok(Next::Start);
                }
                Ok(self.made(Node::Condition(Condition::In(operand, candidates))))
            }
            Some(Waiting::Call(function, mut operands)) => {
                operands.push(self.operand(node)?);
                if self.another()? {
                    self.waiting.push(Waiting::Call(function, operands));
                    return Ok(Next::Start);
                }
                Ok(self.made(Node::Call(function, operands)))
            }
            other => {
                self.waiting.extend(other);
                self.operator(node)
            }
        }
    }

    /// Whether a comma promises another operand; if not, the list must close here.
    fn another(&mut self) -> Result<bool, StoreError> {
        if self.parser.take(TokenKind::Comma) {
            return Ok(true);
        }
        self.parser.expect(TokenKind::RightParen)?;
        Ok(false)
    }

    fn made(&mut self, node: Node) -> Next {
        self.grouped = false;
        Next::GoOn(node)
    }

    fn operator(&mut self, node: Node) -> Result<Next, StoreError> {
        match self.parser.token.kind {
            TokenKind::Comparator(comparator) => {
                let left = self.left_operand(node)?;
                self.waiting.push(Waiting::Compare(left, comparator));
                Ok(Next::Start)
            }
            TokenKind::Keyword(Keyword::Between) => {
                let operand = self.left_operand(node)?;
                self.waiting.push(Waiting::BetweenLow(operand));
                Ok(Next::Start)
            }
            TokenKind::Keyword(Keyword::In) => {
                let operand = self.left_operand(node)?;
                self.parser.expect(TokenKind::LeftParen)?;
                self.waiting.push(Waiting::In(operand, Vec::new()));
                Ok(Next::Start)
            }
            TokenKind::Keyword(Keyword::And) => {
                let left = self.condition(node)?;
                let left = self.join_ands(left);
                self.waiting.push(Waiting::And(left));
                self.parser.advance();
                Ok(Next::Start)
            }
            TokenKind::Keyword(Keyword::Or) => {
                let left = self.condition(node)?;
                let left = self.join(left);
                self.waiting.push(Waiting::Or(left));
                self.parser.advance();
                Ok(Next::Start)
            }
            TokenKind::RightParen => self.close(node),
            TokenKind::End => {
                let condition = self.condition(node)?;
                let condition = self.join(condition);
                // Only an open parenthesis can still wait, and it waits in vain.
                if self.waiting.is_empty() {
                    Ok(Next::Done(condition))
                } else {
                    Err(self.parser.unexpected())
                }
            }
            _ => Err(self.parser.unexpected()),
        }
    }

    fn close(&mut self, node: Node) -> Result<Next, StoreError> {
        let node = match (self.waiting.last(), node) {
            // `(a)` may still become an operand of what follows, and so may `(size(a))`.
            (Some(Waiting::Group { .. }), node) => node,
            (_, node) => {
                let condition = self.condition(node)?;
                self.grouped = false;
                Node::Condition(self.join(condition))
            }
        };
        match self.waiting.pop() {
            Some(Waiting::Group { .. }) => {
                self.parser.close_group(self.grouped)?;
                self.grouped = true;
                Ok(Next::GoOn(node))
            }
            _ => Err(self.parser.unexpected()),
        }
    }

    /// The node as the left operand of the operator that comes next, which is read too.
    fn left_operand(&mut self, node: Node) -> Result<Operand, StoreError> {
        if self.operands_only() {
            return Err(self.parser.unexpected());
        }
        let operand = self.operand(node)?;
        self.parser.advance();
        Ok(operand)
    }

    fn operand(&mut self, node: Node) -> Result<Operand, StoreError> {
        match node {
            Node::Operand(operand) => Ok(operand),
            Node::Call(Some(Function::Size), operands) => {
                Ok(match self.parser.operands(Function::Size, operands) {
                    Some((operand, _)) => Operand::Size(Box::new(operand)),
                    None => nothing(),
                })
            }
            Node::Call(function, _) => {
                if let Some(function) = function {
                    self.parser.misused(function);
                }
                Ok(nothing())
            }
            Node::Condition(_) => Err(self.parser.unexpected()),
        }
    }

    fn condition(&mut self, node: Node) -> Result<Condition, StoreError> {
        match node {
            _ if self.operands_only() => Err(self.parser.unexpected()),
            Node::Condition(condition) => Ok(condition),
            Node::Operand(_) => Err(self.parser.unexpected()),
            Node::Call(function, operands) => {
                let call = function.and_then(|function| self.call(function, operands));
                // Without a call a fault was noted; something must stand for it while the rest is read.
                Ok(call.unwrap_or_else(|| Condition::AttributeExists(Path::attribute(""))))
            }
        }
    }

    fn call(&mut self, function: Function, operands: Vec<Operand>) -> Option<Condition> {
        if function == Function::Size {
            self.parser.misused(function);
            return None;
        }
        let (first, second) = self.parser.operands(function, operands)?;
        match (function, second) {
            (Function::BeginsWith, Some(prefix)) => Some(Condition::BeginsWith(first, prefix)),
            (Function::Contains, Some(element)) => Some(Condition::Contains(first, element)),
            (_, second) => {
                let Operand::Path(path) = first else {
                    self.parser.needs_path(function);
                    return None;
                };
                Some(match (function, second) {
                    (Function::AttributeType, Some(name)) => Condition::AttributeType(path, name),
                    (Function::AttributeNotExists, _) => Condition::AttributeNotExists(path),
                    _ => Condition::AttributeExists(path),
                })
            }
        }
    }

    /// The condition with the `NOT`s and `AND`s that wait on its left.
    fn join_ands(&mut self, mut condition: Condition) -> Condition {
        loop {
            condition = match self.waiting.pop() {
                Some(Waiting::Not) => !condition,
                Some(Waiting::And(left)) => left.and(condition),
                other => {
                    self.waiting.extend(other);
                    return condition;
                }
            };
        }
    }

    /// The condition with all that waits on its left, up to an open parenthesis.
    fn join(&mut self, condition: Condition) -> Condition {
        let mut condition = self.join_ands(condition);
        while let Some(Waiting::Or(_)) = self.waiting.last() {
            if let Some(Waiting::Or(left)) = self.waiting.pop() {
                condition = left.or(condition);
            }
        }
        condition
    }
}

/// What stands for an operand at fault while the rest is read.
fn nothing() -> Operand {
    Operand::Value(Value::Null)
}
