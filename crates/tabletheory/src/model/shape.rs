//! The shapes of a model's keys: by them the items of several models in one table are told apart. Most of it runs in the
//! compiler, which refuses models that could be confused.

use tabletheory_core::schema::KeyType;
use tabletheory_core::{Item, Value};

use super::{KeyAttribute, Schema};
use crate::key::{Segment, Template};

/// What the keys of a model's items look like.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::{Item, Value};
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
/// struct Profile {
///     id: String,
/// }
///
/// let with = |sk: &str| Item::from([("pk", Value::s("USER#7")), ("sk", Value::s(sk))]);
/// assert!(Profile::KEYS.matches(&with("PROFILE")));
/// assert!(!Profile::KEYS.matches(&with("ORDER#1")));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct KeyShape {
    /// The partition key.
    pub partition: KeyPattern,
    /// The sort key, if items have one.
    pub sort: Option<KeyPattern>,
}

/// What a key attribute looks like.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::model::KeyPattern;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{user}")]
/// struct Visit {
///     user: String,
///     #[model(sk)]
///     second: u64,
/// }
///
/// assert!(matches!(Visit::KEYS.partition, KeyPattern::Template(_)));
/// assert!(matches!(Visit::KEYS.sort, Some(KeyPattern::Field(_))));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum KeyPattern {
    /// Any value of its type.
    Field(KeyAttribute),
    /// A text in the form of a template.
    Template(Template),
}

impl KeyShape {
    /// The shape of keys that are fields.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::model::KeyShape;
    /// use tabletheory_core::{Item, Value};
    ///
    /// #[derive(Model)]
    /// #[model(table = "app")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    /// }
    ///
    /// let shape = KeyShape::of(User::SCHEMA);
    /// assert!(shape.matches(&Item::from([("id", Value::s("7"))])));
    /// assert!(!shape.matches(&Item::from([("id", Value::n(7))])));
    /// ```
    #[must_use]
    pub const fn of(schema: Schema) -> Self {
        let sort = match schema.sort {
            Some(sort) => Some(KeyPattern::Field(sort)),
            None => None,
        };
        Self { partition: KeyPattern::Field(schema.partition), sort }
    }

    /// Whether the keys of the item have this shape.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory_core::{Item, Value};
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "USER#{id}")]
    /// struct User {
    ///     id: String,
    /// }
    ///
    /// assert!(User::KEYS.matches(&Item::from([("pk", Value::s("USER#7"))])));
    /// assert!(!User::KEYS.matches(&Item::from([("pk", Value::s("USER#7#8"))])));
    /// ```
    #[must_use]
    pub fn matches(&self, item: &Item) -> bool {
        self.partition.matches(item) && self.sort.is_none_or(|sort| sort.matches(item))
    }

    /// How much text the keys have in common: of two shapes that match an item, the one with more says more.
    pub(crate) fn constant_bytes(&self) -> usize {
        self.partition.constant_bytes() + self.sort.map_or(0, |sort| sort.constant_bytes())
    }

    /// Whether the keys are the same attributes, as they are in one table.
    pub(crate) const fn shares_table(&self, other: &Self) -> bool {
        let sort = match (&self.sort, &other.sort) {
            (Some(own), Some(other)) => own.shares_attribute(other),
            (None, None) => true,
            _ => false,
        };
        sort && self.partition.shares_attribute(&other.partition)
    }

    /// Whether every item that has both shapes can be told to be one and not the other: because there is none, or
    /// because the keys of one model are some of the keys that the other could have.
    pub(crate) const fn is_distinct(&self, other: &Self) -> bool {
        let partition = self.partition.overlap(&other.partition);
        let sort = match (&self.sort, &other.sort) {
            (Some(own), Some(other)) => own.overlap(other),
            _ => Overlap::SAME,
        };
        let narrower = partition.narrower || sort.narrower;
        let wider = partition.wider || sort.wider;
        partition.apart || sort.apart || narrower != wider
    }
}

/// How the keys of two patterns lie to each other. If they lie apart, the rest means nothing.
#[derive(Clone, Copy)]
struct Overlap {
    /// No key has both patterns.
    apart: bool,
    /// Some keys of the second pattern do not have the first.
    narrower: bool,
    /// Some keys of the first pattern do not have the second.
    wider: bool,
}

impl Overlap {
    const SAME: Self = Self { apart: false, narrower: false, wider: false };
    const APART: Self = Self { apart: true, narrower: false, wider: false };
}

impl KeyPattern {
    fn matches(&self, item: &Item) -> bool {
        match self {
            Self::Field(key) => item.get(key.name).is_some_and(|value| value.kind() == key.kind.value_type()),
            Self::Template(template) => {
                item.get(template.attribute).and_then(Value::as_s).is_some_and(|text| template.fits(text))
            }
        }
    }

    fn constant_bytes(&self) -> usize {
        match self {
            Self::Field(_) => 0,
            Self::Template(template) => template.segments.iter().map(constant_bytes).sum(),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Field(key) => key.name,
            Self::Template(template) => template.attribute,
        }
    }

    const fn kind(&self) -> KeyType {
        match self {
            Self::Field(key) => key.kind,
            Self::Template(_) => KeyType::S,
        }
    }

    const fn shares_attribute(&self, other: &Self) -> bool {
        let (own, other_name) = (self.name().as_bytes(), other.name().as_bytes());
        let mut same = own.len() == other_name.len() && self.kind() as u8 == other.kind() as u8;
        let mut at = 0;
        while same && at < own.len() {
            same = own[at] == other_name[at];
            at += 1;
        }
        same
    }

    const fn overlap(&self, other: &Self) -> Overlap {
        match (self, other) {
            (Self::Template(own), Self::Template(other)) => overlap(own.segments, other.segments),
            (Self::Field(_), Self::Field(_)) => Overlap::SAME,
            (Self::Field(_), Self::Template(_)) => Overlap { wider: true, ..Overlap::SAME },
            (Self::Template(_), Self::Field(_)) => Overlap { narrower: true, ..Overlap::SAME },
        }
    }
}

fn constant_bytes(segment: &Segment) -> usize {
    match segment {
        Segment::Text(text) => text.len(),
        Segment::Field { .. } => 0,
    }
}

/// Holds two templates against each other. A field ends at `#` or at the end, and is not empty.
const fn overlap(own: &'static [Segment], other: &'static [Segment]) -> Overlap {
    let (mut own, mut other) = (Reader::new(own), Reader::new(other));
    let mut overlap = Overlap::SAME;
    loop {
        match (own.sign(), other.sign()) {
            (Sign::End, Sign::End) => return overlap,
            (Sign::Byte(left), Sign::Byte(right)) if left == right => {
                own = own.next();
                other = other.next();
            }
            (Sign::Field, Sign::Field) => {
                own = own.next();
                other = other.next();
            }
            (Sign::Field, Sign::Byte(byte)) if byte != b'#' => {
                overlap.wider = true;
                own = own.next();
                other = other.after_part();
            }
            (Sign::Byte(byte), Sign::Field) if byte != b'#' => {
                overlap.narrower = true;
                own = own.after_part();
                other = other.next();
            }
            _ => return Overlap::APART,
        }
    }
}

/// A place in a template.
#[derive(Clone, Copy)]
struct Reader {
    segments: &'static [Segment],
    at: usize,
    byte: usize,
}

/// What stands there.
enum Sign {
    Byte(u8),
    Field,
    End,
}

impl Reader {
    const fn new(segments: &'static [Segment]) -> Self {
        Self { segments, at: 0, byte: 0 }
    }

    const fn sign(&self) -> Sign {
        if self.at == self.segments.len() {
            return Sign::End;
        }
        match &self.segments[self.at] {
            Segment::Text(text) => Sign::Byte(text.as_bytes()[self.byte]),
            Segment::Field { .. } => Sign::Field,
        }
    }

    const fn next(self) -> Self {
        match &self.segments[self.at] {
            Segment::Text(text) if self.byte + 1 < text.len() => Self { byte: self.byte + 1, ..self },
            _ => Self { at: self.at + 1, byte: 0, ..self },
        }
    }

    /// Where the next `#` or the end is.
    const fn after_part(mut self) -> Self {
        while !matches!(self.sign(), Sign::End | Sign::Byte(b'#')) {
            self = self.next();
        }
        self
    }
}

#[cfg(test)]
mod tests;
