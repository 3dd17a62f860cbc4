//! The expression tree. Typed builders and the parser make it, the printer writes it as text, the evaluator runs it.
//! Placeholders are gone here: names and values stand where they are used.

use crate::value::Value;

/// A step into a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Into a map, by name.
    Field(String),
    /// Into a list, by position.
    Index(u32),
}

/// The way to a value inside an item: an attribute, then steps into it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// The item's attribute.
    pub root: String,
    /// Steps from there on.
    pub steps: Vec<Step>,
}

impl Path {
    /// The path to a whole attribute. Dots in `name` belong to the name.
    pub fn attribute(name: impl Into<String>) -> Self {
        Self { root: name.into(), steps: Vec::new() }
    }

    /// This path, one map field further.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.steps.push(Step::Field(name.into()));
        self
    }

    /// This path, one list element further.
    #[must_use]
    pub fn index(mut self, position: u32) -> Self {
        self.steps.push(Step::Index(position));
        self
    }

    /// Whether the path is a whole attribute.
    #[must_use]
    pub fn is_attribute(&self) -> bool {
        self.steps.is_empty()
    }
}

impl From<&str> for Path {
    fn from(name: &str) -> Self {
        Self::attribute(name)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.root)?;
        for step in &self.steps {
            match step {
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(position) => write!(f, "[{position}]")?,
            }
        }
        Ok(())
    }
}

/// What a condition compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A value of the item.
    Path(Path),
    /// A value of the request.
    Value(Value),
    /// `size(operand)`.
    Size(Box<Operand>),
}

impl From<Path> for Operand {
    fn from(path: Path) -> Self {
        Self::Path(path)
    }
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// How two operands are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparator {
    /// The operator as it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::Ne => "<>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// The comparator that says the same with the operands exchanged: `a < b` is `b > a`.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            same @ (Self::Eq | Self::Ne) => same,
        }
    }
}

/// A condition or a filter: true or false of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `left op right`
    Compare(Operand, Comparator, Operand),
    /// `operand BETWEEN low AND high`, both ends included.
    Between(Operand, Operand, Operand),
    /// `operand IN (candidates…)`
    In(Operand, Vec<Operand>),
    /// `attribute_exists(path)`
    AttributeExists(Path),
    /// `attribute_not_exists(path)`
    AttributeNotExists(Path),
    /// `attribute_type(path, type)`; the type is an operand because the service takes it as a value.
    AttributeType(Path, Operand),
    /// `begins_with(operand, prefix)`
    BeginsWith(Operand, Operand),
    /// `contains(operand, element)`
    Contains(Operand, Operand),
    /// `left AND right`
    And(Box<Condition>, Box<Condition>),
    /// `left OR right`
    Or(Box<Condition>, Box<Condition>),
    /// `NOT condition`
    Not(Box<Condition>),
}

impl Condition {
    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }

    /// Either condition.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }
}

impl std::ops::Not for Condition {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

/// What `SET` assigns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetOperand {
    /// A value of the item as it was before the update.
    Path(Path),
    /// A value of the request.
    Value(Value),
    /// `if_not_exists(path, otherwise)`
    IfNotExists(Path, Box<SetOperand>),
    /// `list_append(first, second)`
    ListAppend(Box<SetOperand>, Box<SetOperand>),
}

/// The right side of a `SET` clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetValue {
    /// One operand.
    Operand(SetOperand),
    /// `left + right`
    Plus(SetOperand, SetOperand),
    /// `left - right`
    Minus(SetOperand, SetOperand),
}

/// One change of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// `SET path = value`
    Set(Path, SetValue),
    /// `REMOVE path`
    Remove(Path),
    /// `ADD path value`: adds to a number or to a set.
    Add(Path, Value),
    /// `DELETE path value`: takes members from a set.
    Delete(Path, Value),
}

impl Action {
    /// What the action changes.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Set(path, _) | Self::Remove(path) | Self::Add(path, _) | Self::Delete(path, _) => path,
        }
    }
}

/// An update: changes that happen together, all of them seeing the item as it was before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Update {
    /// The changes. Printing groups them by clause and keeps their order inside each.
    pub actions: Vec<Action>,
}

/// The parts of an item that a read returns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectionExpression {
    /// The paths to return.
    pub paths: Vec<Path>,
}

/// What a key condition asks of one key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPredicate {
    /// `= value`
    Eq(Value),
    /// `< value`
    Lt(Value),
    /// `<= value`
    Le(Value),
    /// `> value`
    Gt(Value),
    /// `>= value`
    Ge(Value),
    /// `BETWEEN low AND high`
    Between(Value, Value),
    /// `begins_with(attribute, prefix)`
    BeginsWith(Value),
}

/// Which keys a query visits: a predicate for each key attribute, joined by AND.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyCondition {
    /// Attribute names and what is asked of them, in the order written.
    pub predicates: Vec<(String, KeyPredicate)>,
}

impl KeyCondition {
    /// The items of one partition.
    pub fn partition(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { predicates: vec![(name.into(), KeyPredicate::Eq(value.into()))] }
    }

    /// This condition and one more predicate.
    #[must_use]
    pub fn and(mut self, name: impl Into<String>, predicate: KeyPredicate) -> Self {
        self.predicates.push((name.into(), predicate));
        self
    }
}
