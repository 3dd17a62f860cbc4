//! Whether the roles of attributes agree with the keys and indexes.

use std::collections::HashSet;

use tabletheory_core::ValueType;

use super::attribute::Draft;
use super::document::{IndexDefinition, KeyDefinition};
use super::error::Fault;
use super::reader::Faults;

const ROLES: &str = "pk, sk, created_at, updated_at, version, ttl, index_pk:<index>, index_sk:<index>";

/// The keys and indexes of a model, as far as they could be read.
pub(super) struct Keys<'d> {
    pub(super) partition: Option<&'d KeyDefinition>,
    pub(super) sort: Option<&'d KeyDefinition>,
    pub(super) indexes: &'d [IndexDefinition],
}

/// Checks the roles of all attributes.
pub(super) fn check(attributes: &[Draft], keys: &Keys<'_>, faults: &mut Faults) {
    let mut taken = HashSet::new();
    for attribute in attributes {
        let Some((name, _)) = &attribute.name else { continue };
        for (role, spot) in &attribute.roles {
            if let Some(fault) = fault(role, name, attribute.kind, keys) {
                faults.add(spot, fault);
            }
            if !taken.insert(role) {
                faults.add(spot, Fault::Duplicate { name: role.clone() });
            }
        }
    }
}

fn fault(role: &str, attribute: &str, kind: Option<ValueType>, keys: &Keys<'_>) -> Option<Fault> {
    let of_key = |key: Option<&KeyDefinition>| {
        let is_other = key.is_none_or(|key| key.attribute != attribute);
        is_other.then(|| Fault::Role { role: role.to_owned() })
    };
    let of_type = |what, expected: ValueType| {
        let found = kind.filter(|kind| *kind != expected)?.name();
        Some(Fault::Type { what, allowed: expected.name(), found })
    };
    let index = |name: &str| keys.indexes.iter().find(|index| index.name == name);
    match role {
        "pk" => keys.partition.and_then(|key| of_key(Some(key))),
        "sk" => of_key(keys.sort),
        "created_at" => of_type("the role created_at", ValueType::S),
        "updated_at" => of_type("the role updated_at", ValueType::S),
        "version" => of_type("the role version", ValueType::N),
        "ttl" => of_type("the role ttl", ValueType::N),
        _ => match role.split_once(':') {
            Some(("index_pk", name)) => of_key(index(name).map(|index| &index.partition)),
            Some(("index_sk", name)) => of_key(index(name).and_then(|index| index.sort.as_ref())),
            _ => Some(Fault::NotOneOf { found: role.to_owned(), allowed: ROLES }),
        },
    }
}
