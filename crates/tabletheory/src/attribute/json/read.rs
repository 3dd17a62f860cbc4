//! Attribute values as serde reads them. A number is given as exactly what it is, or refused: never as something close by
//! that the Rust type did not ask for.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use tabletheory_core::{Item, Number, Value};

use super::key::Key;
use super::text::looks_like_json;
use super::unfit::Unfit;
use crate::attribute::{Attribute, AttributeError, Fault};

/// Anything that serde can read, from the attribute value.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, AttributeError> {
    T::deserialize(Reader { value, outermost: true }).map_err(|Unfit(error)| error)
}

struct Reader {
    value: Value,
    /// Whether this is the attribute itself, which an older toolkit may have stored as text.
    outermost: bool,
}

impl Reader {
    fn inner(value: Value) -> Self {
        Self { value, outermost: false }
    }

    fn unexpected<T>(self, expected: &'static str) -> Result<T, Unfit> {
        Err(AttributeError::wrong_type(expected, &self.value).into())
    }
}

/// Whether the shortest text of the `f64`, which is what it is stored as, is that of the number.
fn is_exactly(near: f64, number: &Number) -> bool {
    near.to_value().is_ok_and(|stored| stored == Value::N(*number))
}

/// A number for a type that takes any.
fn any_number<'de, V: Visitor<'de>>(number: Number, visitor: V) -> Result<V::Value, Unfit> {
    if let Some(number) = number.to_u64() {
        return visitor.visit_u64(number);
    }
    if let Some(number) = number.to_i64() {
        return visitor.visit_i64(number);
    }
    let text = number.to_string();
    if let Some(near) = text.parse::<f64>().ok().filter(|near| is_exactly(*near, &number)) {
        return visitor.visit_f64(near);
    }
    match text.parse() {
        Ok(whole) => visitor.visit_i128(whole),
        Err(_) => Err(Fault::DoesNotFit { kind: "f64" }.into()),
    }
}

macro_rules! scalars {
    ($($method:ident, $kind:ty, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
            visitor.$visit(<$kind>::from_value(self.value)?)
        }
    )*};
}

macro_rules! wide_integers {
    ($($method:ident, $kind:ident, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
            let number = Number::from_value(self.value)?;
            let whole: Option<$kind> = number.to_string().parse().ok();
            visitor.$visit(whole.ok_or(Fault::DoesNotFit { kind: stringify!($kind) })?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Unfit;

    scalars! {
        deserialize_bool, bool, visit_bool;
        deserialize_i8, i8, visit_i8; deserialize_i16, i16, visit_i16;
        deserialize_i32, i32, visit_i32; deserialize_i64, i64, visit_i64;
        deserialize_u8, u8, visit_u8; deserialize_u16, u16, visit_u16;
        deserialize_u32, u32, visit_u32; deserialize_u64, u64, visit_u64;
        deserialize_f32, f32, visit_f32; deserialize_f64, f64, visit_f64;
        deserialize_char, String, visit_string; deserialize_str, String, visit_string;
        deserialize_string, String, visit_string; deserialize_identifier, String, visit_string;
    }

    wide_integers! { deserialize_i128, i128, visit_i128; deserialize_u128, u128, visit_u128; }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match self.value {
            Value::S(text) if self.outermost && looks_like_json(&text) => {
                // Read as a stream, because what serde borrows has to outlive this function.
                let mut reader = serde_json::Deserializer::from_reader(text.as_bytes());
                reader.deserialize_any(visitor).map_err(|_| Fault::Shape.into())
            }
            Value::S(text) => visitor.visit_string(text),
            Value::N(number) => any_number(number, visitor),
            Value::Bool(flag) => visitor.visit_bool(flag),
            Value::Null => visitor.visit_unit(),
            Value::L(_) => self.deserialize_seq(visitor),
            Value::M(_) => self.deserialize_map(visitor),
            Value::B(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => {
                self.unexpected("M, L, S, N, BOOL or NULL")
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        if self.value == Value::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        if self.value == Value::Null { visitor.visit_unit() } else { self.unexpected("NULL") }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        let Value::L(members) = self.value else { return self.unexpected("L") };
        let mut list = List { members: members.into_iter(), at: 0 };
        let read = visitor.visit_seq(&mut list)?;
        // A tuple that is shorter than the list would lose the rest.
        if list.members.len() == 0 { Ok(read) } else { Err(Fault::Shape.into()) }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unfit> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        let Value::M(members) = self.value else { return self.unexpected("M") };
        visitor.visit_map(Map { members: members.into_iter(), next: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        match self.value {
            Value::S(name) => visitor.visit_enum(Variant { name, content: None }),
            Value::M(members) if members.len() == 1 => {
                let (name, content) = members.into_iter().next().expect("one member was counted");
                visitor.visit_enum(Variant { name: name.into(), content: Some(content) })
            }
            _ => self.unexpected("S, or M with one member"),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_unit()
    }
}

struct List {
    members: std::vec::IntoIter<Value>,
    at: usize,
}

impl<'de> SeqAccess<'de> for List {
    type Error = Unfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unfit> {
        let Some(member) = self.members.next() else { return Ok(None) };
        let read = seed.deserialize(Reader::inner(member)).map_err(|Unfit(error)| Unfit(error.at(self.at)));
        self.at += 1;
        read.map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

struct Map {
    members: <Item as IntoIterator>::IntoIter,
    next: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Map {
    type Error = Unfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unfit> {
        let Some((name, value)) = self.members.next() else { return Ok(None) };
        let name = String::from(name);
        self.next = Some((name.clone(), value));
        seed.deserialize(Key(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Unfit> {
        let (name, value) = self.next.take().ok_or(Fault::Shape)?;
        seed.deserialize(Reader::inner(value)).map_err(|Unfit(error)| Unfit(error.inside(name)))
    }
}

struct Variant {
    name: String,
    content: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Unfit;
    type Variant = Content;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Content), Unfit> {
        let variant = seed.deserialize(Key(self.name))?;
        Ok((variant, Content(self.content)))
    }
}

/// What a variant holds.
struct Content(Option<Value>);

impl Content {
    fn reader(self) -> Result<Reader, Unfit> {
        self.0.map(Reader::inner).ok_or_else(|| Fault::Shape.into())
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = Unfit;

    fn unit_variant(self) -> Result<(), Unfit> {
        if matches!(self.0, None | Some(Value::Null)) { Ok(()) } else { Err(Fault::Shape.into()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Unfit> {
        seed.deserialize(self.reader()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unfit> {
        self.reader()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.reader()?.deserialize_map(visitor)
    }
}
