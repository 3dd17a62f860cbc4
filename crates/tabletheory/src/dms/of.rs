//! The document of a Rust model.

use tabletheory_core::ValueType;

use super::document::{
    AttributeDefinition, DmsVersion, Document, IndexDefinition, KeyDefinition, ModelDefinition, Naming,
    WritePolicy,
};
use super::error::{DmsError, Fault, Located};
use super::path::Path;
use crate::model::{AttributeInfo, Index, KeyAttribute, Model, Schema};

/// The definition of a model.
pub(super) fn model<M: Model>(path: &Path) -> Result<ModelDefinition, DmsError> {
    let schema = M::SCHEMA;
    let mut faults = Vec::new();
    let mut refuse = |path: Path, what| {
        faults.push(Located { path, line: None, column: None, fault: Fault::NoWord { what } });
    };
    let mut attributes = Vec::new();
    for (at, info) in schema.attributes.iter().enumerate() {
        match info.kind {
            Some(kind) => attributes.push(attribute(&schema, info, kind)),
            None => {
                refuse(path.member("attributes").at(at), "an attribute whose type is not always the same")
            }
        }
    }
    let mut indexes = Vec::new();
    for (at, index) in schema.indexes.iter().enumerate() {
        match definition(index) {
            Some(index) => indexes.push(index),
            None => refuse(path.member("indexes").at(at), "a key of several attributes"),
        }
    }
    if !faults.is_empty() {
        return Err(DmsError { faults });
    }
    Ok(ModelDefinition {
        name: M::NAME.to_owned(),
        table: M::table().into_owned(),
        naming: naming(&schema),
        partition: key(&schema.partition),
        sort: schema.sort.as_ref().map(key),
        write_policy: WritePolicy::default(),
        attributes,
        indexes,
    })
}

/// A document with one model.
pub(super) fn document(model: ModelDefinition) -> Document {
    Document { version: DmsVersion::V0_2, namespace: None, models: vec![model] }
}

fn key(key: &KeyAttribute) -> KeyDefinition {
    KeyDefinition { attribute: key.name.to_owned(), kind: key.kind }
}

/// The convention that all names are in, if there is one.
fn naming(schema: &Schema) -> Option<Naming> {
    let fits = |naming: &Naming| schema.attributes.iter().all(|attribute| naming.fits(attribute.name));
    [Naming::CamelCase, Naming::SnakeCase].into_iter().find(fits)
}

fn attribute(schema: &Schema, info: &AttributeInfo, kind: ValueType) -> AttributeDefinition {
    let is = |name: Option<&str>| name == Some(info.name);
    let roles = [
        ("pk", is(Some(schema.partition.name)), None),
        ("sk", is(schema.sort.map(|sort| sort.name)), None),
        ("created_at", is(schema.created_at), Some("rfc3339nano")),
        ("updated_at", is(schema.updated_at), Some("rfc3339nano")),
        ("version", is(schema.version), Some("int")),
        ("ttl", is(schema.ttl), Some("unix_seconds")),
    ];
    let required = roles[..2].iter().any(|(_, is_key, _)| *is_key);
    let is_set = matches!(kind, ValueType::Ss | ValueType::Ns | ValueType::Bs);
    // JSON has lists and no sets.
    let kind = if info.json && is_set { ValueType::L } else { kind };
    AttributeDefinition {
        required,
        // A set that is missing is read as an empty one.
        optional: !required && (info.may_be_missing || is_set && !info.json),
        omit_empty: info.omit_empty,
        json: info.json,
        binary: kind == ValueType::B,
        encrypted: schema.encrypted.contains(&info.name),
        format: roles.iter().find_map(|(_, is_it, format)| format.filter(|_| *is_it)).map(str::to_owned),
        roles: roles.iter().filter(|(_, is_it, _)| *is_it).map(|(role, ..)| (*role).to_owned()).collect(),
        ..AttributeDefinition::new(info.name, kind)
    }
}

/// An index with one partition attribute and one sort attribute at most.
fn definition(index: &Index) -> Option<IndexDefinition> {
    let [partition] = index.partition else { return None };
    let sort = match index.sort {
        [] => None,
        [sort] => Some(key(sort)),
        _ => return None,
    };
    let projection = index.projection.into();
    Some(IndexDefinition {
        name: index.name.to_owned(),
        scope: index.scope,
        partition: key(partition),
        sort,
        projection,
    })
}
