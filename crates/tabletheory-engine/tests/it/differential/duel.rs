//! Both stores, one operation after the other: perform, compare, explain, and bring them together again.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::answer::{Answer, sorted};
use super::generate::Operation;
use super::known::{self, Case};
use super::local::Local;
use super::ours::Ours;
use super::tables::{TABLES, TableShape};

/// How many unexplained differences of one class are shown in full.
const SHOWN: u64 = 2;

/// After how many operations that were done the indexes are compared.
const INDEX_LOOKS: u64 = 4;

/// The two stores and what was found so far.
#[derive(Debug)]
pub(super) struct Duel {
    local: Local,
    ours: Ours,
    performed: BTreeMap<&'static str, u64>,
    done: u64,
    refused: u64,
    explained: BTreeMap<&'static str, u64>,
    /// How often both refused an operation for the same fault in other words, by fault.
    words: BTreeMap<&'static str, u64>,
    unexplained: BTreeMap<String, u64>,
}

impl Duel {
    /// Both stores with the same empty tables.
    pub(super) fn new(mut local: Local) -> Self {
        let ours = Ours::start();
        for table in &TABLES {
            let created = local.call("CreateTable", &table.create());
            assert!(created.is_done(), "DynamoDB Local makes {}: {created:?}", table.name);
            let created = ours.call("CreateTable", &table.create());
            assert!(created.is_done(), "the engine makes {}: {created:?}", table.name);
        }
        Self {
            local,
            ours,
            performed: BTreeMap::new(),
            done: 0,
            refused: 0,
            explained: BTreeMap::new(),
            words: BTreeMap::new(),
            unexplained: BTreeMap::new(),
        }
    }

    /// Performs the operation on both and compares answers and, after a write, items and indexes.
    pub(super) fn perform(&mut self, operation: &Operation) {
        *self.performed.entry(operation.name).or_default() += 1;
        let local = run(operation, |name, body| self.local.call(name, body));
        let ours = run(operation, |name, body| self.ours.call(name, body));
        *(if local.is_done() { &mut self.done } else { &mut self.refused }) += 1;
        if local != ours {
            self.judge(&Case { operation, local: &local, ours: &ours });
        }
        if operation.is_write() && (local.is_done() || local.is_broken() || ours.is_done()) {
            self.settle(operation, &local, &ours);
        }
    }

    fn judge(&mut self, case: &Case<'_>) {
        if let Some(name) = known::explain(case) {
            *self.explained.entry(name).or_default() += 1;
            if let Some(fault) = known::fault_name(case) {
                *self.words.entry(fault).or_default() += 1;
            }
            if std::env::var_os("THEORY_SHOW").is_some() {
                eprintln!("EXPLAINED {name}\n{}", case.shown());
            }
            return;
        }
        let class = case.class();
        let seen = self.unexplained.entry(class.clone()).or_default();
        *seen += 1;
        if *seen <= SHOWN {
            eprintln!("DIFFERENCE {class}\n{}", case.shown());
        }
    }

    /// Compares the items and all indexes after a write, and copies Local's items over if they differ.
    fn settle(&mut self, operation: &Operation, local: &Answer, ours: &Answer) {
        for table in &TABLES {
            if !operation.body.to_string().contains(table.name) {
                continue;
            }
            // Indexes are looked at less often: each look is a request, and what they lost stays lost.
            let differing = self.differing(table, self.done.is_multiple_of(INDEX_LOOKS));
            if differing.is_empty() {
                continue;
            }
            if let Some(name) = known::explain_items(operation) {
                if local == ours {
                    *self.explained.entry(name).or_default() += 1;
                }
            } else if local == ours {
                let class = format!("{}: same answer, other items", operation.name);
                *self.unexplained.entry(class).or_default() += 1;
                eprintln!(
                    "DIFFERENCE {} left other items\n{}\n{}",
                    operation.name,
                    operation.body,
                    differing.join("\n")
                );
            }
            self.copy(table);
        }
    }

    /// What the table and, if wanted, its indexes hold, where that differs.
    fn differing(&mut self, table: &TableShape, with_indexes: bool) -> Vec<String> {
        let mut differing = Vec::new();
        let indexes = table.indexes.iter().filter(|_| with_indexes).map(|index| Some(index.name));
        for index in std::iter::once(None).chain(indexes) {
            let mut body = json!({ "TableName": table.name });
            if let Some(index) = index {
                body["IndexName"] = json!(index);
            }
            let scan = Operation { name: "Scan", body };
            let local = run(&scan, |name, body| self.local.call(name, body));
            let ours = run(&scan, |name, body| self.ours.call(name, body));
            if local != ours {
                differing
                    .push(format!("  {} {index:?}\n    local {local:?}\n    ours  {ours:?}", table.name));
            }
        }
        differing
    }

    /// Makes our table equal to Local's.
    fn copy(&mut self, table: &TableShape) {
        let scan = json!({ "TableName": table.name, "ConsistentRead": true });
        for item in items(self.ours.call("Scan", &scan)) {
            let deleted = self.ours.call("DeleteItem", &delete(table, &item));
            assert!(deleted.is_done(), "{deleted:?}");
        }
        for item in items(self.local.call("Scan", &scan)) {
            let put = self.ours.call("PutItem", &json!({ "TableName": table.name, "Item": item }));
            // Local lets updates make items that neither store lets anybody put.
            if !put.is_done() {
                let deleted = self.local.call("DeleteItem", &delete(table, &item));
                assert!(deleted.is_done(), "{deleted:?}");
            }
        }
        let differing = self.differing(table, true);
        assert!(differing.is_empty(), "copied items are the same items:\n{}", differing.join("\n"));
    }

    /// How many operations DynamoDB Local did, and how many it refused.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.done, self.refused)
    }

    /// How many differences nothing explains.
    pub(super) fn unexplained(&self) -> u64 {
        self.unexplained.values().sum()
    }

    /// What was done and found, as a table.
    pub(super) fn report(&self) -> String {
        let total: u64 = self.performed.values().sum();
        let mut text =
            format!("{total} operations, {} done and {} refused by Local\n", self.done, self.refused);
        let mut rows = |title: &str, rows: Vec<(String, u64)>| {
            text.push_str(title);
            text.extend(rows.into_iter().map(|(name, count)| format!("\n  {count:>6}  {name}")));
            text.push('\n');
        };
        let named = |map: &BTreeMap<&str, u64>| {
            map.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        rows("operations:", named(&self.performed));
        let reasoned =
            |(name, count): (&&'static str, &u64)| (format!("{name}: {}", known::reason(name)), *count);
        rows("explained differences:", self.explained.iter().map(reasoned).collect());
        rows("messages that differ, by what they are about:", named(&self.words));
        rows("unexplained differences:", self.unexplained.clone().into_iter().collect());
        text
    }
}

/// The items of a plain scan.
fn items(answer: Answer) -> Vec<Json> {
    match answer {
        Answer::Done(page) => page["Items"].as_array().cloned().expect("a scan returns items"),
        Answer::Refused(refusal) => panic!("a plain scan is done: {refusal:?}"),
    }
}

/// The request that deletes this item.
fn delete(table: &TableShape, item: &Json) -> Json {
    let [partition, sort] = [table.partition.name, table.sort.name];
    json!({ "TableName": table.name, "Key": { partition: item[partition], sort: item[sort] } })
}

/// Performs an operation with one store. A query or scan with a limit is read to its end, page by page.
fn run(operation: &Operation, mut call: impl FnMut(&str, &Json) -> Answer) -> Answer {
    if !matches!(operation.name, "Query" | "Scan") {
        return match call(operation.name, &operation.body) {
            Answer::Done(body) if operation.name == "BatchGetItem" => Answer::Done(without_order(body)),
            answer => answer,
        };
    }
    let mut pages: Vec<Json> = Vec::new();
    let mut body = operation.body.clone();
    loop {
        let mut page = match call(operation.name, &body) {
            Answer::Done(page) => page,
            refused @ Answer::Refused(_) => return refused,
        };
        let next = page.as_object_mut().and_then(|page| page.remove("LastEvaluatedKey"));
        pages.push(page);
        match next {
            Some(key) => body["ExclusiveStartKey"] = key,
            None => break,
        }
        assert!(pages.len() < 50, "{} never ends: {}", operation.name, operation.body);
    }
    match operation.body["IndexName"].as_str() {
        _ if operation.name == "Scan" => Answer::Done(merged(pages, None)),
        Some(index) => Answer::Done(merged(pages, sort_key(&operation.body, index))),
        None => Answer::Done(Json::Array(pages)),
    }
}

/// The sort key of an index.
fn sort_key(body: &Json, index: &str) -> Option<&'static str> {
    TableShape::named(body["TableName"].as_str()?)?.index(index)?.sort
}

/// A batch's items in order: the service promises none.
fn without_order(mut body: Json) -> Json {
    if let Some(tables) = body["Responses"].as_object_mut() {
        for items in tables.values_mut() {
            *items = sorted(items.take());
        }
    }
    body
}

/// Pages as one, with the items in no order but that of the sort key: which partition a scan begins with, and which of
/// two items with the same index key comes first, is each store's own affair.
fn merged(pages: Vec<Json>, sort_key: Option<&str>) -> Json {
    let sum = |field: &str| pages.iter().filter_map(|page| page[field].as_u64()).sum::<u64>();
    let items: Vec<Json> =
        pages.iter().filter_map(|page| page["Items"].as_array()).flatten().cloned().collect();
    let order: Vec<&Json> = items.iter().filter_map(|item| item.get(sort_key?)).collect();
    json!({
        "Pages": pages.len(),
        "Count": sum("Count"),
        "ScannedCount": sum("ScannedCount"),
        "Order": order,
        "Items": sorted(Json::Array(items.clone())),
    })
}
