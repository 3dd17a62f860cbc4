//! What one model needs of its table, and what stands between two models that would share one.

use tabletheory_core::ValueType;
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement};
use tabletheory_core::store::op::CreateTable;

use super::conflict::Clash;
use crate::model::Model;
use crate::renamed::Renamed;

/// A model of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) model: String,
    /// The request that makes the table for it alone.
    pub(super) request: CreateTable,
    /// The attribute by which its items expire.
    pub(super) ttl: Option<String>,
    /// The attributes of its items, as the table stores them. Some have no type of their own.
    stored: Vec<(String, ValueType)>,
}

impl Member {
    pub(super) fn of<M: Model>(renamed: &Renamed) -> Self {
        let schema = M::SCHEMA;
        let stored = schema.attributes.iter().filter_map(|attribute| {
            // What is encrypted is stored as a map, whatever it is.
            let sealed = schema.encrypted.contains(&attribute.name).then_some(ValueType::M);
            Some((attribute.name.to_owned(), sealed.or(attribute.kind)?))
        });
        Self {
            model: M::NAME.to_owned(),
            request: schema.create_table(&renamed.table_of::<M>()),
            ttl: schema.ttl.map(str::to_owned),
            stored: stored.collect(),
        }
    }

    /// A table as a request would make it, which may be of any model.
    pub(super) fn of_request(request: CreateTable, ttl: Option<String>) -> Self {
        let CreateTable { table, attributes, keys, local_indexes, global_indexes, .. } = request;
        let model = format!("the table {table}");
        let billing = BillingMode::PayPerRequest;
        let request = CreateTable {
            table,
            attributes,
            keys,
            local_indexes,
            global_indexes,
            billing,
            ..CreateTable::default()
        };
        Self { model, request, ttl, stored: Vec::new() }
    }

    /// The model of a document.
    #[cfg(feature = "dms")]
    pub(super) fn of_definition(model: &crate::dms::ModelDefinition) -> Self {
        let stored = model.attributes.iter().map(|attribute| {
            let kind = if attribute.encrypted { ValueType::M } else { attribute.kind };
            (attribute.attribute.clone(), kind)
        });
        Self {
            model: model.name.clone(),
            request: model.create_table(),
            ttl: model.time_to_live().map(str::to_owned),
            stored: stored.collect(),
        }
    }

    /// The table that the model names, or is kept in all the same.
    pub(super) fn table(&self) -> &str {
        &self.request.table
    }

    /// What stands between two models in one table. `is_named` if the table has a name that neither of them gave it.
    pub(super) fn clash(&self, other: &Self, is_named: bool) -> Option<Clash> {
        let (first, second) = (&self.request, &other.request);
        if !is_named && first.table != second.table {
            return Some(Clash::Table { first: first.table.clone(), second: second.table.clone() });
        }
        if first.keys != second.keys {
            return Some(Clash::Keys { first: first.keys.clone(), second: second.keys.clone() });
        }
        let types = types_clash(&first.attributes, other)
            .or_else(|| types_clash(&second.attributes, self).map(turned));
        types.or_else(|| indexes_clash(first, second)).or_else(|| match (&self.ttl, &other.ttl) {
            (Some(first), Some(second)) if first != second => {
                Some(Clash::TimeToLive { first: first.clone(), second: second.clone() })
            }
            _ => None,
        })
    }
}

/// A key attribute of one model that has another type in the other, as a key or as a plain attribute: the service would
/// refuse the other's items.
fn types_clash(keys: &[AttributeDefinition], other: &Member) -> Option<Clash> {
    keys.iter().find_map(|key| {
        let (_, second) = other.stored.iter().find(|(name, _)| *name == key.name)?;
        let (first, second) = (key.kind.value_type(), *second);
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
