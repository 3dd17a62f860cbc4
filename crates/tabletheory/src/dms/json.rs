//! JSON in and out.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::error::{DmsError, Fault, Located};
use super::node::{BYTES_MAX, Content, LEVELS_MAX, Node};
use super::path::{Path, shown};

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Node, DmsError> {
    let refused = |line, column, fault| DmsError {
        faults: vec![Located { path: Path::default(), line, column, fault }],
    };
    if text.len() > BYTES_MAX {
        return Err(refused(None, None, Fault::TooLarge { bytes_max: BYTES_MAX }));
    }
    serde_json::from_str(text).map_err(|error| {
        let message = shown(&error.to_string());
        refused(Some(error.line()), Some(error.column()), Fault::Syntax { message })
    })
}

/// Writes a document as a text on many lines.
pub(super) fn write(node: &Node) -> String {
    let mut text = serde_json::to_string_pretty(node).expect("a tree of texts and numbers is always JSON");
    text.push('\n');
    text
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Seed { level: 1 }.deserialize(deserializer)
    }
}

/// Reads a node at this level.
#[derive(Clone, Copy)]
struct Seed {
    level: usize,
}

impl Seed {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let level = self.level + 1;
        if level > LEVELS_MAX {
            return Err(E::custom(format_args!("nested deeper than {LEVELS_MAX} levels")));
        }
        Ok(Self { level })
    }
}

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::new(Content::Null))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::new(Content::Flag(flag)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(Node::new(Content::Number(number.to_string())))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(Node::new(Content::Number(number.to_string())))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        Ok(Node::new(Content::Number(number.to_string())))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let seed = self.deeper()?;
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element_seed(seed)? {
            nodes.push(node);
        }
        Ok(Node::new(Content::List(nodes)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let seed = self.deeper()?;
        let mut members: Vec<(String, Node)> = Vec::new();
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(format_args!("`{}` is there twice", shown(&name))));
            }
            members.push((name, map.next_value_seed(seed)?));
        }
        Ok(Node::new(Content::Map(members)))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.content {
            Content::Null => serializer.serialize_unit(),
            Content::Flag(flag) => serializer.serialize_bool(*flag),
            Content::Number(number) => match serde_json::from_str::<serde_json::Number>(number) {
                Ok(number) => number.serialize(serializer),
                Err(_) => serializer.serialize_str(number),
            },
            Content::Text(text) => serializer.serialize_str(text),
            Content::List(nodes) => {
                let mut list = serializer.serialize_seq(Some(nodes.len()))?;
                for node in nodes {
                    list.serialize_element(node)?;
                }
                list.end()
            }
            Content::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, node) in members {
                    map.serialize_entry(name, node)?;
                }
                map.end()
            }
        }
    }
}
