//! Why a value cannot be stored or read: what was expected, what was found, and where. Never the value itself: errors end
//! up in logs.

use std::fmt;

use tabletheory_core::{Value, ValueType};

/// Why a value cannot be stored or read.
///
/// ```
/// use tabletheory::attribute::{Attribute, Fault};
/// use tabletheory_core::{Value, ValueType};
///
/// let error = Vec::<bool>::from_value(Value::L(vec![Value::Bool(true), Value::s("secret")])).unwrap_err();
/// assert_eq!(error.fault, Fault::WrongType { expected: "BOOL", found: ValueType::S });
/// assert_eq!(error.to_string(), "[1]: expected BOOL, found S");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeError {
    /// The way to the value, from the outside in.
    pub place: Vec<Step>,
    /// What is wrong there.
    pub fault: Fault,
}

/// One step on the way to a value.
///
/// ```
/// use tabletheory::attribute::Step;
///
/// assert_eq!(Step::Name("tags".into()).to_string(), "tags");
/// assert_eq!(Step::At(2).to_string(), "[2]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Into an attribute or a member of a map.
    Name(String),
    /// Into a list.
    At(usize),
}

/// What is wrong with a value.
///
/// ```
/// use tabletheory::attribute::Fault;
///
/// assert_eq!(Fault::Missing.to_string(), "the attribute is missing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is not there.
    #[error("the attribute is missing")]
    Missing,
    /// It has another type.
    #[error("expected {expected}, found {}", found.name())]
    WrongType {
        /// The types that would do.
        expected: &'static str,
        /// The type it has.
        found: ValueType,
    },
    /// It is a number that the Rust type cannot hold.
    #[error("the number does not fit into {kind}")]
    DoesNotFit {
        /// The Rust type.
        kind: &'static str,
    },
    /// It is a number that DynamoDB cannot hold.
    #[error("DynamoDB holds finite numbers of at most 38 digits between 1E-130 and 9.99E+125")]
    NotANumber,
    /// It is a text that does not have the form it should have.
    #[error("the text is not {expected}")]
    Malformed {
        /// The form.
        expected: &'static str,
    },
    /// It is a set with the same member twice.
    #[error("the set has a member twice")]
    Duplicate,
    /// Its type says that it cannot be written, or it has a key that is not a text.
    #[error("the value has no form in JSON")]
    NotJson,
    /// It is JSON, but not what the Rust type can be read from.
    #[error("the JSON does not have the shape of its Rust type")]
    Shape,
}

impl AttributeError {
    /// The value has another type than one of `expected`.
    pub(crate) fn wrong_type(expected: &'static str, found: &Value) -> Self {
        Fault::WrongType { expected, found: found.kind() }.into()
    }

    /// The same error, seen from one step further out.
    ///
    /// ```
    /// use tabletheory::attribute::{AttributeError, Fault};
    ///
    /// let error = AttributeError::from(Fault::Missing).inside("city").inside("address");
    /// assert_eq!(error.to_string(), "address.city: the attribute is missing");
    /// ```
    #[must_use]
    pub fn inside(mut self, name: impl Into<String>) -> Self {
        self.place.insert(0, Step::Name(name.into()));
        self
    }

    /// The same error, seen from the list it is in.
    ///
    /// ```
    /// use tabletheory::attribute::{AttributeError, Fault};
    ///
    /// let error = AttributeError::from(Fault::Missing).at(3).inside("tags");
    /// assert_eq!(error.to_string(), "tags[3]: the attribute is missing");
    /// ```
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.place.insert(0, Step::At(index));
        self
    }
}

impl From<Fault> for AttributeError {
    fn from(fault: Fault) -> Self {
        Self { place: Vec::new(), fault }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::At(index) => write!(f, "[{index}]"),
        }
    }
}

impl fmt::Display for AttributeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.place.iter().enumerate() {
            if at > 0 && matches!(step, Step::Name(_)) {
                f.write_str(".")?;
            }
            write!(f, "{step}")?;
        }
        if !self.place.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "{}", self.fault)
    }
}

impl std::error::Error for AttributeError {}
