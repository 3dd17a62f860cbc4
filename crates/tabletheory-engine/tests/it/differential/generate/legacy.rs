//! The parameters that expressions replaced.

use serde_json::{Map, Value as Json, json};

use super::super::random::Random;
use super::super::tables::{INDEXED, IndexShape, PLAIN, TableShape};
use super::expression::attribute_name;
use super::value;

const OPERATORS: [&str; 13] = [
    "EQ",
    "NE",
    "LE",
    "LT",
    "GE",
    "GT",
    "NOT_NULL",
    "NULL",
    "CONTAINS",
    "NOT_CONTAINS",
    "BEGINS_WITH",
    "IN",
    "BETWEEN",
];

/// `Expected`, with `ConditionalOperator` sometimes.
pub(super) fn expected(random: &mut Random, table: &TableShape, body: &mut Json) {
    let mut expected = Map::new();
    for _ in 0..random.between(1, 2) {
        let name = attribute_name(random, table);
        let condition = match random.below(5) {
            0 => json!({ "Exists": false }),
            1 => json!({ "Value": value_of(random, table, name) }),
            2 => json!({ "Exists": random.percent(90), "Value": value_of(random, table, name) }),
            _ => comparison(random, table, name),
        };
        expected.insert(name.to_owned(), condition);
    }
    conditional_operator(random, expected.len(), body);
    body["Expected"] = Json::Object(expected);
}

/// `QueryFilter` or `ScanFilter`, with `ConditionalOperator` sometimes.
pub(super) fn filter(random: &mut Random, table: &TableShape, parameter: &str, body: &mut Json) {
    let mut filter = Map::new();
    for _ in 0..random.between(1, 2) {
        let name = attribute_name(random, table);
        filter.insert(name.to_owned(), comparison(random, table, name));
    }
    conditional_operator(random, filter.len(), body);
    body[parameter] = Json::Object(filter);
}

fn conditional_operator(random: &mut Random, conditions: usize, body: &mut Json) {
    // With fewer than two conditions there is nothing to join, and the service says so.
    if random.percent(if conditions > 1 { 60 } else { 3 }) {
        body["ConditionalOperator"] = json!(random.pick(&["AND", "OR"]));
    }
}

fn comparison(random: &mut Random, table: &TableShape, name: &str) -> Json {
    let operator = OPERATORS[random.below(OPERATORS.len())];
    let count = match operator {
        _ if random.percent(2) => random.below(4),
        "NOT_NULL" | "NULL" => 0,
        "IN" => random.between(1, 3),
        "BETWEEN" => 2,
        _ => 1,
    };
    let first = value_of(random, table, name);
    let kind = first.as_object().and_then(|value| value.keys().next()).cloned().expect("a value has a type");
    let mut values: Vec<Json> = Vec::new();
    for at in 0..count {
        values.push(match at {
            0 if operator == "CONTAINS" || operator == "NOT_CONTAINS" => {
                let kind = random.pick(&["S", "N", "B"]);
                value::of_kind(random, kind, 0)
            }
            0 => first.clone(),
            _ if random.percent(95) => value::of_kind(random, &kind, 1),
            _ => value::any(random, 1),
        });
    }
    let mut condition = json!({ "ComparisonOperator": operator });
    if !values.is_empty() || random.percent(10) {
        condition["AttributeValueList"] = Json::Array(values);
    }
    condition
}

fn value_of(random: &mut Random, table: &TableShape, name: &str) -> Json {
    if PLAIN.contains(&name) {
        value::attribute(random, name)
    } else {
        value::of_key(random, table.key(name))
    }
}

/// `AttributeUpdates`.
pub(super) fn attribute_updates(random: &mut Random, table: &TableShape, body: &mut Json) {
    let mut updates = Map::new();
    for _ in 0..random.between(1, 3) {
        let name = match random.below(20) {
            0 => attribute_name(random, table),
            1..4 => INDEXED[random.below(INDEXED.len())].name,
            _ => PLAIN[random.below(PLAIN.len())],
        };
        let update = match random.below(10) {
            0..4 => json!({ "Action": "PUT", "Value": value_of(random, table, name) }),
            4 => json!({ "Value": value_of(random, table, name) }),
            5..8 => json!({ "Action": "ADD", "Value": value_of(random, table, name) }),
            8 => json!({ "Action": "DELETE" }),
            _ => {
                json!({ "Action": random.pick(&["DELETE", "DELETE", "DELETE", "PUT"]), "Value": value_of(random, table, name) })
            }
        };
        updates.insert(name.to_owned(), update);
    }
    if random.percent(2)
        && let Some(update) = updates.values_mut().next().and_then(Json::as_object_mut)
    {
        update.remove("Value");
    }
    body["AttributeUpdates"] = Json::Object(updates);
}

/// `KeyConditions`.
pub(super) fn key_conditions(
    random: &mut Random,
    table: &TableShape,
    index: Option<&IndexShape>,
    body: &mut Json,
) {
    let partition = index.map_or(table.partition.name, |index| index.partition);
    let sort = index.map_or(Some(table.sort.name), |index| index.sort);
    let mut conditions = Map::new();
    let operator = if random.percent(98) { "EQ" } else { "GT" };
    let value = value_of(random, table, partition);
    let condition = json!({ "ComparisonOperator": operator, "AttributeValueList": [value] });
    conditions.insert(partition.to_owned(), condition);
    if let Some(sort) = sort
        && random.percent(50)
    {
        conditions.insert(sort.to_owned(), key_comparison(random, table, sort));
    }
    if random.percent(2) {
        let name = attribute_name(random, table);
        conditions.insert(name.to_owned(), comparison(random, table, name));
    }
    body["KeyConditions"] = Json::Object(conditions);
}

fn key_comparison(random: &mut Random, table: &TableShape, name: &str) -> Json {
    if random.percent(5) {
        return comparison(random, table, name);
    }
    let operator = random.pick(&["EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"]);
    let count = if operator == "BETWEEN" { 2 } else { 1 };
    let values: Vec<Json> = (0..count).map(|_| value::of_key(random, table.key(name))).collect();
    json!({ "ComparisonOperator": operator, "AttributeValueList": values })
}

/// `AttributesToGet`.
pub(super) fn attributes_to_get(random: &mut Random, table: &TableShape, body: &mut Json) {
    let count = random.between(1, 3);
    let names: Vec<&str> = (0..count).map(|_| attribute_name(random, table)).collect();
    body["AttributesToGet"] = json!(names);
}
