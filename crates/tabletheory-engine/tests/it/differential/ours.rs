//! The engine behind the same door as DynamoDB Local: JSON in, JSON out. Expression texts become trees here.

mod body;
mod request;

use serde_json::{Map, Value as Json, json};
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, LocalIndex, Projection,
};
use tabletheory_core::store::op::{CreateTable, PageOutput, WriteOutput};
use tabletheory_core::{Item, Response};
use tabletheory_engine::Engine;

use super::answer::Answer;
use super::tables::{self, IndexShape, TableShape};
use body::Body;

/// The engine in memory.
#[derive(Debug)]
pub(super) struct Ours {
    engine: Engine,
}

impl Ours {
    pub(super) fn start() -> Self {
        Self { engine: Engine::memory() }
    }

    /// Performs one operation.
    pub(super) fn call(&self, operation: &str, body: &Json) -> Answer {
        let answer = request::read(operation, Body(body)).and_then(|request| self.engine.apply(request));
        Answer::of(answer.map(encode))
    }

    /// Makes a table.
    pub(super) fn create(&self, table: &TableShape) {
        let used = [table.partition.name, table.sort.name].into_iter();
        let used = used
            .chain(table.indexes.iter().flat_map(|index| std::iter::once(index.partition).chain(index.sort)));
        let mut attributes: Vec<AttributeDefinition> = Vec::new();
        for name in used {
            if attributes.iter().all(|known| known.name != name) {
                attributes
                    .push(AttributeDefinition { name: name.to_owned(), kind: kind_of(table.key(name).kind) });
            }
        }
        let indexes = |global: bool| table.indexes.iter().filter(move |index| index.global == global);
        let request = CreateTable {
            table: table.name.to_owned(),
            attributes,
            keys: keys(table.partition.name, Some(table.sort.name)),
            local_indexes: indexes(false)
                .map(|index| LocalIndex {
                    name: index.name.to_owned(),
                    keys: keys(index.partition, index.sort),
                    projection: projection(index),
                })
                .collect(),
            global_indexes: indexes(true)
                .map(|index| GlobalIndex {
                    name: index.name.to_owned(),
                    keys: keys(index.partition, index.sort),
                    projection: projection(index),
                    throughput: None,
                })
                .collect(),
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        };
        self.engine.apply(request.into()).expect("the table can be made");
    }
}

fn kind_of(name: &str) -> KeyType {
    match name {
        "S" => KeyType::S,
        "N" => KeyType::N,
        _ => KeyType::B,
    }
}

fn keys(partition: &str, sort: Option<&str>) -> Vec<KeyElement> {
    std::iter::once(KeyElement::hash(partition)).chain(sort.map(KeyElement::range)).collect()
}

fn projection(index: &IndexShape) -> Projection {
    match index.projection {
        tables::Projection::All => Projection::All,
        tables::Projection::KeysOnly => Projection::KeysOnly,
        tables::Projection::Include(names) => {
            Projection::Include(names.iter().map(ToString::to_string).collect())
        }
    }
}

/// The response as the service would write it.
fn encode(response: Response) -> Json {
    match response {
        Response::GetItem(output) => with("Item", output.item.map(|item| json!(item))),
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            written(*output)
        }
        Response::Query(output) | Response::Scan(output) => page(*output),
        Response::BatchGetItem(output) => {
            assert!(output.unprocessed.is_empty(), "small batches are done at once");
            json!({ "Responses": output.items, "UnprocessedKeys": {} })
        }
        Response::BatchWriteItem(output) => {
            assert!(output.unprocessed.is_empty(), "small batches are done at once");
            json!({ "UnprocessedItems": {} })
        }
        Response::TransactWriteItems(_) => json!({}),
        Response::TransactGetItems(output) => {
            let got = |item: Option<Item>| with("Item", item.map(|item| json!(item)));
            json!({ "Responses": output.items.into_iter().map(got).collect::<Vec<_>>() })
        }
        other => unreachable!("nobody asked for {other:?}"),
    }
}

fn written(output: WriteOutput) -> Json {
    with("Attributes", output.attributes.map(|item| json!(item)))
}

fn page(output: PageOutput) -> Json {
    let mut body = json!({ "Count": output.count, "ScannedCount": output.scanned_count });
    if let Some(items) = output.items {
        body["Items"] = json!(items);
    }
    if let Some(key) = output.last_evaluated_key {
        body["LastEvaluatedKey"] = json!(key);
    }
    body
}

/// An object with this field, if there is something in it.
fn with(field: &str, content: Option<Json>) -> Json {
    Json::Object(content.map(|content| (field.to_owned(), content)).into_iter().collect::<Map<_, _>>())
}
