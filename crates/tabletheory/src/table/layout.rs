//! What the models of one table need of it, joined.

use tabletheory_core::ValueType;
use tabletheory_core::schema::{AttributeDefinition, GlobalIndex, KeyElement, LocalIndex, Projection};
use tabletheory_core::store::op::CreateTable;

use super::conflict::{Clash, Conflict};
use crate::model::{Model, Schema};
use crate::renamed::Renamed;

/// A model of a table.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) model: &'static str,
    table: String,
    schema: Schema,
}

/// What the models of a table need of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// The request that makes the table, without its options.
    pub(super) request: CreateTable,
    /// The attribute by which items expire.
    pub(super) ttl: Option<&'static str>,
}

impl Member {
    pub(super) fn of<M: Model>(renamed: &Renamed) -> Self {
        let table = renamed.table_of::<M>().into_owned();
        Self { model: M::NAME, table, schema: M::SCHEMA }
    }

    /// The table that the model names, or is kept in all the same.
    pub(super) fn table(&self) -> &str {
        &self.table
    }

    /// What stands between two models in a table of this name; `None` is the name that they give it themselves.
    fn clash(&self, other: &Self, name: Option<&str>) -> Option<Clash> {
        if name.is_none() && self.table != other.table {
            return Some(Clash::Table { first: self.table.clone(), second: other.table.clone() });
        }
        let (first, second) = (self.schema.create_table(""), other.schema.create_table(""));
        if first.keys != second.keys {
            return Some(Clash::Keys { first: first.keys, second: second.keys });
        }
        let types = types_clash(&first.attributes, other)
            .or_else(|| types_clash(&second.attributes, self).map(turned));
        types.or_else(|| indexes_clash(&first, &second)).or_else(|| {
            match (self.schema.ttl, other.schema.ttl) {
                (Some(first), Some(second)) if first != second => Some(Clash::TimeToLive { first, second }),
                _ => None,
            }
        })
    }
}

/// A key attribute of one model that has another type in the other, as a key or as a plain attribute: the service would
/// refuse the other's items.
fn types_clash(keys: &[AttributeDefinition], other: &Member) -> Option<Clash> {
    keys.iter().find_map(|key| {
        let same = other.schema.attributes.iter().find(|attribute| attribute.name == key.name)?;
        // What is encrypted is stored as a map, whatever it is.
        let sealed = other.schema.encrypted.contains(&same.name).then_some(ValueType::M);
        let (first, second) = (key.kind.value_type(), sealed.or(same.kind)?);
        let attribute = key.name.clone();
        (first != second).then_some(Clash::AttributeType { attribute, first, second })
    })
}

/// The same clash with the models in the other order.
fn turned(clash: Clash) -> Clash {
    match clash {
        Clash::AttributeType { attribute, first, second } => {
            Clash::AttributeType { attribute, first: second, second: first }
        }
        other => other,
    }
}

fn indexes_clash(first: &CreateTable, second: &CreateTable) -> Option<Clash> {
    fn indexes(table: &CreateTable) -> impl Iterator<Item = (&String, bool, &Vec<KeyElement>)> {
        let local = table.local_indexes.iter().map(|index| (&index.name, false, &index.keys));
        local.chain(table.global_indexes.iter().map(|index| (&index.name, true, &index.keys)))
    }
    indexes(first).find_map(|(name, global, keys)| {
        let (_, other_global, other_keys) = indexes(second).find(|(other, ..)| *other == name)?;
        let index = name.clone();
        if global != other_global {
            Some(Clash::IndexScope { index })
        } else if keys != other_keys {
            Some(Clash::IndexKeys { index, first: keys.clone(), second: other_keys.clone() })
        } else {
            None
        }
    })
}

impl Layout {
    /// Joins what the models need.
    ///
    /// # Errors
    /// If two of them contradict each other.
    pub(super) fn of(members: &[Member], name: Option<&str>) -> Result<Self, Conflict> {
        for (at, second) in members.iter().enumerate() {
            for first in &members[..at] {
                if let Some(clash) = first.clash(second, name) {
                    return Err(Conflict { first: first.model, second: second.model, clash });
                }
            }
        }
        let mut models = members.iter();
        let first = models.next().expect("a table is made for a model");
        let mut joined = first.schema.create_table(name.unwrap_or(&first.table));
        for member in models {
            join(&mut joined, member.schema.create_table(""));
        }
        Ok(Self { request: joined, ttl: members.iter().find_map(|member| member.schema.ttl) })
    }

    /// The definitions of the attributes in these keys.
    pub(super) fn definitions(&self, keys: &[KeyElement]) -> Vec<AttributeDefinition> {
        let used = |attribute: &&AttributeDefinition| keys.iter().any(|key| key.name == attribute.name);
        self.request.attributes.iter().filter(used).cloned().collect()
    }
}

/// Adds what is not there. What is there under the same name was checked to be the same, but for what indexes carry.
fn join(table: &mut CreateTable, other: CreateTable) {
    for attribute in other.attributes {
        if table.attributes.iter().all(|known| known.name != attribute.name) {
            table.attributes.push(attribute);
        }
    }
    for index in other.local_indexes {
        match table.local_indexes.iter_mut().find(|known| known.name == index.name) {
            Some(LocalIndex { projection, .. }) => widen(projection, index.projection),
            None => table.local_indexes.push(index),
        }
    }
    for index in other.global_indexes {
        match table.global_indexes.iter_mut().find(|known| known.name == index.name) {
            Some(GlobalIndex { projection, .. }) => widen(projection, index.projection),
            None => table.global_indexes.push(index),
        }
    }
}

/// An index that models share carries what each of them needs.
fn widen(projection: &mut Projection, other: Projection) {
    match (projection, other) {
        (Projection::All, _) | (_, Projection::KeysOnly) => {}
        (Projection::Include(names), Projection::Include(others)) => {
            for name in others {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        (projection, other) => *projection = other,
    }
}
