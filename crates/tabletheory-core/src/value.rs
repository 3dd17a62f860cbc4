//! The ten attribute types of DynamoDB as one enum. Numbers live in [`crate::number`], maps in [`crate::item`].

use std::collections::BTreeSet;

use crate::item::Item;
use crate::number::Number;

/// An attribute value.
///
/// Sets are ordered collections here, so two sets are equal whatever order their members arrived in, and every
/// answer lists them in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    S(String),
    /// A number of up to 38 significant digits.
    N(Number),
    /// Bytes.
    B(Vec<u8>),
    /// True or false.
    Bool(bool),
    /// The null value.
    Null,
    /// A list of values of any types.
    L(Vec<Value>),
    /// A map from names to values of any types.
    M(Item),
    /// A set of strings.
    Ss(BTreeSet<String>),
    /// A set of numbers.
    Ns(BTreeSet<Number>),
    /// A set of byte strings.
    Bs(BTreeSet<Vec<u8>>),
}

/// The type of a [`Value`], with the names DynamoDB gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// List.
    L,
    /// Map.
    M,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
}

impl ValueType {
    /// Every type, in the order of the enum.
    pub const ALL: [Self; 10] =
        [Self::S, Self::N, Self::B, Self::Bool, Self::Null, Self::L, Self::M, Self::Ss, Self::Ns, Self::Bs];

    /// The name used in DynamoDB JSON and in `attribute_type`, such as `SS`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
            Self::Bool => "BOOL",
            Self::Null => "NULL",
            Self::L => "L",
            Self::M => "M",
            Self::Ss => "SS",
            Self::Ns => "NS",
            Self::Bs => "BS",
        }
    }

    /// The type called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Value {
    /// The type of this value.
    #[must_use]
    pub fn kind(&self) -> ValueType {
        match self {
            Self::S(_) => ValueType::S,
            Self::N(_) => ValueType::N,
            Self::B(_) => ValueType::B,
            Self::Bool(_) => ValueType::Bool,
            Self::Null => ValueType::Null,
            Self::L(_) => ValueType::L,
            Self::M(_) => ValueType::M,
            Self::Ss(_) => ValueType::Ss,
            Self::Ns(_) => ValueType::Ns,
            Self::Bs(_) => ValueType::Bs,
        }
    }

    /// A string value.
    pub fn s(text: impl Into<String>) -> Self {
        Self::S(text.into())
    }

    /// A number value.
    pub fn n(number: impl Into<Number>) -> Self {
        Self::N(number.into())
    }

    /// The text of a string value.
    #[must_use]
    pub fn as_s(&self) -> Option<&str> {
        match self {
            Self::S(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a number value.
    #[must_use]
    pub fn as_n(&self) -> Option<&Number> {
        match self {
            Self::N(number) => Some(number),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::S(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::S(text)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::N(number.into())
    }
}

impl From<Item> for Value {
    fn from(map: Item) -> Self {
        Self::M(map)
    }
}
