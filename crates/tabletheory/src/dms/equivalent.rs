//! Whether two documents say the same of their models, whatever the order.

use std::collections::BTreeMap;
use std::fmt;

use tabletheory_core::schema::Projection;

use super::document::{AttributeDefinition, Document, IndexDefinition, KeyDefinition, ModelDefinition};
use super::index::scope_name;

/// One thing that two documents say differently.
///
/// ```
/// use tabletheory::dms::Difference;
///
/// let difference = Difference {
///     model: "User".into(),
///     part: "attribute `age`".into(),
///     member: "type",
///     first: Some("N".into()),
///     second: Some("S".into()),
/// };
/// assert_eq!(difference.to_string(), "User: attribute `age`: type is N in the first and S in the second");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The model.
    pub model: String,
    /// The part of it: an attribute, an index, or the model itself.
    pub part: String,
    /// What is said of the part; empty if one of the documents does not have it.
    pub member: &'static str,
    /// What the first document says.
    pub first: Option<String>,
    /// What the second document says.
    pub second: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.model, self.part)?;
        match (&self.first, &self.second) {
            (Some(first), Some(second)) => {
                write!(f, ": {} is {first} in the first and {second} in the second", self.member)
            }
            (Some(_), None) => f.write_str(" is only in the first"),
            _ => f.write_str(" is only in the second"),
        }
    }
}

/// What two documents say differently of their models; nothing if they are equivalent.
///
/// The order of anything means nothing. Versions, namespaces, notes and formats are not compared, nor are conventions: the names
/// themselves are. That an attribute is binary follows from its type, and the roles of index keys from the indexes.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::dms::{Document, equivalent};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
///     age: Option<u8>,
/// }
///
/// let shared = Document::from_yaml(r#"
/// dms_version: "0.1"
/// models:
///   - name: "User"
///     table: { name: "users" }
///     keys: { partition: { attribute: "id", type: "S" } }
///     attributes:
///       - { attribute: "age", type: "S", optional: true }
///       - { attribute: "id", type: "S", required: true, roles: ["pk"] }
/// "#)?;
/// let differences = equivalent(&Document::of::<User>()?, &shared);
/// assert_eq!(differences.len(), 1);
/// assert_eq!(differences[0].to_string(), "User: attribute `age`: type is N in the first and S in the second");
/// # Ok::<(), tabletheory::dms::DmsError>(())
/// ```
#[must_use]
pub fn equivalent(first: &Document, second: &Document) -> Vec<Difference> {
    let named = |document: &Document| -> BTreeMap<String, Parts> {
        document.models.iter().map(|model| (model.name.clone(), parts(model))).collect()
    };
    let (first, second) = (named(first), named(second));
    let mut differences = Vec::new();
    for name in union(&first, &second) {
        match (first.get(name), second.get(name)) {
            (Some(first), Some(second)) => compare(name, first, second, &mut differences),
            (first, second) => differences.push(only(name, "the model", first.is_some(), second.is_some())),
        }
    }
    differences
}

/// What a document says of the parts of a model.
type Parts = BTreeMap<String, BTreeMap<&'static str, String>>;

fn union<'p, T>(first: &'p BTreeMap<String, T>, second: &'p BTreeMap<String, T>) -> Vec<&'p String> {
    first.keys().chain(second.keys().filter(|name| !first.contains_key(*name))).collect()
}

fn only(model: &str, part: &str, in_first: bool, in_second: bool) -> Difference {
    let side = |is_there: bool| is_there.then(String::new);
    let (first, second) = (side(in_first), side(in_second));
    Difference { model: model.to_owned(), part: part.to_owned(), member: "", first, second }
}

fn compare(model: &str, first: &Parts, second: &Parts, differences: &mut Vec<Difference>) {
    for part in union(first, second) {
        let (Some(one), Some(other)) = (first.get(part), second.get(part)) else {
            differences.push(only(model, part, first.contains_key(part), second.contains_key(part)));
            continue;
        };
        for (member, first) in one {
            let second = other.get(member);
            if second != Some(first) {
                let (first, second) = (Some(first.clone()), second.cloned());
                let (model, part) = (model.to_owned(), part.clone());
                differences.push(Difference { model, part, member, first, second });
            }
        }
    }
}

fn parts(model: &ModelDefinition) -> Parts {
    let ModelDefinition { table, partition, sort, write_policy, .. } = model;
    let itself = BTreeMap::from([
        ("table", table.clone()),
        ("partition key", key(partition)),
        ("sort key", sort.as_ref().map_or_else(nothing, key)),
        ("write mode", write_policy.mode.name().to_owned()),
        ("protection", sorted(write_policy.protected_attributes.iter())),
    ]);
    let attributes =
        model.attributes.iter().map(|known| (format!("attribute `{}`", known.attribute), attribute(known)));
    let indexes = model.indexes.iter().map(|known| (format!("index `{}`", known.name), index(known)));
    attributes.chain(indexes).chain([("the model".to_owned(), itself)]).collect()
}

fn attribute(attribute: &AttributeDefinition) -> BTreeMap<&'static str, String> {
    let AttributeDefinition { kind, required, optional, omit_empty, json, encrypted, roles, .. } = attribute;
    let own_roles = roles.iter().filter(|role| !role.starts_with("index_"));
    BTreeMap::from([
        ("type", kind.name().to_owned()),
        ("required", required.to_string()),
        ("optional", optional.to_string()),
        ("omit_empty", omit_empty.to_string()),
        ("json", json.to_string()),
        ("encrypted", encrypted.to_string()),
        ("role", sorted(own_roles)),
    ])
}

fn index(index: &IndexDefinition) -> BTreeMap<&'static str, String> {
    let projection = match &index.projection {
        Projection::All => "ALL".to_owned(),
        Projection::KeysOnly => "KEYS_ONLY".to_owned(),
        Projection::Include(names) => format!("INCLUDE {}", sorted(names.iter())),
    };
    BTreeMap::from([
        ("type", scope_name(index.scope).to_owned()),
        ("partition key", key(&index.partition)),
        ("sort key", index.sort.as_ref().map_or_else(nothing, key)),
        ("projection", projection),
    ])
}

fn key(key: &KeyDefinition) -> String {
    format!("`{}` ({})", key.attribute, key.kind.name())
}

fn nothing() -> String {
    "nothing".to_owned()
}

fn sorted<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_unstable();
    if names.is_empty() { nothing() } else { names.join(", ") }
}
