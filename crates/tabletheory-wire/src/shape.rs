//! The shapes a request's JSON is read into: texts, flags, integers, lists, maps and structures with named members.
//! Texts and attribute values are borrowed from the body. JSON of another shape is refused in the words of the service's
//! own reader; members that nobody knows are passed over, as the service does.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tabletheory_core::json::{invalid, unreadable};

/// Attribute values as they stand in the body; they are read once it is their turn.
pub(crate) type Raw<'a> = &'a RawValue;

/// A text, borrowed unless it has escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

/// A yes or no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flag(pub bool);

/// A whole number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Integer(pub i64);

/// The most members of a list or map where no smaller bound is said. No honest request comes near it, and a body of
/// nothing but brackets must not become a hundred times its size in memory.
const MEMBERS_MAX: usize = 10_000;

/// A list of at most `MAX` members. How many the service allows is said by the store, in the service's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List<T, const MAX: usize = MEMBERS_MAX>(pub Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A map of at most `MAX` members, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Map<'a, T, const MAX: usize = MEMBERS_MAX>(pub Vec<(Text<'a>, T)>);

impl<T, const MAX: usize> Default for Map<'_, T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// What a visitor says of JSON that it has no use for; each shape replaces what it takes.
macro_rules! refuse {
    ($($visit:ident($kind:ty) => $token:literal,)* -> $to:literal) => {
        $(fn $visit<E: Error>(self, _: $kind) -> Result<Self::Value, E> {
            Err(unreadable(concat!($token, " cannot be converted to ", $to)))
        })*
    };
}

const UNEXPECTED_COLLECTION: &str = "Unrecognized collection type class java.lang.String";
const UNEXPECTED_STRUCTURE: &str = "Start of structure or map found where not expected";
const UNEXPECTED_FIELD: &str = "Unexpected field type";
const UNEXPECTED_VALUE: &str = "Unexpected value type in payload";

fn no_list<T, E: Error>() -> Result<T, E> {
    Err(unreadable(UNEXPECTED_COLLECTION))
}

fn no_structure<T, E: Error>() -> Result<T, E> {
    Err(unreadable(UNEXPECTED_STRUCTURE))
}

struct TextVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for TextVisitor<'a> {
    type Value = Text<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'a>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'a>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    refuse! { visit_bool(bool) => "BOOLEAN_VALUE", visit_i64(i64) => "NUMBER_VALUE", visit_u64(u64) => "NUMBER_VALUE",
    visit_f64(f64) => "DECIMAL_VALUE", -> "String" }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Text<'a>, A::Error> {
        no_list()
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Text<'a>, A::Error> {
        no_structure()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Flag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or false")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Flag, E> {
        Ok(Flag(flag))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Flag, E> {
        Err(unreadable("Unexpected token received from parser"))
    }

    refuse! { visit_i64(i64) => "NUMBER_VALUE", visit_u64(u64) => "NUMBER_VALUE", visit_f64(f64) => "DECIMAL_VALUE",
    -> "Boolean" }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Flag, A::Error> {
        Err(unreadable("Unrecognized collection type class java.lang.Boolean"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Flag, A::Error> {
        no_structure()
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

struct IntegerVisitor;

impl<'de> Visitor<'de> for IntegerVisitor {
    type Value = Integer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Integer, E> {
        Ok(Integer(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Integer, E> {
        Ok(Integer(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Integer, E> {
        // Some clients write every number with a fraction.
        if number.fract() == 0.0 && number.abs() < 9.0e15 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the number is whole and far from the bounds"
            )]
            return Ok(Integer(number as i64));
        }
        Err(unreadable("DECIMAL_VALUE cannot be converted to Integer"))
    }

    refuse! { visit_bool(bool) => "BOOLEAN_VALUE", visit_str(&str) => "STRING_VALUE", -> "Integer" }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Integer, A::Error> {
        Err(unreadable("Unrecognized collection type class java.lang.Integer"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Integer, A::Error> {
        no_structure()
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntegerVisitor)
    }
}

macro_rules! refuse_scalars {
    ($message:expr) => {
        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Err(unreadable($message))
        }

        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Err(unreadable($message))
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Err(unreadable($message))
        }

        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Err(unreadable($message))
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Err(unreadable($message))
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Err(unreadable($message))
        }
    };
}

/// Adds a member, unless there are too many.
fn push<T, E: Error>(members: &mut Vec<T>, member: T, max: usize) -> Result<(), E> {
    if members.len() == max {
        return Err(invalid(format_args!(
            "1 validation error detected: Value at a member of the request failed to satisfy constraint: Member must have \
             length less than or equal to {max}"
        )));
    }
    members.push(member);
    Ok(())
}

struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T, MAX>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element()? {
            push(&mut list, element, MAX)?;
        }
        Ok(List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<List<T, MAX>, A::Error> {
        no_structure()
    }

    refuse_scalars!(UNEXPECTED_FIELD);
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor::<T, MAX>(PhantomData))
    }
}

struct MapVisitor<'a, T, const MAX: usize>(PhantomData<&'a T>);

impl<'de: 'a, 'a, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for MapVisitor<'a, T, MAX> {
    type Value = Map<'a, T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<'a, T, MAX>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            push(&mut entries, entry, MAX)?;
        }
        Ok(Map(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Map<'a, T, MAX>, A::Error> {
        Err(unreadable("Unrecognized collection type java.util.Map"))
    }

    refuse_scalars!(UNEXPECTED_FIELD);
}

impl<'de: 'a, 'a, T: Deserialize<'de> + 'a, const MAX: usize> Deserialize<'de> for Map<'a, T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MapVisitor::<T, MAX>(PhantomData))
    }
}

/// A structure that takes its members one by one.
pub(crate) trait Members<'de>: Default {
    /// Takes the member called `name`, or passes over it.
    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;
}

/// Reads a structure.
pub(crate) struct StructureVisitor<T>(pub PhantomData<T>);

impl<'de, T: Members<'de>> Visitor<'de> for StructureVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a structure")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut structure = T::default();
        while let Some(name) = map.next_key::<Text<'de>>()? {
            structure.take(name.as_str(), &mut map)?;
        }
        Ok(structure)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<T, A::Error> {
        Err(unreadable("Unrecognized collection type class java.util.List"))
    }

    refuse_scalars!(UNEXPECTED_VALUE);
}

/// Passes over a member that nobody knows.
pub(crate) fn pass<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// Makes a structure whose members are all optional; a JSON null is an absent member.
macro_rules! structure {
    ($(#[$attribute:meta])* $name:ident { $($field:ident: $kind:ty = $member:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<'a> {
            $(pub(crate) $field: Option<$kind>,)*
            life: std::marker::PhantomData<&'a ()>,
        }

        impl<'de: 'a, 'a> $crate::shape::Members<'de> for $name<'a> {
            fn take<A: serde::de::MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
                match name {
                    $($member => self.$field = map.next_value()?,)*
                    _ => $crate::shape::pass(map)?,
                }
                Ok(())
            }
        }

        impl<'de: 'a, 'a> serde::de::Deserialize<'de> for $name<'a> {
            fn deserialize<D: serde::de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($crate::shape::StructureVisitor(std::marker::PhantomData))
            }
        }
    };
}

pub(crate) use structure;
