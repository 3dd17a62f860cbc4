//! The keys of maps when they are read: JSON has only texts there, also for numbers and truths.

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::unfit::Unfit;
use crate::attribute::Fault;

/// A key, to be read as whatever type the map has.
pub(super) struct Key(pub(super) String);

macro_rules! parsed {
    ($($method:ident, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
            visitor.$visit(self.0.parse().map_err(|_| Fault::Shape)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Key {
    type Error = Unfit;

    parsed! {
        deserialize_bool, visit_bool;
        deserialize_i8, visit_i8; deserialize_i16, visit_i16; deserialize_i32, visit_i32;
        deserialize_i64, visit_i64; deserialize_i128, visit_i128;
        deserialize_u8, visit_u8; deserialize_u16, visit_u16; deserialize_u32, visit_u32;
        deserialize_u64, visit_u64; deserialize_u128, visit_u128;
        deserialize_f32, visit_f32; deserialize_f64, visit_f64;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for Key {
    type Error = Unfit;
    type Variant = <StringDeserializer<Unfit> as EnumAccess<'de>>::Variant;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Unfit> {
        let name: StringDeserializer<Unfit> = self.0.into_deserializer();
        name.variant_seed(seed)
    }
}
