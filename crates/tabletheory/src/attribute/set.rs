//! Sets of texts, numbers or bytes. DynamoDB has no empty set: it is stored as the null value, as the other toolkits do,
//! unless the model leaves it out.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};

use tabletheory_core::{Number, Value, ValueType};

use super::Attribute;
use super::binary::Binary;
use super::error::{AttributeError, Fault};

/// A type whose values can be members of a set.
///
/// ```
/// use std::collections::BTreeSet;
/// use tabletheory::attribute::Attribute;
/// use tabletheory_core::Value;
///
/// let tags = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
/// assert!(matches!(tags.to_value()?, Value::Ss(_)));
/// assert_eq!(BTreeSet::<String>::new().to_value()?, Value::Null);
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a member of a DynamoDB set",
    note = "sets hold strings, numbers or `Binary`; use a `Vec` for anything else"
)]
pub trait SetMember: Attribute {
    /// The type of a set of them.
    const SET: Option<ValueType> = None;

    /// The set with these members, of which there is at least one.
    ///
    /// # Errors
    /// If DynamoDB cannot hold a member.
    fn set<'m>(members: impl Iterator<Item = &'m Self>) -> Result<Value, AttributeError>
    where
        Self: 'm;
}

impl SetMember for String {
    const SET: Option<ValueType> = Some(ValueType::Ss);

    fn set<'m>(members: impl Iterator<Item = &'m Self>) -> Result<Value, AttributeError> {
        Ok(Value::Ss(members.cloned().collect()))
    }
}

impl SetMember for Binary {
    const SET: Option<ValueType> = Some(ValueType::Bs);

    fn set<'m>(members: impl Iterator<Item = &'m Self>) -> Result<Value, AttributeError> {
        Ok(Value::Bs(members.map(|bytes| bytes.0.clone()).collect()))
    }
}

macro_rules! number_members {
    ($($kind:ty),*) => {$(
        impl SetMember for $kind {
            const SET: Option<ValueType> = Some(ValueType::Ns);

            fn set<'m>(members: impl Iterator<Item = &'m Self>) -> Result<Value, AttributeError> {
                Ok(Value::Ns(members.map(|number| Number::from(*number)).collect()))
            }
        }
    )*};
}

number_members!(Number, i8, i16, i32, i64, u8, u16, u32, u64);

pub(super) fn read<T: SetMember>(value: Value) -> Result<Vec<T>, AttributeError> {
    let members: Vec<Value> = match value {
        Value::Ss(set) => set.into_iter().map(Value::S).collect(),
        Value::Ns(set) => set.into_iter().map(Value::N).collect(),
        Value::Bs(set) => set.into_iter().map(Value::B).collect(),
        // The first Go toolkit wrote sets of numbers and bytes as lists.
        Value::L(list) => list,
        Value::Null => Vec::new(),
        other => return Err(AttributeError::wrong_type("SS, NS or BS", &other)),
    };
    members.into_iter().map(T::from_value).collect()
}

fn distinct<T: SetMember, C: FromIterator<T>>(
    value: Value,
    len: impl Fn(&C) -> usize,
) -> Result<C, AttributeError> {
    // A list may have a member twice; as a set it has it once.
    let is_list = matches!(value, Value::L(_));
    let members = read(value)?;
    let count = members.len();
    let set: C = members.into_iter().collect();
    if is_list || len(&set) == count { Ok(set) } else { Err(Fault::Duplicate.into()) }
}

impl<T: SetMember + Ord> Attribute for BTreeSet<T> {
    const TYPE: Option<ValueType> = T::SET;

    fn to_value(&self) -> Result<Value, AttributeError> {
        if self.is_empty() { Ok(Value::Null) } else { T::set(self.iter()) }
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        distinct(value, Self::len)
    }

    fn missing() -> Option<Self> {
        Some(Self::new())
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

impl<T: SetMember + Eq + Hash, S: BuildHasher + Default> Attribute for HashSet<T, S> {
    const TYPE: Option<ValueType> = T::SET;

    fn to_value(&self) -> Result<Value, AttributeError> {
        if self.is_empty() { Ok(Value::Null) } else { T::set(self.iter()) }
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        distinct(value, Self::len)
    }

    fn missing() -> Option<Self> {
        Some(Self::default())
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}
