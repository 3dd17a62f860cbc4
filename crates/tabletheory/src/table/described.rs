//! A table that is there, as the request that would make it again.

use tabletheory_core::schema::{GlobalIndex, IndexDescription, LocalIndex, TableDescription};
use tabletheory_core::store::op::CreateTable;

/// What was asked for when the table was made, or since then: its keys, its indexes and its stream. How it is paid for is left
/// out, because nobody compares it.
pub(super) fn request_of(table: &TableDescription) -> CreateTable {
    let local = |index: &IndexDescription| LocalIndex {
        name: index.name.clone(),
        keys: index.keys.clone(),
        projection: index.projection.clone(),
    };
    let global = |index: &IndexDescription| GlobalIndex {
        name: index.name.clone(),
        keys: index.keys.clone(),
        projection: index.projection.clone(),
        throughput: None,
    };
    CreateTable {
        table: table.name.clone(),
        attributes: table.attributes.clone(),
        keys: table.keys.clone(),
        local_indexes: table.local_indexes.iter().map(local).collect(),
        global_indexes: table.global_indexes.iter().map(global).collect(),
        stream: table.stream.as_ref().filter(|stream| stream.enabled).map(|stream| stream.view),
        ..CreateTable::default()
    }
}
