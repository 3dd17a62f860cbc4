//! Values inside values: options, boxes, lists and maps.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use tabletheory_core::{Item, Value, ValueType};

use super::Attribute;
use super::error::AttributeError;

/// `None` is the null value; a model leaves the attribute out instead.
impl<T: Attribute> Attribute for Option<T> {
    const TYPE: Option<ValueType> = T::TYPE;

    fn to_value(&self) -> Result<Value, AttributeError> {
        self.as_ref().map_or(Ok(Value::Null), T::to_value)
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::Null => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }

    fn missing() -> Option<Self> {
        Some(None)
    }

    fn is_omitted(&self) -> bool {
        self.is_none()
    }
}

impl<T: Attribute> Attribute for Box<T> {
    const TYPE: Option<ValueType> = T::TYPE;

    fn to_value(&self) -> Result<Value, AttributeError> {
        (**self).to_value()
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        T::from_value(value).map(Self::new)
    }

    fn missing() -> Option<Self> {
        T::missing().map(Self::new)
    }

    fn is_omitted(&self) -> bool {
        (**self).is_omitted()
    }
}

/// The null value is read as an empty list: other toolkits write it for a list that was never set.
impl<T: Attribute> Attribute for Vec<T> {
    const TYPE: Option<ValueType> = Some(ValueType::L);

    fn to_value(&self) -> Result<Value, AttributeError> {
        let mut members = Vec::with_capacity(self.len());
        for (at, member) in self.iter().enumerate() {
            members.push(member.to_value().map_err(|error| error.at(at))?);
        }
        Ok(Value::L(members))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::L(members) => {
                let members = members.into_iter().enumerate();
                members.map(|(at, member)| T::from_value(member).map_err(|error| error.at(at))).collect()
            }
            Value::Null => Ok(Self::new()),
            other => Err(AttributeError::wrong_type("L", &other)),
        }
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

fn write<'m, T: Attribute + 'm>(
    members: impl Iterator<Item = (&'m String, &'m T)>,
) -> Result<Value, AttributeError> {
    let write = |(name, member): (&'m String, &'m T)| match member.to_value() {
        Ok(value) => Ok((name.as_str(), value)),
        Err(error) => Err(error.inside(name)),
    };
    members.map(write).collect::<Result<Vec<_>, _>>().map(|members| Value::M(members.into_iter().collect()))
}

fn read<T: Attribute, C: FromIterator<(String, T)> + Default>(value: Value) -> Result<C, AttributeError> {
    let members: Item = match value {
        Value::M(members) => members,
        Value::Null => return Ok(C::default()),
        other => return Err(AttributeError::wrong_type("M", &other)),
    };
    let read = |(name, member)| match T::from_value(member) {
        Ok(member) => Ok((String::from(name), member)),
        Err(error) => Err(error.inside(name)),
    };
    members.into_iter().map(read).collect()
}

/// The null value is read as an empty map, as for lists.
impl<T: Attribute> Attribute for BTreeMap<String, T> {
    const TYPE: Option<ValueType> = Some(ValueType::M);

    fn to_value(&self) -> Result<Value, AttributeError> {
        write(self.iter())
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        read(value)
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

/// The null value is read as an empty map, as for lists.
impl<T: Attribute, S: BuildHasher + Default> Attribute for HashMap<String, T, S> {
    const TYPE: Option<ValueType> = Some(ValueType::M);

    fn to_value(&self) -> Result<Value, AttributeError> {
        write(self.iter())
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        read(value)
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}
