//! The tree of a document, in the order in which documents are written by hand.

use tabletheory_core::schema::Projection;

use super::document::{
    AttributeDefinition, Document, IndexDefinition, KeyDefinition, ModelDefinition, WritePolicy,
};
use super::index::scope_name;
use super::node::{Content, Node};

/// Members of an object, as they come.
#[derive(Default)]
struct Members(Vec<(String, Node)>);

impl Members {
    fn with(mut self, name: &str, node: Node) -> Self {
        self.0.push((name.to_owned(), node));
        self
    }

    fn maybe(self, name: &str, node: Option<Node>) -> Self {
        match node {
            Some(node) => self.with(name, node),
            None => self,
        }
    }

    /// A flag, which is not written if it is off.
    fn flag(self, name: &str, flag: bool) -> Self {
        self.maybe(name, flag.then(|| Node::new(Content::Flag(true))))
    }

    fn node(self) -> Node {
        Node::new(Content::Map(self.0))
    }
}

fn list<T>(entries: &[T], node: impl Fn(&T) -> Node) -> Node {
    Node::new(Content::List(entries.iter().map(node).collect()))
}

/// The tree of a document.
pub(super) fn document(document: &Document) -> Node {
    Members::default()
        .with("dms_version", Node::text(document.version.name()))
        .maybe("namespace", document.namespace.as_ref().map(Node::text))
        .with("models", list(&document.models, model))
        .node()
}

fn model(model: &ModelDefinition) -> Node {
    let named = |name: &str, node| Members::default().with(name, node).node();
    let keys = Members::default().with("partition", key(&model.partition));
    let keys = keys.maybe("sort", model.sort.as_ref().map(key)).node();
    let policy = (model.write_policy != WritePolicy::default()).then(|| write_policy(&model.write_policy));
    Members::default()
        .with("name", Node::text(&model.name))
        .with("table", named("name", Node::text(&model.table)))
        .maybe("naming", model.naming.map(|naming| named("convention", Node::text(naming.name()))))
        .with("keys", keys)
        .maybe("write_policy", policy)
        .with("attributes", list(&model.attributes, attribute))
        .maybe("indexes", (!model.indexes.is_empty()).then(|| list(&model.indexes, index)))
        .node()
}

fn key(key: &KeyDefinition) -> Node {
    let members = Members::default().with("attribute", Node::text(&key.attribute));
    members.with("type", Node::text(key.kind.name())).node()
}

fn write_policy(policy: &WritePolicy) -> Node {
    let members = Members::default().with("mode", Node::text(policy.mode.name()));
    members.with("protected_attributes", Node::texts(&policy.protected_attributes)).node()
}

fn attribute(attribute: &AttributeDefinition) -> Node {
    let one = || Members::default().with("v", Node::new(Content::Number("1".to_owned()))).node();
    let tags = attribute.tags.iter().map(|(name, value)| (name.clone(), value_node(value)));
    Members::default()
        .with("attribute", Node::text(&attribute.attribute))
        .with("type", Node::text(attribute.kind.name()))
        .maybe("format", attribute.format.as_ref().map(Node::text))
        .flag("required", attribute.required)
        .flag("optional", attribute.optional)
        .flag("omit_empty", attribute.omit_empty)
        .flag("json", attribute.json)
        .flag("binary", attribute.binary)
        .maybe("roles", (!attribute.roles.is_empty()).then(|| Node::texts(&attribute.roles)))
        .maybe("encryption", attribute.encrypted.then(one))
        .maybe("tags", (!attribute.tags.is_empty()).then(|| Node::new(Content::Map(tags.collect()))))
        .node()
}

fn index(index: &IndexDefinition) -> Node {
    let (kind, fields) = match &index.projection {
        Projection::All => ("ALL", None),
        Projection::KeysOnly => ("KEYS_ONLY", None),
        Projection::Include(names) => ("INCLUDE", Some(Node::texts(names))),
    };
    Members::default()
        .with("name", Node::text(&index.name))
        .with("type", Node::text(scope_name(index.scope)))
        .with("partition", key(&index.partition))
        .maybe("sort", index.sort.as_ref().map(key))
        .with("projection", Members::default().with("type", Node::text(kind)).maybe("fields", fields).node())
        .node()
}

fn value_node(value: &serde_json::Value) -> Node {
    Node::new(match value {
        serde_json::Value::Null => Content::Null,
        serde_json::Value::Bool(flag) => Content::Flag(*flag),
        serde_json::Value::Number(number) => Content::Number(number.to_string()),
        serde_json::Value::String(text) => Content::Text(text.clone()),
        serde_json::Value::Array(values) => Content::List(values.iter().map(value_node).collect()),
        serde_json::Value::Object(members) => {
            Content::Map(members.iter().map(|(name, value)| (name.clone(), value_node(value))).collect())
        }
    })
}
