//! Trees into text, for a store that speaks to the service. Every name becomes a placeholder, so reserved words, dots
//! and any other characters are safe.
//!
//! Reading what was printed gives the same tree, of an update its [`Update::normalized`] form. Trees may be deep: what
//! is still to be printed waits on a stack of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::ast::{
    Action, Condition, KeyCondition, KeyPredicate, Operand, Path, ProjectionExpression, SetOperand, SetValue,
    Step, Update,
};
use crate::value::Value;

/// The placeholders that the expressions of one request share.
///
/// ```
/// use tabletheory_core::expr::{KeyCondition, Path, ProjectionExpression, RenderScope};
/// use tabletheory_core::Value;
///
/// let mut scope = RenderScope::new();
/// let key = scope.key_condition(&KeyCondition::partition("pk", "user#1"));
/// let projection = scope.projection(&ProjectionExpression { paths: vec!["pk".into(), "name".into()] });
/// let (names, values) = scope.into_parts();
///
/// assert_eq!(key, "#n0 = :v0");
/// assert_eq!(projection, "#n0, #n1");
/// assert_eq!(names["#n1"], "name");
/// assert_eq!(values[":v0"], Value::s("user#1"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct RenderScope {
    names: BTreeMap<String, usize>,
    // Values have no order to look them up by, and a request has few of them.
    values: Vec<Value>,
}

/// One expression with its own placeholders, for a request that carries no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The expression.
    pub text: String,
    /// What its `#…` stand for.
    pub names: BTreeMap<String, String>,
    /// What its `:…` stand for.
    pub values: BTreeMap<String, Value>,
}

impl Rendered {
    /// What `print` prints into a scope of its own.
    ///
    /// ```
    /// use tabletheory_core::expr::{Condition, Rendered};
    ///
    /// let absent = Condition::AttributeNotExists("pk".into());
    /// let rendered = Rendered::alone(|scope| scope.condition(&absent));
    /// assert_eq!(rendered.text, "attribute_not_exists(#n0)");
    /// assert_eq!(rendered.names["#n0"], "pk");
    /// ```
    pub fn alone(print: impl FnOnce(&mut RenderScope) -> String) -> Self {
        let mut scope = RenderScope::new();
        let text = print(&mut scope);
        let (names, values) = scope.into_parts();
        Self { text, names, values }
    }
}

/// What is still to be printed.
enum Piece<'e> {
    Text(&'static str),
    Operand(&'e Operand),
    Condition(&'e Condition),
    SetOperand(&'e SetOperand),
    Path(&'e Path),
}

impl RenderScope {
    /// A scope without placeholders.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A condition or filter.
    pub fn condition(&mut self, condition: &Condition) -> String {
        self.print(Piece::Condition(condition))
    }

    /// The predicates of a key condition, joined by `AND`.
    pub fn key_condition(&mut self, condition: &KeyCondition) -> String {
        let mut text = String::new();
        for (name, predicate) in &condition.predicates {
            if !text.is_empty() {
                text.push_str(" AND ");
            }
            self.predicate(&mut text, name, predicate);
        }
        text
    }

    /// The actions of an update, grouped by clause.
    pub fn update(&mut self, update: &Update) -> String {
        let mut text = String::new();
        for clause in Clause::ALL {
            let actions = update.actions.iter().filter(|action| Clause::of(action) == clause);
            for (at, action) in actions.enumerate() {
                if at > 0 {
                    text.push_str(", ");
                } else {
                    text.push_str(if text.is_empty() { "" } else { " " });
                    text.push_str(clause.keyword());
                    text.push(' ');
                }
                self.action(&mut text, action);
            }
        }
        text
    }

    /// The paths of a projection.
    pub fn projection(&mut self, projection: &ProjectionExpression) -> String {
        let mut text = String::new();
        for (at, path) in projection.paths.iter().enumerate() {
            text.push_str(if at > 0 { ", " } else { "" });
            self.path(&mut text, path);
        }
        text
    }

    /// What the placeholders printed so far stand for: `ExpressionAttributeNames`, `ExpressionAttributeValues`.
    #[must_use]
    pub fn into_parts(self) -> (BTreeMap<String, String>, BTreeMap<String, Value>) {
        let names = self.names.into_iter().map(|(name, number)| (format!("#n{number}"), name)).collect();
        let values =
            self.values.into_iter().zip(0..).map(|(value, number)| (format!(":v{number}"), value)).collect();
        (names, values)
    }

    fn name(&mut self, text: &mut String, name: &str) {
        let number = match self.names.get(name) {
            Some(&number) => number,
            None => {
                let number = self.names.len();
                self.names.insert(name.to_owned(), number);
                number
            }
        };
        append(text, format_args!("#n{number}"));
    }

    fn value(&mut self, text: &mut String, value: &Value) {
        let number = self.values.iter().position(|known| known == value).unwrap_or_else(|| {
            self.values.push(value.clone());
            self.values.len() - 1
        });
        append(text, format_args!(":v{number}"));
    }

    fn path(&mut self, text: &mut String, path: &Path) {
        self.name(text, &path.root);
        for step in &path.steps {
            match step {
                Step::Field(name) => {
                    text.push('.');
                    self.name(text, name);
                }
                Step::Index(index) => append(text, format_args!("[{index}]")),
            }
        }
    }

    fn predicate(&mut self, text: &mut String, name: &str, predicate: &KeyPredicate) {
        let (operator, value) = match predicate {
            KeyPredicate::Eq(value) => (" = ", value),
            KeyPredicate::Lt(value) => (" < ", value),
            KeyPredicate::Le(value) => (" <= ", value),
            KeyPredicate::Gt(value) => (" > ", value),
            KeyPredicate::Ge(value) => (" >= ", value),
            KeyPredicate::Between(low, high) => {
                self.name(text, name);
                text.push_str(" BETWEEN ");
                self.value(text, low);
                (" AND ", high)
            }
            KeyPredicate::BeginsWith(prefix) => {
                text.push_str("begins_with(");
                self.name(text, name);
                text.push_str(", ");
                self.value(text, prefix);
                text.push(')');
                return;
            }
        };
        if !matches!(predicate, KeyPredicate::Between(..)) {
            self.name(text, name);
        }
        text.push_str(operator);
        self.value(text, value);
    }

    fn action(&mut self, text: &mut String, action: &Action) {
        self.path(text, action.path());
        match action {
            Action::Remove(_) => {}
            Action::Add(_, value) | Action::Delete(_, value) => {
                text.push(' ');
                self.value(text, value);
            }
            Action::Set(_, value) => {
                text.push_str(" = ");
                let (first, rest) = match value {
                    SetValue::Operand(operand) => (operand, None),
                    SetValue::Plus(left, right) => (left, Some((" + ", right))),
                    SetValue::Minus(left, right) => (left, Some((" - ", right))),
                };
                text.push_str(&self.print(Piece::SetOperand(first)));
                if let Some((sign, right)) = rest {
                    text.push_str(sign);
                    text.push_str(&self.print(Piece::SetOperand(right)));
                }
            }
        }
    }

    fn print(&mut self, piece: Piece<'_>) -> String {
        let mut text = String::new();
        let mut waiting = vec![piece];
        while let Some(piece) = waiting.pop() {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Path(path) | Piece::Operand(Operand::Path(path)) => self.path(&mut text, path),
                Piece::SetOperand(SetOperand::Path(path)) => self.path(&mut text, path),
                Piece::Operand(Operand::Value(value)) => self.value(&mut text, value),
                Piece::SetOperand(SetOperand::Value(value)) => self.value(&mut text, value),
                Piece::Operand(Operand::Size(operand)) => {
                    text.push_str("size(");
                    waiting.extend([Piece::Text(")"), Piece::Operand(operand)]);
                }
                Piece::SetOperand(SetOperand::IfNotExists(path, otherwise)) => {
                    call(&mut waiting, "if_not_exists(", [Piece::Path(path), Piece::SetOperand(otherwise)]);
                }
                Piece::SetOperand(SetOperand::ListAppend(first, second)) => {
                    call(&mut waiting, "list_append(", [Piece::SetOperand(first), Piece::SetOperand(second)]);
                }
                Piece::Condition(condition) => unfold(condition, &mut waiting),
            }
        }
        text
    }
}

fn append(text: &mut String, piece: std::fmt::Arguments<'_>) {
    text.write_fmt(piece).expect("a String takes everything");
}

/// Puts the parts of a condition where they will be printed next. A stack gives back what came last, so the parts
/// are laid down from right to left.
fn unfold<'e>(condition: &'e Condition, waiting: &mut Vec<Piece<'e>>) {
    match condition {
        Condition::Compare(left, comparator, right) => {
            waiting.extend([Piece::Operand(right), Piece::Text(" "), Piece::Text(comparator.symbol())]);
            waiting.extend([Piece::Text(" "), Piece::Operand(left)]);
        }
        Condition::Between(operand, low, high) => {
            waiting.extend([Piece::Operand(high), Piece::Text(" AND "), Piece::Operand(low)]);
            waiting.extend([Piece::Text(" BETWEEN "), Piece::Operand(operand)]);
        }
        Condition::In(operand, candidates) => {
            waiting.push(Piece::Text(")"));
            for (at, candidate) in candidates.iter().enumerate().rev() {
                waiting.push(Piece::Operand(candidate));
                waiting.push(Piece::Text(if at > 0 { ", " } else { " IN (" }));
            }
            waiting.push(Piece::Operand(operand));
        }
        Condition::AttributeExists(path) => call(waiting, "attribute_exists(", [Piece::Path(path)]),
        Condition::AttributeNotExists(path) => call(waiting, "attribute_not_exists(", [Piece::Path(path)]),
        Condition::AttributeType(path, name) => {
            call(waiting, "attribute_type(", [Piece::Path(path), Piece::Operand(name)]);
        }
        Condition::BeginsWith(operand, prefix) => {
            call(waiting, "begins_with(", [Piece::Operand(operand), Piece::Operand(prefix)]);
        }
        Condition::Contains(operand, element) => {
            call(waiting, "contains(", [Piece::Operand(operand), Piece::Operand(element)]);
        }
        // Equal operators group to the left: on the right they need parentheses, on the left none.
        Condition::And(left, right) => {
            group(waiting, right, matches!(**right, Condition::And(..) | Condition::Or(..)));
            waiting.push(Piece::Text(" AND "));
            group(waiting, left, matches!(**left, Condition::Or(..)));
        }
        Condition::Or(left, right) => {
            group(waiting, right, matches!(**right, Condition::Or(..)));
            waiting.push(Piece::Text(" OR "));
            waiting.push(Piece::Condition(left));
        }
        Condition::Not(inner) => {
            group(waiting, inner, matches!(**inner, Condition::And(..) | Condition::Or(..)));
            waiting.push(Piece::Text("NOT "));
        }
    }
}

fn group<'e>(waiting: &mut Vec<Piece<'e>>, condition: &'e Condition, parentheses: bool) {
    if parentheses {
        waiting.extend([Piece::Text(")"), Piece::Condition(condition), Piece::Text("(")]);
    } else {
        waiting.push(Piece::Condition(condition));
    }
}

fn call<'e, const COUNT: usize>(
    waiting: &mut Vec<Piece<'e>>,
    opening: &'static str,
    operands: [Piece<'e>; COUNT],
) {
    waiting.push(Piece::Text(")"));
    for (at, operand) in operands.into_iter().enumerate().rev() {
        waiting.push(operand);
        waiting.push(Piece::Text(if at > 0 { ", " } else { opening }));
    }
}

/// A section of an update, in the order in which they are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Clause {
    Set,
    Remove,
    Add,
    Delete,
}

impl Clause {
    const ALL: [Self; 4] = [Self::Set, Self::Remove, Self::Add, Self::Delete];

    fn of(action: &Action) -> Self {
        match action {
            Action::Set(..) => Self::Set,
            Action::Remove(_) => Self::Remove,
            Action::Add(..) => Self::Add,
            Action::Delete(..) => Self::Delete,
        }
    }

    fn keyword(self) -> &'static str {
        match self {
            Self::Set => "SET",
            Self::Remove => "REMOVE",
            Self::Add => "ADD",
            Self::Delete => "DELETE",
        }
    }
}

impl Update {
    /// The same update with its actions in the order in which they are printed: `SET`, `REMOVE`, `ADD`, `DELETE`, and
    /// inside each as they were. The order of actions means nothing: all of them see the item as it was before.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        self.actions.sort_by_key(Clause::of);
        self
    }
}

#[cfg(test)]
mod tests;
