//! Reading keys and indexes, and whether they fit the attributes.

use std::collections::{HashMap, HashSet};

use tabletheory_core::ValueType;
use tabletheory_core::schema::{KeyType, Projection};

use super::document::{IndexDefinition, KeyDefinition};
use super::error::Fault;
use super::names;
use super::reader::{Faults, Found, Object};
use crate::model::IndexScope;

/// What keys have to know of attributes: their types, if they could be read, and whether they are encrypted.
pub(super) type Attributes<'d> = HashMap<&'d str, (Option<ValueType>, bool)>;

const SCOPES: [IndexScope; 2] = [IndexScope::Global, IndexScope::Local];
const PROJECTIONS: [&str; 3] = ["ALL", "KEYS_ONLY", "INCLUDE"];

/// How documents write how far an index reaches.
pub(super) fn scope_name(scope: IndexScope) -> &'static str {
    match scope {
        IndexScope::Global => "GSI",
        IndexScope::Local => "LSI",
    }
}

/// Reads a key that has to be there.
pub(super) fn key(
    object: &Object<'_>,
    name: &str,
    attributes: &Attributes<'_>,
    faults: &mut Faults,
) -> Option<KeyDefinition> {
    let found = object.need(name, faults)?;
    read_key(&found, attributes, faults)
}

/// Reads a key that may be missing.
pub(super) fn optional_key(
    object: &Object<'_>,
    name: &str,
    attributes: &Attributes<'_>,
    faults: &mut Faults,
) -> Option<KeyDefinition> {
    object.get(name).and_then(|found| read_key(&found, attributes, faults))
}

fn read_key(found: &Found<'_>, attributes: &Attributes<'_>, faults: &mut Faults) -> Option<KeyDefinition> {
    let object = found.object(&["attribute", "type"], faults)?;
    let attribute = object.need("attribute", faults);
    let attribute = attribute.and_then(|found| Some((found.text(faults)?.to_owned(), found.spot)));
    let kind = object.need("type", faults).and_then(|found| {
        let kind = found.word(&KeyType::ALL, KeyType::name, "S, N, B", faults)?;
        Some((kind, found.spot))
    });
    if let Some((attribute, spot)) = &attribute {
        match (attributes.get(attribute.as_str()), &kind) {
            (None, _) => faults.add(spot, Fault::NoAttribute { attribute: attribute.clone() }),
            (Some((_, true)), _) => faults.add(spot, Fault::EncryptedKey { attribute: attribute.clone() }),
            (Some((Some(expected), _)), Some((kind, spot))) if *expected != kind.value_type() => {
                let (attribute_type, found) = (expected.name(), kind.name());
                faults.add(spot, Fault::KeyType { attribute: attribute.clone(), attribute_type, found });
            }
            _ => {}
        }
    }
    Some(KeyDefinition { attribute: attribute?.0, kind: kind?.0 })
}

/// Reads the indexes of a model with this partition key.
pub(super) fn indexes(
    model: &Object<'_>,
    partition: Option<&KeyDefinition>,
    attributes: &Attributes<'_>,
    faults: &mut Faults,
) -> Vec<IndexDefinition> {
    let Some(found) = model.get("indexes") else { return Vec::new() };
    let mut names = HashSet::new();
    let mut indexes = Vec::new();
    for found in found.list(faults).unwrap_or_default() {
        let index = index(&found, partition, attributes, faults);
        if let Some(index) = &index
            && !names.insert(index.name.clone())
        {
            faults.add(&found.spot, Fault::Duplicate { name: index.name.clone() });
        }
        indexes.extend(index);
    }
    indexes
}

fn index(
    found: &Found<'_>,
    table_partition: Option<&KeyDefinition>,
    attributes: &Attributes<'_>,
    faults: &mut Faults,
) -> Option<IndexDefinition> {
    let object = found.object(&["name", "type", "partition", "sort", "projection"], faults)?;
    let name = object.need("name", faults).and_then(|found| {
        let name = found.text(faults)?;
        if let Some(fault) = names::table(name) {
            faults.add(&found.spot, fault);
        }
        Some(name.to_owned())
    });
    let scope = object.need("type", faults);
    let scope = scope.and_then(|found| found.word(&SCOPES, scope_name, "GSI, LSI", faults));
    let partition = key(&object, "partition", attributes, faults);
    let sort = optional_key(&object, "sort", attributes, faults);
    if scope == Some(IndexScope::Local) {
        let foreign =
            partition.is_some() && table_partition.is_some() && partition.as_ref() != table_partition;
        if foreign || object.get("sort").is_none() {
            faults.add(&object.spot, Fault::LocalIndex);
        }
    }
    let projection = projection(&object, attributes, faults)?;
    Some(IndexDefinition { name: name?, scope: scope?, partition: partition?, sort, projection })
}

fn projection(index: &Object<'_>, attributes: &Attributes<'_>, faults: &mut Faults) -> Option<Projection> {
    let Some(found) = index.get("projection") else { return Some(Projection::All) };
    let object = found.object(&["type", "fields"], faults)?;
    let kind = object.need("type", faults)?;
    let kind = kind.word(&PROJECTIONS, |name| name, "ALL, KEYS_ONLY, INCLUDE", faults)?;
    let fields = object.get("fields").map_or_else(Vec::new, |found| found.texts(faults));
    let mut names = HashSet::new();
    for (field, spot) in &fields {
        if !attributes.contains_key(field) {
            faults.add(spot, Fault::NoAttribute { attribute: (*field).to_owned() });
        }
        if !names.insert(*field) {
            faults.add(spot, Fault::Duplicate { name: (*field).to_owned() });
        }
    }
    if (kind == "INCLUDE") == fields.is_empty() {
        faults.add(&object.spot, Fault::ProjectionFields);
    }
    let fields = fields.into_iter().map(|(field, _)| field.to_owned()).collect();
    Some(match kind {
        "ALL" => Projection::All,
        "KEYS_ONLY" => Projection::KeysOnly,
        _ => Projection::Include(fields),
    })
}
