//! The grammar of updates: up to four sections, each a list. The right side of `SET` is one operand, or two with `+` or
//! `-` between them; operands that are still open wait on a stack, as in conditions.

use super::super::ast::{Action, Comparator, SetOperand, SetValue, Update};
use super::super::kind::ExpressionKind;
use super::super::lexer::{Keyword, TokenKind};
use super::super::substitution::Substitutions;
use super::Parser;
use super::function::Function;
use crate::error::StoreError;
use crate::value::Value;

/// The update that `text` is, its actions in the order of the text.
pub(in super::super) fn update(text: &str, substitutions: &mut Substitutions) -> Result<Update, StoreError> {
    let mut parser = Parser::new(ExpressionKind::Update, text, substitutions)?;
    let mut actions = Vec::new();
    let mut seen = Vec::new();
    loop {
        let section = parser.keyword().ok_or_else(|| parser.unexpected())?;
        parser.section(section, seen.contains(&section), &mut actions)?;
        seen.push(section);
        if parser.token.kind == TokenKind::End {
            parser.faults.into_result(ExpressionKind::Update)?;
            return Ok(Update { actions });
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

/// What was read last.
enum Node {
    Operand(SetOperand),
    Sum(SetValue),
}

/// What waits for something further right.
enum Waiting {
    Group { operands_only: bool },
    Sum(SetOperand, Sign),
    Call(Option<Function>, Vec<SetOperand>),
}

impl Parser<'_, '_> {
    fn section(
        &mut self,
        section: Keyword,
        again: bool,
        actions: &mut Vec<Action>,
    ) -> Result<(), StoreError> {
        let name = match section {
            Keyword::Set => "SET",
            Keyword::Remove => "REMOVE",
            Keyword::Add => "ADD",
            Keyword::Delete => "DELETE",
            Keyword::And | Keyword::Or | Keyword::Not | Keyword::Between | Keyword::In => {
                return Err(self.unexpected());
            }
        };
        self.advance();
        if again {
            let complaint = "section can only be used once in an update expression;";
            self.faults.wording(|| format!("The \"{name}\" {complaint}"));
        }
        loop {
            let path = self.path()?;
            actions.push(match section {
                Keyword::Set => {
                    self.expect(TokenKind::Comparator(Comparator::Eq))?;
                    Action::Set(path, Assignment { parser: self, waiting: Vec::new(), grouped: false }.run()?)
                }
                Keyword::Add => Action::Add(path, self.value()?),
                Keyword::Delete => Action::Delete(path, self.value()?),
                _ => Action::Remove(path),
            });
            if !self.take(TokenKind::Comma) {
                return Ok(());
            }
        }
    }
}

/// The right side of one `SET`.
struct Assignment<'p, 't, 's> {
    parser: &'p mut Parser<'t, 's>,
    waiting: Vec<Waiting>,
    /// Whether the last node is exactly what a pair of parentheses held.
    grouped: bool,
}

impl Assignment<'_, '_, '_> {
    fn run(mut self) -> Result<SetValue, StoreError> {
        loop {
            let mut node = self.start()?;
            loop {
                node = match self.go_on(node)? {
                    Next::Start => break,
                    Next::GoOn(node) => node,
                    Next::Done(value) => return Ok(value),
                }
            }
        }
    }

    fn operands_only(&self) -> bool {
        match self.waiting.last() {
            None => false,
            Some(Waiting::Group { operands_only }) => *operands_only,
            Some(_) => true,
        }
    }

    fn start(&mut self) -> Result<Node, StoreError> {
        self.grouped = false;
        loop {
            match self.parser.token.kind {
                TokenKind::LeftParen => {
                    self.parser.advance();
                    let operands_only = self.operands_only();
                    self.waiting.push(Waiting::Group { operands_only });
                }
                TokenKind::Word => {
                    let word = self.parser.advance();
                    if !self.parser.take(TokenKind::LeftParen) {
                        let root = self.parser.bare_name(word);
                        return Ok(Node::Operand(SetOperand::Path(self.parser.path_from(root)?)));
                    }
                    let function = self.called(word);
                    self.waiting.push(Waiting::Call(function, Vec::new()));
                }
                TokenKind::Name => return Ok(Node::Operand(SetOperand::Path(self.parser.path()?))),
                _ => return Ok(Node::Operand(SetOperand::Value(self.parser.value()?))),
            }
        }
    }

    /// The function called `name`. `list_append` makes a whole new value and stands inside nothing.
    fn called(&mut self, name: &str) -> Option<Function> {
        let function = self.parser.function(name)?;
        if self.operands_only() && function == Function::ListAppend {
            self.parser.misused(function);
            return None;
        }
        Some(function)
    }

    fn go_on(&mut self, node: Node) -> Result<Next, StoreError> {
        let made = match (self.waiting.pop(), node) {
            (Some(Waiting::Sum(left, sign)), Node::Operand(right)) => Node::Sum(match sign {
                Sign::Plus => SetValue::Plus(left, right),
                Sign::Minus => SetValue::Minus(left, right),
            }),
            (Some(Waiting::Call(function, mut operands)), Node::Operand(operand)) => {
                operands.push(operand);
                if self.parser.take(TokenKind::Comma) {
                    self.waiting.push(Waiting::Call(function, operands));
                    return Ok(Next::Start);
                }
                self.parser.expect(TokenKind::RightParen)?;
                let call = function.and_then(|function| self.call(function, operands));
                // Without a call a fault was noted; something must stand for it while the rest is read.
                Node::Operand(call.unwrap_or(SetOperand::Value(Value::Null)))
            }
            (waiting, node) => {
                self.waiting.extend(waiting);
                return self.operator(node);
            }
        };
        self.grouped = false;
        Ok(Next::GoOn(made))
    }

    fn operator(&mut self, node: Node) -> Result<Next, StoreError> {
        match (self.parser.token.kind, node) {
            (TokenKind::RightParen, node) if matches!(self.waiting.last(), Some(Waiting::Group { .. })) => {
                self.waiting.pop();
                self.parser.close_group(self.grouped)?;
                self.grouped = true;
                Ok(Next::GoOn(node))
            }
            (kind @ (TokenKind::Plus | TokenKind::Minus), Node::Operand(left)) if !self.operands_only() => {
                if let SetOperand::ListAppend(..) = left {
                    self.parser.misused(Function::ListAppend);
                }
                self.parser.advance();
                let sign = if kind == TokenKind::Plus { Sign::Plus } else { Sign::Minus };
                self.waiting.push(Waiting::Sum(left, sign));
                Ok(Next::Start)
            }
            // A list of assignments goes on, another section begins, or the text ends.
            (TokenKind::Comma | TokenKind::Keyword(_) | TokenKind::End, node) if self.waiting.is_empty() => {
                Ok(Next::Done(match node {
                    Node::Operand(operand) => SetValue::Operand(operand),
                    Node::Sum(value) => value,
                }))
            }
            _ => Err(self.parser.unexpected()),
        }
    }

    fn call(&mut self, function: Function, operands: Vec<SetOperand>) -> Option<SetOperand> {
        match (function, self.parser.operands(function, operands)?) {
            (Function::ListAppend, (first, Some(second))) => {
                Some(SetOperand::ListAppend(Box::new(first), Box::new(second)))
            }
            (_, (SetOperand::Path(path), Some(otherwise))) => {
                Some(SetOperand::IfNotExists(path, Box::new(otherwise)))
            }
            _ => {
                self.parser.needs_path(function);
                None
            }
        }
    }
}

/// What comes after a node.
enum Next {
    Start,
    GoOn(Node),
    Done(SetValue),
}
