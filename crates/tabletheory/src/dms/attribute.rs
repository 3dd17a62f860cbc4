//! Reading an attribute, and what can be wrong with it alone.

use std::collections::BTreeMap;

use tabletheory_core::ValueType;

use super::document::{AttributeDefinition, Naming};
use super::error::Fault;
use super::names;
use super::node::Content;
use super::reader::{Faults, Found, Object, Spot};

const MEMBERS: [&str; 11] = [
    "attribute",
    "type",
    "required",
    "optional",
    "omit_empty",
    "json",
    "binary",
    "encryption",
    "format",
    "roles",
    "tags",
];

const TYPES: [ValueType; 10] = [
    ValueType::S,
    ValueType::N,
    ValueType::B,
    ValueType::Bool,
    ValueType::Null,
    ValueType::M,
    ValueType::L,
    ValueType::Ss,
    ValueType::Ns,
    ValueType::Bs,
];

/// An attribute as far as it could be read.
pub(super) struct Draft {
    pub(super) name: Option<(String, Spot)>,
    pub(super) kind: Option<ValueType>,
    pub(super) encrypted: bool,
    pub(super) roles: Vec<(String, Spot)>,
    /// It is whole if nothing was found to be wrong.
    pub(super) definition: Option<AttributeDefinition>,
}

/// Reads an attribute.
pub(super) fn read(found: &Found<'_>, naming: Option<Naming>, faults: &mut Faults) -> Option<Draft> {
    let object = found.object(&MEMBERS, faults)?;
    let name = object.need("attribute", faults).and_then(|found| {
        let name = found.text(faults)?.to_owned();
        check_name(&name, naming, &found.spot, faults);
        Some((name, found.spot))
    });
    let kind = object.need("type", faults).and_then(|found| {
        found.word(&TYPES, ValueType::name, "S, N, B, BOOL, NULL, M, L, SS, NS, BS", faults)
    });
    let roles: Vec<(String, Spot)> = object.get("roles").map_or_else(Vec::new, |found| {
        found.texts(faults).into_iter().map(|(role, spot)| (role.to_owned(), spot)).collect()
    });
    let format = object.get("format").and_then(|found| Some((found.text(faults)?.to_owned(), found.spot)));
    let encrypted = encryption(&object, faults);
    let mut flag = |name| object.flag(name, faults);
    let (required, optional, omit_empty) = (flag("required"), flag("optional"), flag("omit_empty"));
    let (json, binary) = (flag("json"), flag("binary"));
    let tags = tags(&object, faults);
    if required && optional {
        faults.add(&object.spot, Fault::Contradiction { first: "required", second: "optional" });
    }
    if json && binary {
        faults.add(&object.spot, Fault::Contradiction { first: "json", second: "binary" });
    }
    if let Some(kind) = kind {
        check_type(kind, json, binary, &object.spot, faults);
        if let Some((format, spot)) = &format {
            check_format(format, kind, spot, faults);
        }
    }
    let definition = name.as_ref().zip(kind).map(|((name, _), kind)| AttributeDefinition {
        attribute: name.clone(),
        kind,
        required,
        optional,
        omit_empty,
        json,
        binary,
        encrypted,
        format: format.map(|(format, _)| format),
        roles: roles.iter().map(|(role, _)| role.clone()).collect(),
        tags,
    });
    Some(Draft { name, kind, encrypted, roles, definition })
}

fn check_name(name: &str, naming: Option<Naming>, spot: &Spot, faults: &mut Faults) {
    if let Some(fault) = names::attribute(name) {
        faults.add(spot, fault);
    } else if let Some(naming) = naming.filter(|naming| !naming.fits(name)) {
        faults.add(spot, Fault::Convention { name: name.to_owned(), convention: naming.name() });
    }
}

fn check_type(kind: ValueType, json: bool, binary: bool, spot: &Spot, faults: &mut Faults) {
    if binary && kind != ValueType::B {
        faults.add(spot, Fault::Type { what: "binary", allowed: "B", found: kind.name() });
    }
    let jsonlike = [ValueType::S, ValueType::N, ValueType::Bool, ValueType::Null, ValueType::L, ValueType::M];
    if json && !jsonlike.contains(&kind) {
        let allowed = "S, N, BOOL, NULL, L or M";
        faults.add(spot, Fault::Type { what: "json", allowed, found: kind.name() });
    }
}

/// Formats that are not known here are left to those who are.
fn check_format(format: &str, kind: ValueType, spot: &Spot, faults: &mut Faults) {
    let (what, expected) = match format {
        "rfc3339nano" => ("the format rfc3339nano", ValueType::S),
        "unix_seconds" => ("the format unix_seconds", ValueType::N),
        "int" => ("the format int", ValueType::N),
        _ => return,
    };
    if kind != expected {
        faults.add(spot, Fault::Type { what, allowed: expected.name(), found: kind.name() });
    }
}

/// Whether the attribute is encrypted: an object, whose `v` is the version of the envelope.
fn encryption(object: &Object<'_>, faults: &mut Faults) -> bool {
    let Some(found) = object.get("encryption") else { return false };
    let Some(settings) = found.object(&["v"], faults) else { return true };
    if let Some(version) = settings.get("v") {
        match &version.node.content {
            Content::Number(number) if number == "1" => {}
            Content::Number(number) => {
                faults.add(&version.spot, Fault::NotOneOf { found: number.clone(), allowed: "1" });
            }
            _ => {
                let found = version.node.kind();
                faults.add(&version.spot, Fault::Kind { expected: "a number", found });
            }
        }
    }
    true
}

fn tags(object: &Object<'_>, faults: &mut Faults) -> BTreeMap<String, serde_json::Value> {
    let Some(found) = object.get("tags") else { return BTreeMap::new() };
    match serde_json::to_value(found.node) {
        Ok(serde_json::Value::Object(tags)) => tags.into_iter().collect(),
        _ => {
            faults.add(&found.spot, Fault::Kind { expected: "an object", found: found.node.kind() });
            BTreeMap::new()
        }
    }
}
