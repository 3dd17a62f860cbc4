//! Requests broken on purpose: a sensible request with one thing wrong.

use serde_json::{Map, Value as Json, json};

use super::super::random::Random;
use super::{Operation, value};

/// Breaks one thing, if the request has what it takes.
pub(super) fn spoil(random: &mut Random, operation: &mut Operation) {
    let body = part(random, operation);
    let spoilers: [fn(&mut Random, &mut Json); 8] =
        [names, values, expression, key, key, table, parameter, mixture];
    spoilers[random.below(spoilers.len())](random, body);
}

/// The part of the request that has keys, expressions and placeholders: one of many in a batch or transaction.
fn part<'o>(random: &mut Random, operation: &'o mut Operation) -> &'o mut Json {
    let body = &mut operation.body;
    if let Some(items) = body.get("TransactItems").and_then(Json::as_array) {
        let at = random.below(items.len());
        return only(&mut body["TransactItems"][at]);
    }
    if body.get("RequestItems").is_none() {
        return body;
    }
    let tables = body["RequestItems"].as_object_mut().expect("an object of tables");
    match tables.values_mut().next().expect("there is a table") {
        Json::Array(writes) => {
            let at = random.below(writes.len());
            only(&mut writes[at])
        }
        keys => keys,
    }
}

/// The content of an object with one field.
fn only(object: &mut Json) -> &mut Json {
    object.as_object_mut().and_then(|fields| fields.values_mut().next()).expect("an object with one field")
}

const EXPRESSIONS: [&str; 5] = [
    "ConditionExpression",
    "UpdateExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
];

fn names(random: &mut Random, body: &mut Json) {
    match random.below(6) {
        0 => body["ExpressionAttributeNames"] = json!({}),
        1 => drop_one(random, &mut body["ExpressionAttributeNames"]),
        2 => add(body, "ExpressionAttributeNames", "#unused", json!("a")),
        3 => add(body, "ExpressionAttributeNames", "unmarked", json!("a")),
        4 => add(body, "ExpressionAttributeNames", "#", json!("a")),
        _ => add(body, "ExpressionAttributeNames", "#empty", json!("")),
    }
    drop_null(body, "ExpressionAttributeNames");
}

fn values(random: &mut Random, body: &mut Json) {
    match random.below(6) {
        0 => body["ExpressionAttributeValues"] = json!({}),
        1 => drop_one(random, &mut body["ExpressionAttributeValues"]),
        2 => add(body, "ExpressionAttributeValues", ":unused", json!({"S": "a"})),
        3 => add(body, "ExpressionAttributeValues", "unmarked", json!({"S": "a"})),
        4 => add(body, "ExpressionAttributeValues", ":v0", json!({"N": "12x"})),
        _ => add(body, "ExpressionAttributeValues", ":v0", json!({"SS": []})),
    }
    drop_null(body, "ExpressionAttributeValues");
}

fn add(body: &mut Json, map: &str, name: &str, content: Json) {
    if body[map].is_null() {
        body[map] = json!({});
    }
    body[map][name] = content;
}

fn drop_one(random: &mut Random, map: &mut Json) {
    if let Some(map) = map.as_object_mut().filter(|map| !map.is_empty()) {
        let name = map.keys().nth(random.below(map.len())).cloned().expect("below the length");
        map.remove(&name);
    }
}

/// Looking at a field makes it; the service would read it as absent, and so should the reader of a failure.
fn drop_null(body: &mut Json, name: &str) {
    if let Some(fields) = body.as_object_mut()
        && fields.get(name).is_some_and(Json::is_null)
    {
        fields.remove(name);
    }
}

fn expression(random: &mut Random, body: &mut Json) {
    let present: Vec<&str> = EXPRESSIONS.into_iter().filter(|name| body.get(*name).is_some()).collect();
    if present.is_empty() {
        return;
    }
    let name = present[random.below(present.len())];
    let text = body[name].as_str().unwrap_or_default().to_owned();
    let spoiled = match random.below(16) {
        0 => String::new(),
        1 => format!("{text} AND"),
        2 => format!("({text}"),
        3 => format!("{text})"),
        4 => text.replacen(' ', "  \t\n ", 1),
        5 => text.to_lowercase(),
        6 => format!("{text} {text}"),
        7 => text.replacen("attribute_", "attr_", 1),
        8 => text.replacen(", ", " ", 1),
        9 => text.replacen(')', ", a)", 1),
        10 => text.replacen('=', "==", 1),
        11 => text.replacen(':', "", 1),
        12 => text.replacen('[', "[-", 1),
        13 => format!("{text}, a"),
        14 => text.replacen('#', "$", 1),
        _ => format!("  {text}  "),
    };
    body[name] = json!(spoiled);
}

fn key(random: &mut Random, body: &mut Json) {
    let fields = ["Key", "Item", "ExclusiveStartKey", "Keys"];
    let Some(field) = fields.into_iter().find(|field| body.get(*field).is_some()) else {
        return;
    };
    let key = if field == "Keys" { &mut body[field][0] } else { &mut body[field] };
    let names: Vec<String> = ["pk", "sk", "h", "r"]
        .into_iter()
        .filter(|name| key.get(*name).is_some())
        .map(String::from)
        .collect();
    let name = &names[random.below(names.len())];
    match random.below(6) {
        0 => {
            key.as_object_mut().expect("keys are objects").remove(name);
        }
        1 => key[name] = value::any(random, 1),
        2 => key[name] = json!({"S": ""}),
        3 => key["other"] = json!({"S": "a"}),
        4 => {
            let kind = key[name].as_object().and_then(|value| value.keys().next()).cloned();
            key[name] = match kind.as_deref() {
                Some("S") => json!({"S": "k".repeat(random.pick(&[&1024, &1025, &2048, &2049]).to_owned())}),
                Some("B") => json!({"B": "AAAA".repeat(random.pick(&[&682, &683]).to_owned())}),
                _ => json!({"N": "1E200"}),
            };
        }
        _ => *key = Json::Object(Map::new()),
    }
}

fn table(random: &mut Random, body: &mut Json) {
    if body.get("TableName").is_none() {
        return;
    }
    if random.percent(50) {
        body["TableName"] = json!("nowhere");
    } else {
        body["IndexName"] = json!("no-index");
    }
}

fn parameter(random: &mut Random, body: &mut Json) {
    if body.get("TableName").is_none() {
        return;
    }
    match random.below(5) {
        0 => body["Limit"] = json!(0),
        1 => body["ExclusiveStartKey"] = json!({"a": {"S": "a"}}),
        2 => body["ReturnValues"] = json!("UPDATED_NEW"),
        3 => body["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD"),
        _ => {
            let huge = "v".repeat(400 * 1024);
            match body.get_mut("Item") {
                Some(item) => item["a"] = json!({ "S": huge }),
                None => body["Segment"] = json!(1),
            }
        }
    }
}

/// Parameters of both kinds in one request.
fn mixture(random: &mut Random, body: &mut Json) {
    match random.below(4) {
        0 => body["ConditionalOperator"] = json!("OR"),
        1 => body["AttributesToGet"] = json!(["a"]),
        2 => body["Expected"] = json!({"a": {"Exists": false}}),
        _ => body["FilterExpression"] = json!("attribute_exists(a)"),
    }
}
