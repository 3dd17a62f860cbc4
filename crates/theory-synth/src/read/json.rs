//! JSON into a tree that keeps its order. A name that stands twice is refused: the service would take one of them, and not say which.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::error::ReadError;
use crate::node::{Map, Node};

pub(super) fn read(text: &str, levels: usize) -> Result<Node, ReadError> {
    let syntax = |error: serde_json::Error| {
        // The place stands in the error's text too, and is told apart from it here.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        ReadError::Syntax { line: error.line(), column: error.column(), message }
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let node = Level { left: levels }.deserialize(&mut reader).map_err(syntax)?;
    reader.end().map_err(syntax)?;
    Ok(node)
}

/// Reads a node, with so many levels left.
#[derive(Clone, Copy)]
struct Level {
    left: usize,
}

impl Level {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let left = self.left.checked_sub(1).ok_or_else(|| E::custom("nested too deep"))?;
        Ok(Self { left })
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Number(number.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let level = self.deeper()?;
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element_seed(level)? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let level = self.deeper()?;
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if map.get(&name).is_some() {
                return Err(A::Error::custom(format_args!("`{name}` stands there twice")));
            }
            map.set(name, members.next_value_seed(level)?);
        }
        Ok(Node::Map(map))
    }
}
