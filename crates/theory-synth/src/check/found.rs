//! The tables of a template, as requests that would make them.

use tabletheory_core::schema::{
    AttributeDefinition, GlobalIndex, KeyElement, KeyRole, KeyType, LocalIndex, Projection, StreamView,
};
use tabletheory_core::store::op::CreateTable;

use super::fault::Fault;
use super::report::CheckError;
use crate::node::Node;

/// A table of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its logical id.
    pub id: String,
    /// Its name, if the template says it.
    pub name: Option<String>,
    /// The request that would make it.
    pub request: CreateTable,
    /// The attribute by which its items expire.
    pub ttl: Option<String>,
    /// What could not be read.
    pub unknown: Vec<Fault>,
}

const KINDS: [&str; 2] = ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"];

/// The tables of a template, in its order.
///
/// # Errors
/// If it is no template.
pub fn tables(template: &Node) -> Result<Vec<Found>, CheckError> {
    let resources = template.get("Resources").and_then(Node::map).ok_or(CheckError::NoTemplate)?;
    let is_table =
        |node: &Node| node.get("Type").and_then(Node::text).is_some_and(|kind| KINDS.contains(&kind));
    let found = resources.iter().filter(|(_, node)| is_table(node)).map(|(id, node)| table(id, node));
    Ok(found.collect())
}

fn table(id: &str, node: &Node) -> Found {
    let mut reader = Reader { unknown: Vec::new() };
    let empty = Node::Null;
    let properties = node.get("Properties").unwrap_or(&empty);
    let name = properties.get("TableName").and_then(Node::text).map(str::to_owned);
    let attributes = reader.each(properties, "AttributeDefinitions", |reader, node| {
        let kind = reader.text(node, "AttributeType")?;
        let Some(kind) = KeyType::from_name(kind) else {
            return reader.refuse("AttributeType", &format!("{kind:?}, and no type of a key"));
        };
        Some(AttributeDefinition { name: reader.text(node, "AttributeName")?.to_owned(), kind })
    });
    let local_indexes = reader.each(properties, "LocalSecondaryIndexes", |reader, node| {
        let (name, keys, projection) = reader.index(node)?;
        Some(LocalIndex { name, keys, projection })
    });
    let global_indexes = reader.each(properties, "GlobalSecondaryIndexes", |reader, node| {
        let (name, keys, projection) = reader.index(node)?;
        Some(GlobalIndex { name, keys, projection, throughput: None })
    });
    let request = CreateTable {
        table: name.clone().unwrap_or_else(|| id.to_owned()),
        attributes,
        keys: reader.keys(properties),
        local_indexes,
        global_indexes,
        stream: reader.stream(properties),
        ..CreateTable::default()
    };
    let ttl = reader.time_to_live(properties);
    Found { id: id.to_owned(), name, request, ttl, unknown: reader.unknown }
}

/// Reads properties, and notes what is none.
struct Reader {
    unknown: Vec<Fault>,
}

impl Reader {
    fn refuse<T>(&mut self, property: &str, found: &str) -> Option<T> {
        self.unknown.push(Fault::Unreadable { property: property.to_owned(), found: found.to_owned() });
        None
    }

    /// A text that must be there.
    fn text<'n>(&mut self, node: &'n Node, property: &str) -> Option<&'n str> {
        match node.get(property) {
            None => self.refuse(property, "missing"),
            Some(Node::Text(text)) => Some(text),
            Some(other) => {
                self.refuse(property, &format!("{}, and known only after the deployment", other.kind()))
            }
        }
    }

    /// What can be read of each part of a list that may be missing.
    fn each<T>(
        &mut self,
        node: &Node,
        property: &str,
        mut read: impl FnMut(&mut Self, &Node) -> Option<T>,
    ) -> Vec<T> {
        match node.get(property) {
            None => Vec::new(),
            Some(Node::List(nodes)) => nodes.iter().filter_map(|node| read(self, node)).collect(),
            Some(other) => {
                self.refuse(property, &format!("{}, not a list", other.kind())).unwrap_or_default()
            }
        }
    }

    fn keys(&mut self, node: &Node) -> Vec<KeyElement> {
        let mut keys = self.each(node, "KeySchema", |reader, node| {
            let role = match reader.text(node, "KeyType")? {
                "HASH" => KeyRole::Hash,
                "RANGE" => KeyRole::Range,
                other => return reader.refuse("KeyType", &format!("{other:?}, neither HASH nor RANGE")),
            };
            Some(KeyElement { name: reader.text(node, "AttributeName")?.to_owned(), role })
        });
        keys.sort_by_key(|key| key.role == KeyRole::Range);
        keys
    }

    fn index(&mut self, node: &Node) -> Option<(String, Vec<KeyElement>, Projection)> {
        let name = self.text(node, "IndexName")?.to_owned();
        let keys = self.keys(node);
        let empty = Node::Null;
        let projection = node.get("Projection").unwrap_or(&empty);
        let projection = match self.text(projection, "ProjectionType")? {
            "ALL" => Projection::All,
            "KEYS_ONLY" => Projection::KeysOnly,
            "INCLUDE" => {
                let names = self.each(projection, "NonKeyAttributes", |reader, node| match node.text() {
                    Some(name) => Some(name.to_owned()),
                    None => reader.refuse("NonKeyAttributes", node.kind()),
                });
                Projection::Include(names)
            }
            other => return self.refuse("ProjectionType", &format!("{other:?}")),
        };
        Some((name, keys, projection))
    }

    fn stream(&mut self, properties: &Node) -> Option<StreamView> {
        let specification = properties.get("StreamSpecification")?;
        let name = self.text(specification, "StreamViewType")?;
        StreamView::from_name(name).or_else(|| self.refuse("StreamViewType", &format!("{name:?}")))
    }

    fn time_to_live(&mut self, properties: &Node) -> Option<String> {
        let specification = properties.get("TimeToLiveSpecification")?;
        match specification.get("Enabled").map(|enabled| (enabled, enabled.flag())) {
            Some((_, Some(false))) => None,
            Some((_, Some(true))) => self.text(specification, "AttributeName").map(str::to_owned),
            Some((other, None)) => self.refuse("TimeToLiveSpecification.Enabled", other.kind()),
            None => self.refuse("TimeToLiveSpecification.Enabled", "missing"),
        }
    }
}
