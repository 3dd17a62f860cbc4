//! serde's values as attribute values, in the shape that they have in JSON: structures are maps, sequences and bytes are
//! lists, and a variant is its name or a map with its name.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use tabletheory_core::{Item, Value};

use super::unfit::Unfit;
use crate::attribute::{Attribute, AttributeError, Fault};

/// The attribute value of anything that serde can write.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> Result<Value, AttributeError> {
    value.serialize(Writer).map_err(|Unfit(error)| error)
}

type Written = Result<Value, Unfit>;

struct Writer;

/// A list or a map that is being written, and the variant that it belongs to.
struct Members<C> {
    variant: Option<&'static str>,
    members: C,
    /// The key whose value comes next.
    key: String,
}

impl<C> Members<C> {
    fn new(variant: Option<&'static str>, members: C) -> Self {
        Self { variant, members, key: String::new() }
    }
}

fn in_variant(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        None => value,
        Some(name) => Value::M(Item::from([(name, value)])),
    }
}

/// A number by its text: serde has wider integers than the toolkit's own conversions.
fn number(text: &str) -> Written {
    text.parse().map(Value::N).map_err(|_| Fault::NotANumber.into())
}

macro_rules! scalars {
    ($($method:ident, $kind:ty;)*) => {$(
        fn $method(self, value: $kind) -> Written {
            Ok(value.to_value()?)
        }
    )*};
}

impl Serializer for Writer {
    type Ok = Value;
    type Error = Unfit;
    type SerializeSeq = Members<Vec<Value>>;
    type SerializeTuple = Members<Vec<Value>>;
    type SerializeTupleStruct = Members<Vec<Value>>;
    type SerializeTupleVariant = Members<Vec<Value>>;
    type SerializeMap = Members<Item>;
    type SerializeStruct = Members<Item>;
    type SerializeStructVariant = Members<Item>;

    scalars! {
        serialize_bool, bool;
        serialize_i8, i8; serialize_i16, i16; serialize_i32, i32; serialize_i64, i64;
        serialize_u8, u8; serialize_u16, u16; serialize_u32, u32; serialize_u64, u64;
        serialize_f32, f32; serialize_f64, f64;
    }

    fn serialize_i128(self, value: i128) -> Written {
        number(&value.to_string())
    }

    fn serialize_u128(self, value: u128) -> Written {
        number(&value.to_string())
    }

    fn serialize_char(self, value: char) -> Written {
        Ok(Value::S(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Written {
        Ok(Value::s(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        Ok(value.to_vec().to_value()?)
    }

    fn serialize_none(self) -> Written {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        Ok(Value::s(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        let value = value.serialize(self).map_err(|Unfit(error)| error.inside(variant))?;
        Ok(in_variant(Some(variant), value))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Unfit> {
        Ok(Members::new(None, Vec::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Unfit> {
        Ok(Members::new(None, Vec::new()))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Unfit> {
        Ok(Members::new(None, Vec::new()))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unfit> {
        Ok(Members::new(Some(variant), Vec::new()))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unfit> {
        Ok(Members::new(None, Item::default()))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Unfit> {
        Ok(Members::new(None, Item::default()))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unfit> {
        Ok(Members::new(Some(variant), Item::default()))
    }
}

impl Members<Vec<Value>> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
        let member = write(value).map_err(|error| error.at(self.members.len()))?;
        self.members.push(member);
        Ok(())
    }

    fn finish(self) -> Value {
        in_variant(self.variant, Value::L(self.members))
    }
}

impl Members<Item> {
    fn insert<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Unfit> {
        let member = write(value).map_err(|error| error.inside(name))?;
        self.members.insert(name, member);
        Ok(())
    }

    fn finish(self) -> Value {
        in_variant(self.variant, Value::M(self.members))
    }
}

macro_rules! lists {
    ($($part:ident, $method:ident;)*) => {$(
        impl $part for Members<Vec<Value>> {
            type Ok = Value;
            type Error = Unfit;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
                self.push(value)
            }

            fn end(self) -> Written {
                Ok(self.finish())
            }
        }
    )*};
}

lists! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

macro_rules! structures {
    ($($part:ident),*) => {$(
        impl $part for Members<Item> {
            type Ok = Value;
            type Error = Unfit;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unfit> {
                self.insert(name, value)
            }

            fn end(self) -> Written {
                Ok(self.finish())
            }
        }
    )*};
}

structures!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Members<Item> {
    type Ok = Value;
    type Error = Unfit;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unfit> {
        self.key = match write(key)? {
            Value::S(text) => text,
            Value::N(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(Fault::NotJson.into()),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
        let key = std::mem::take(&mut self.key);
        self.insert(&key, value)
    }

    fn end(self) -> Written {
        Ok(self.finish())
    }
}
