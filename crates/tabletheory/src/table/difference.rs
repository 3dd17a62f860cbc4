//! One way in which a table differs from what its models need, and what can be done about it.

use std::fmt;

use tabletheory_core::schema::{KeyElement, KeyType, Projection, StreamView};

use super::words::{key_text, projection_text};
use crate::model::IndexScope;

/// One way in which a table differs from what its models need.
///
/// ```
/// use tabletheory::model::IndexScope;
/// use tabletheory::table::{Difference, Standing};
///
/// let missing = Difference::MissingIndex { index: "by_city".into(), scope: IndexScope::Global };
/// assert_eq!(missing.to_string(), "the global index `by_city` is missing");
/// assert_eq!(missing.standing(), Standing::Fixable);
///
/// let missing = Difference::MissingIndex { index: "by_date".into(), scope: IndexScope::Local };
/// assert_eq!(missing.standing(), Standing::Refused);
/// assert_eq!(missing.advice(), "a local index is made with its table or never: copy into a new table");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// There is no table.
    NoTable,
    /// Its key is another.
    Keys {
        /// What the models need.
        expected: Vec<KeyElement>,
        /// What the table has.
        found: Vec<KeyElement>,
    },
    /// A key attribute has another type.
    AttributeType {
        /// The attribute.
        attribute: String,
        /// What the models need.
        expected: KeyType,
        /// What the table has.
        found: KeyType,
    },
    /// An index is not there.
    MissingIndex {
        /// The index.
        index: String,
        /// How far it reaches.
        scope: IndexScope,
    },
    /// There is an index that no model asks for.
    ExtraIndex {
        /// The index.
        index: String,
        /// How far it reaches.
        scope: IndexScope,
    },
    /// An index reaches another way: global instead of local, or the other way round.
    IndexScope {
        /// The index.
        index: String,
        /// What the models need.
        expected: IndexScope,
        /// What the table has.
        found: IndexScope,
    },
    /// An index has other keys.
    IndexKeys {
        /// The index.
        index: String,
        /// What the models need.
        expected: Vec<KeyElement>,
        /// What the table has.
        found: Vec<KeyElement>,
    },
    /// An index carries other attributes.
    Projection {
        /// The index.
        index: String,
        /// What the models need.
        expected: Projection,
        /// What the table has.
        found: Projection,
    },
    /// Items do not expire.
    TimeToLiveOff {
        /// The attribute by which they should.
        expected: String,
    },
    /// Items expire by another attribute.
    TimeToLiveOther {
        /// What the models need.
        expected: String,
        /// What the table has.
        found: String,
    },
    /// Items expire, and no model says so.
    TimeToLiveExtra {
        /// The attribute by which they do.
        found: String,
    },
    /// There is no stream.
    StreamOff {
        /// What it should carry.
        expected: StreamView,
    },
    /// The stream carries something else.
    StreamOther {
        /// What was asked for.
        expected: StreamView,
        /// What it carries.
        found: StreamView,
    },
}

/// What can be done about a [`Difference`].
///
/// ```
/// use tabletheory::table::{Difference, Standing};
///
/// assert_eq!(Difference::NoTable.standing(), Standing::Fixable);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// `migrate` adds what is missing.
    Fixable,
    /// The models work with it as it is; nothing is done.
    Harmless,
    /// Nothing that only adds can change it.
    Refused,
}

impl Difference {
    /// What can be done about it.
    ///
    /// ```
    /// use tabletheory::table::{Difference, Standing};
    ///
    /// let other = Difference::TimeToLiveOther { expected: "ends".into(), found: "until".into() };
    /// assert_eq!(other.standing(), Standing::Refused);
    /// ```
    #[must_use]
    pub fn standing(&self) -> Standing {
        match self {
            Self::NoTable
            | Self::MissingIndex { scope: IndexScope::Global, .. }
            | Self::TimeToLiveOff { .. }
            | Self::StreamOff { .. } => Standing::Fixable,
            Self::ExtraIndex { .. } | Self::TimeToLiveExtra { .. } => Standing::Harmless,
            Self::Projection { expected, found, .. } if carries(found, expected) => Standing::Harmless,
            _ => Standing::Refused,
        }
    }

    /// What to do about it, in words.
    ///
    /// ```
    /// use tabletheory::table::Difference;
    ///
    /// assert_eq!(Difference::NoTable.advice(), "`migrate` makes it");
    /// ```
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NoTable | Self::MissingIndex { scope: IndexScope::Global, .. } => "`migrate` makes it",
            Self::TimeToLiveOff { .. } | Self::StreamOff { .. } => "`migrate` switches it on",
            Self::ExtraIndex { .. } => "no model asks for it; it costs writes and stays",
            Self::TimeToLiveExtra { .. } => "no model asks for it; it stays",
            Self::Keys { .. } => "the key of a table never changes: copy into a new table",
            Self::AttributeType { .. } => "the type of a key attribute never changes: copy into a new table",
            Self::MissingIndex { scope: IndexScope::Local, .. } => {
                "a local index is made with its table or never: copy into a new table"
            }
            Self::IndexScope { .. } => "give the index of the model another name, or copy into a new table",
            Self::IndexKeys { .. } => {
                "an index is never changed: give the new one another name, and drop the old one when nobody uses it"
            }
            Self::Projection { .. } if self.standing() == Standing::Harmless => {
                "it carries more than the models need; it stays"
            }
            Self::Projection { .. } => {
                "what an index carries never changes: give the new one another name, and drop the old one when \
                 nobody uses it"
            }
            Self::TimeToLiveOther { .. } => {
                "switch time to live off for the old attribute first, which the service allows once an hour"
            }
            Self::StreamOther { .. } => "switch the stream off first; its readers begin anew",
        }
    }
}

/// Whether an index that carries `found` carries all of `needed`.
fn carries(found: &Projection, needed: &Projection) -> bool {
    match (found, needed) {
        (Projection::All, _) | (_, Projection::KeysOnly) => true,
        (Projection::Include(found), Projection::Include(needed)) => {
            needed.iter().all(|name| found.contains(name))
        }
        _ => false,
    }
}

fn scope_text(scope: IndexScope) -> &'static str {
    match scope {
        IndexScope::Global => "global",
        IndexScope::Local => "local",
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTable => f.write_str("there is no table"),
            Self::Keys { expected, found } => {
                write!(f, "its key is {}, not {}", key_text(found), key_text(expected))
            }
            Self::AttributeType { attribute, expected, found } => {
                write!(f, "the key attribute `{attribute}` is {}, not {}", found.name(), expected.name())
            }
            Self::MissingIndex { index, scope } => {
                write!(f, "the {} index `{index}` is missing", scope_text(*scope))
            }
            Self::ExtraIndex { index, scope } => {
                write!(f, "there is a {} index `{index}` that no model asks for", scope_text(*scope))
            }
            Self::IndexScope { index, expected, found } => {
                write!(f, "the index `{index}` is {}, not {}", scope_text(*found), scope_text(*expected))
            }
            Self::IndexKeys { index, expected, found } => {
                write!(f, "the key of the index `{index}` is {}, not {}", key_text(found), key_text(expected))
            }
            Self::Projection { index, expected, found } => {
                let (found, expected) = (projection_text(found), projection_text(expected));
                write!(f, "the index `{index}` carries {found}, not {expected}")
            }
            Self::TimeToLiveOff { expected } => write!(f, "items do not expire by `{expected}`"),
            Self::TimeToLiveOther { expected, found } => {
                write!(f, "items expire by `{found}`, not by `{expected}`")
            }
            Self::TimeToLiveExtra { found } => {
                write!(f, "items expire by `{found}`, and no model asks for it")
            }
            Self::StreamOff { expected } => write!(f, "there is no stream of {}", expected.name()),
            Self::StreamOther { expected, found } => {
                write!(f, "the stream carries {}, not {}", found.name(), expected.name())
            }
        }
    }
}
