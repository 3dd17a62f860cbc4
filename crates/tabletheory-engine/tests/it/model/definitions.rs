//! The tables of the model test: one of each kind of key and index.

use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, LocalIndex, Projection, StreamView,
};
use tabletheory_core::store::op::CreateTable;

/// The names of all tables.
pub(crate) const TABLES: [&str; 4] = ["pairs", "words", "blobs", "plain"];

/// The attribute that holds an item's end, where items have one.
pub(crate) const TTL: &str = "until";

/// How a table is made.
pub(crate) fn table(name: &str) -> CreateTable {
    let (hash, range) = match name {
        "pairs" => (KeyType::S, Some(KeyType::N)),
        "words" => (KeyType::S, Some(KeyType::S)),
        "blobs" => (KeyType::B, Some(KeyType::B)),
        _ => (KeyType::N, None),
    };
    let range = range.map(|kind| AttributeDefinition { name: "sk".to_owned(), kind });
    let mut attributes = vec![AttributeDefinition { name: "pk".to_owned(), kind: hash }];
    let mut keys = vec![KeyElement::hash("pk")];
    keys.extend(range.iter().map(|range| KeyElement::range(&range.name)));
    attributes.extend(range);
    let local = |name: &str, sort: &str, projection| LocalIndex {
        name: name.to_owned(),
        keys: vec![KeyElement::hash("pk"), KeyElement::range(sort)],
        projection,
    };
    let (local_indexes, global_indexes, stream) = match name {
        "pairs" => (
            vec![local("by_rank", "rank", Projection::KeysOnly)],
            vec![global("by_group", &["g"], &["rank"], Projection::Include(vec!["hits".to_owned()]))],
            Some(StreamView::NewAndOldImages),
        ),
        "words" => (
            vec![local("by_label", "label", Projection::All)],
            vec![global("by_group", &["g"], &[], Projection::All)],
            Some(StreamView::NewAndOldImages),
        ),
        "blobs" => (
            Vec::new(),
            vec![global("turned", &["sk"], &["pk"], Projection::KeysOnly)],
            Some(StreamView::KeysOnly),
        ),
        _ => (Vec::new(), Vec::new(), None),
    };
    let used = local_indexes.iter().flat_map(|index| &index.keys);
    let used: Vec<KeyElement> =
        used.chain(global_indexes.iter().flat_map(|index| &index.keys)).cloned().collect();
    for definition in definitions(&used) {
        if attributes.iter().all(|known| known.name != definition.name) {
            attributes.push(definition);
        }
    }
    CreateTable {
        table: name.to_owned(),
        attributes,
        keys,
        local_indexes,
        global_indexes,
        billing: BillingMode::PayPerRequest,
        stream,
        ..CreateTable::default()
    }
}

/// Indexes that come and go while their table lives.
pub(crate) fn later_index(name: &str) -> GlobalIndex {
    match name {
        "extra" => global("extra", &["color"], &[], Projection::All),
        _ => global("wide", &["g", "color"], &["rank", "label"], Projection::KeysOnly),
    }
}

/// The types of the key attributes that indexes add.
pub(crate) fn definitions(keys: &[KeyElement]) -> Vec<AttributeDefinition> {
    let kind = |name: &str| if name == "rank" { KeyType::N } else { KeyType::S };
    let mut found: Vec<AttributeDefinition> = Vec::new();
    for key in keys {
        if found.iter().all(|known| known.name != key.name) {
            found.push(AttributeDefinition { name: key.name.clone(), kind: kind(&key.name) });
        }
    }
    found
}

fn global(name: &str, hash: &[&str], range: &[&str], projection: Projection) -> GlobalIndex {
    let hash = hash.iter().map(|name| KeyElement::hash(*name));
    let range = range.iter().map(|name| KeyElement::range(*name));
    GlobalIndex { name: name.to_owned(), keys: hash.chain(range).collect(), projection, throughput: None }
}
