//! Whole operations.

use serde_json::{Value as Json, json};

use super::super::random::Random;
use super::super::tables::{IndexShape, TABLES, TableShape};
use super::expression::{self, Words};
use super::{Operation, legacy, value};

/// Any operation, not yet spoiled.
pub(super) fn random(random: &mut Random) -> Operation {
    let table = &TABLES[if random.percent(65) { 0 } else { 1 }];
    let make = random.weighted::<fn(&mut Random, &TableShape) -> Operation>(&[
        (15, put),
        (26, update),
        (6, delete),
        (6, get),
        (18, query),
        (9, scan),
        (4, batch_get),
        (5, batch_write),
        (12, transact_write),
        (4, transact_get),
    ]);
    make(random, table)
}

/// Whether the parameters from before expressions are used.
fn is_legacy(random: &mut Random) -> bool {
    random.percent(22)
}

fn returns(random: &mut Random, body: &mut Json) {
    if random.percent(60) {
        let choice = random.pick(&["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]);
        body["ReturnValues"] = json!(choice);
    }
}

/// `ReturnValues` of a write that replaces or removes the item: the others are refused.
fn old_returns(random: &mut Random, body: &mut Json) {
    if random.percent(3) {
        returns(random, body);
    } else if random.percent(50) {
        body["ReturnValues"] = json!(random.pick(&["NONE", "ALL_OLD"]));
    }
}

/// A condition, of either kind or none.
fn conditioned(random: &mut Random, table: &TableShape, mut body: Json) -> Json {
    if is_legacy(random) {
        if random.percent(60) {
            legacy::expected(random, table, &mut body);
        }
    } else if random.percent(50) {
        let mut words = Words::default();
        body["ConditionExpression"] = json!(expression::condition(random, &mut words, table, 2));
        words.put_into(&mut body);
    }
    body
}

fn put(random: &mut Random, table: &TableShape) -> Operation {
    let body = json!({ "TableName": table.name, "Item": value::item(random, table) });
    let mut body = conditioned(random, table, body);
    old_returns(random, &mut body);
    Operation { name: "PutItem", body }
}

fn delete(random: &mut Random, table: &TableShape) -> Operation {
    let body = json!({ "TableName": table.name, "Key": value::key(random, table) });
    let mut body = conditioned(random, table, body);
    old_returns(random, &mut body);
    Operation { name: "DeleteItem", body }
}

fn update(random: &mut Random, table: &TableShape) -> Operation {
    let mut body = json!({ "TableName": table.name, "Key": value::key(random, table) });
    if is_legacy(random) {
        if random.percent(95) {
            legacy::attribute_updates(random, table, &mut body);
        }
        if random.percent(40) {
            legacy::expected(random, table, &mut body);
        }
    } else {
        let mut words = Words::default();
        if random.percent(98) {
            body["UpdateExpression"] = json!(expression::update(random, &mut words, table));
        }
        if random.percent(30) {
            body["ConditionExpression"] = json!(expression::condition(random, &mut words, table, 1));
        }
        words.put_into(&mut body);
    }
    returns(random, &mut body);
    Operation { name: "UpdateItem", body }
}

/// A projection, of either kind or none.
fn projected(random: &mut Random, table: &TableShape, mut body: Json) -> Json {
    if is_legacy(random) {
        legacy::attributes_to_get(random, table, &mut body);
    } else if random.percent(50) {
        let mut words = Words::default();
        body["ProjectionExpression"] = json!(expression::projection(random, &mut words, table));
        words.put_into(&mut body);
    }
    body
}

fn get(random: &mut Random, table: &TableShape) -> Operation {
    let body = json!({ "TableName": table.name, "Key": value::key(random, table) });
    let mut body = projected(random, table, body);
    if random.percent(30) {
        body["ConsistentRead"] = json!(random.percent(50));
    }
    Operation { name: "GetItem", body }
}

fn index_of(random: &mut Random, table: &TableShape) -> Option<&'static IndexShape> {
    random.percent(50).then(|| &table.indexes[random.below(table.indexes.len())])
}

fn query(random: &mut Random, table: &TableShape) -> Operation {
    let index = index_of(random, table);
    let mut body = json!({ "TableName": table.name });
    if is_legacy(random) {
        legacy::key_conditions(random, table, index, &mut body);
        if random.percent(40) {
            legacy::filter(random, table, "QueryFilter", &mut body);
        }
        if random.percent(30) {
            legacy::attributes_to_get(random, table, &mut body);
        }
    } else {
        let mut words = Words::default();
        let key_condition = expression::key_condition(random, &mut words, table, index);
        body["KeyConditionExpression"] = json!(key_condition);
        filtered(random, table, &mut words, &mut body);
        words.put_into(&mut body);
    }
    if random.percent(40) {
        body["ScanIndexForward"] = json!(random.percent(30));
    }
    paged(random, index, &mut body);
    // In an index items with the same key are in no certain order, so only its own keys can be gone on from.
    if index.is_none() && body.get("Limit").is_none() && random.percent(15) {
        body["ExclusiveStartKey"] = value::key(random, table);
    }
    Operation { name: "Query", body }
}

fn scan(random: &mut Random, table: &TableShape) -> Operation {
    let index = index_of(random, table);
    let mut body = json!({ "TableName": table.name });
    if is_legacy(random) {
        if random.percent(70) {
            legacy::filter(random, table, "ScanFilter", &mut body);
        }
        if random.percent(30) {
            legacy::attributes_to_get(random, table, &mut body);
        }
    } else {
        let mut words = Words::default();
        filtered(random, table, &mut words, &mut body);
        words.put_into(&mut body);
    }
    paged(random, index, &mut body);
    Operation { name: "Scan", body }
}

fn filtered(random: &mut Random, table: &TableShape, words: &mut Words, body: &mut Json) {
    if random.percent(45) {
        body["FilterExpression"] = json!(expression::condition(random, words, table, 2));
    }
    if random.percent(30) {
        body["ProjectionExpression"] = json!(expression::projection(random, words, table));
    }
}

/// What queries and scans share: the index, the page, what is returned.
fn paged(random: &mut Random, index: Option<&IndexShape>, body: &mut Json) {
    if let Some(index) = index {
        body["IndexName"] = json!(index.name);
    }
    if random.percent(35) {
        body["Limit"] = json!(random.between(1, 5));
    }
    if random.percent(15) {
        let choices = ["ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"];
        body["Select"] = json!(random.pick(&choices));
    }
    if random.percent(15) {
        body["ConsistentRead"] = json!(random.percent(70));
    }
}

/// Up to `most` different keys, rarely one twice.
fn keys(random: &mut Random, table: &TableShape, most: usize) -> Vec<Json> {
    let mut keys: Vec<Json> = Vec::new();
    for _ in 0..random.between(1, most) {
        let key = value::key(random, table);
        if !keys.contains(&key) || random.percent(2) {
            keys.push(key);
        }
    }
    keys
}

/// The first table, and sometimes the other one too.
fn tables(random: &mut Random, table: &TableShape) -> Vec<&'static TableShape> {
    let other = random.percent(25);
    TABLES.iter().filter(|known| known.name == table.name || other).collect()
}

fn batch_get(random: &mut Random, table: &TableShape) -> Operation {
    let mut items = json!({});
    for table in tables(random, table) {
        let request = json!({ "Keys": keys(random, table, 5) });
        items[table.name] = projected(random, table, request);
    }
    Operation { name: "BatchGetItem", body: json!({ "RequestItems": items }) }
}

fn batch_write(random: &mut Random, table: &TableShape) -> Operation {
    let mut items = json!({});
    for table in tables(random, table) {
        let writes = keys(random, table, 5).into_iter().map(|key| {
            if random.percent(35) {
                return json!({ "DeleteRequest": { "Key": key } });
            }
            json!({ "PutRequest": { "Item": with_key(value::item(random, table), &key) } })
        });
        items[table.name] = Json::Array(writes.collect());
    }
    Operation { name: "BatchWriteItem", body: json!({ "RequestItems": items }) }
}

fn with_key(mut item: Json, key: &Json) -> Json {
    for (name, value) in key.as_object().expect("a key is an object") {
        item[name] = value.clone();
    }
    item
}

fn transact_write(random: &mut Random, table: &TableShape) -> Operation {
    let mut writes = Vec::new();
    for table in tables(random, table) {
        for key in keys(random, table, 4) {
            writes.push(transact_one(random, table, key));
        }
    }
    writes.truncate(4);
    Operation { name: "TransactWriteItems", body: json!({ "TransactItems": writes }) }
}

fn transact_one(random: &mut Random, table: &TableShape, key: Json) -> Json {
    let kind = random.weighted(&[(30, "Put"), (40, "Update"), (12, "Delete"), (18, "ConditionCheck")]);
    let mut words = Words::default();
    let mut body = json!({ "TableName": table.name });
    if kind == "Put" {
        body["Item"] = with_key(value::item(random, table), &key);
    } else {
        body["Key"] = key;
    }
    if kind == "Update" {
        body["UpdateExpression"] = json!(expression::update(random, &mut words, table));
    }
    if kind == "ConditionCheck" || random.percent(25) {
        body["ConditionExpression"] = json!(expression::condition(random, &mut words, table, 1));
        if random.percent(30) {
            body["ReturnValuesOnConditionCheckFailure"] = json!(random.pick(&["ALL_OLD", "NONE"]));
        }
    }
    words.put_into(&mut body);
    json!({ kind: body })
}

fn transact_get(random: &mut Random, table: &TableShape) -> Operation {
    let mut gets = Vec::new();
    for table in tables(random, table) {
        for key in keys(random, table, 4) {
            let mut words = Words::default();
            let mut body = json!({ "TableName": table.name, "Key": key });
            if random.percent(40) {
                body["ProjectionExpression"] = json!(expression::projection(random, &mut words, table));
            }
            words.put_into(&mut body);
            gets.push(json!({ "Get": body }));
        }
    }
    Operation { name: "TransactGetItems", body: json!({ "TransactItems": gets }) }
}
