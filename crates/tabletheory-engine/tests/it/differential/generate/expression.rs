//! Expressions as texts, with the names and values that their placeholders stand for.

use serde_json::{Map, Value as Json, json};

use super::super::random::Random;
use super::super::tables::{INDEXED, IndexShape, PLAIN, TableShape};
use super::value::{self, FIELDS};

/// The placeholders of one request while its expressions are written.
#[derive(Debug, Default)]
pub(super) struct Words {
    names: Map<String, Json>,
    values: Map<String, Json>,
}

impl Words {
    /// Puts the maps into the request's body; without placeholders there are none.
    pub(super) fn put_into(self, body: &mut Json) {
        if !self.names.is_empty() {
            body["ExpressionAttributeNames"] = Json::Object(self.names);
        }
        if !self.values.is_empty() {
            body["ExpressionAttributeValues"] = Json::Object(self.values);
        }
    }

    fn value(&mut self, value: Json) -> String {
        if let Some((known, _)) = self.values.iter().find(|(_, known)| **known == value) {
            return known.clone();
        }
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// A name as the text has it: itself, or a placeholder where it must be or may be one.
    fn name(&mut self, random: &mut Random, name: &str) -> String {
        let needs_placeholder = matches!(name, "status" | "size" | "c.d");
        // A reserved word without a placeholder is an error; a dotted name then is a path of two steps.
        let plain = if needs_placeholder { random.percent(2) } else { random.percent(70) };
        if plain {
            return name.to_owned();
        }
        let placeholder = format!("#{}", name.replace('.', "_"));
        self.names.insert(placeholder.clone(), json!(name));
        placeholder
    }
}

/// The name of any attribute of the table.
pub(super) fn attribute_name(random: &mut Random, table: &TableShape) -> &'static str {
    match random.below(20) {
        0..13 => PLAIN[random.below(PLAIN.len())],
        13..17 => INDEXED[random.below(INDEXED.len())].name,
        17..19 => table.sort.name,
        _ => table.partition.name,
    }
}

fn changed_name(random: &mut Random, table: &TableShape) -> &'static str {
    if random.percent(97) {
        let names = [PLAIN[0], PLAIN[1], PLAIN[2], PLAIN[3], PLAIN[4], INDEXED[0].name, INDEXED[1].name];
        names[random.below(names.len())]
    } else {
        attribute_name(random, table)
    }
}

/// A document path that starts at `name`.
fn path(random: &mut Random, words: &mut Words, name: &'static str) -> String {
    let mut text = words.name(random, name);
    let steps = match name {
        "status" | "size" => random.weighted(&[(40, 0), (45, 1), (15, 2)]),
        _ => random.weighted(&[(92, 0), (6, 1), (2, 2)]),
    };
    for step in 0..steps {
        let index = if name == "size" && step == 0 { random.percent(10) } else { random.percent(70) };
        if index {
            text.push_str(&format!("[{}]", random.below(4)));
        } else {
            let field = FIELDS[random.below(FIELDS.len())];
            text.push('.');
            text.push_str(&words.name(random, field));
        }
    }
    text
}

fn any_path(random: &mut Random, words: &mut Words, table: &TableShape) -> String {
    let name = attribute_name(random, table);
    path(random, words, name)
}

/// A value like those that the attribute has.
fn literal(random: &mut Random, words: &mut Words, table: &TableShape, name: &str) -> String {
    let is_key = [table.partition.name, table.sort.name, INDEXED[0].name, INDEXED[1].name].contains(&name);
    let value = if is_key && random.percent(90) {
        value::of_key(random, table.key(name))
    } else {
        value::attribute(random, name)
    };
    words.value(value)
}

fn operand(random: &mut Random, words: &mut Words, table: &TableShape, name: &'static str) -> String {
    match random.below(20) {
        0..4 => any_path(random, words, table),
        4 | 5 => format!("size({})", any_path(random, words, table)),
        _ => literal(random, words, table, name),
    }
}

/// A condition or filter. `depth` bounds how it is nested.
pub(super) fn condition(random: &mut Random, words: &mut Words, table: &TableShape, depth: usize) -> String {
    if depth > 0 && random.percent(45) {
        let mut inner = |random: &mut Random| condition(random, words, table, depth - 1);
        return match random.below(5) {
            0 | 1 => format!("{} AND {}", inner(random), inner(random)),
            2 => format!("{} OR {}", inner(random), inner(random)),
            3 => format!("NOT {}", inner(random)),
            _ => format!("({})", inner(random)),
        };
    }
    let name = attribute_name(random, table);
    match random.below(20) {
        0..7 => {
            let left = if random.percent(8) {
                operand(random, words, table, name)
            } else {
                path(random, words, name)
            };
            let comparator = random.pick(&["=", "<>", "<", "<=", ">", ">="]);
            format!("{left} {comparator} {}", operand(random, words, table, name))
        }
        7 => {
            let sized = path(random, words, name);
            let number = words.value(json!({"N": random.pick(&["0", "1", "2", "3"])}));
            format!("size({sized}) {} {number}", random.pick(&["=", "<", ">="]))
        }
        8 | 9 => {
            let left = path(random, words, name);
            let low = operand(random, words, table, name);
            format!("{left} BETWEEN {low} AND {}", operand(random, words, table, name))
        }
        10 | 11 => {
            let left = path(random, words, name);
            let count = random.between(1, 3);
            let choices: Vec<String> = (0..count).map(|_| operand(random, words, table, name)).collect();
            format!("{left} IN ({})", choices.join(", "))
        }
        _ => function(random, words, table, name),
    }
}

fn function(random: &mut Random, words: &mut Words, table: &TableShape, name: &'static str) -> String {
    let path = path(random, words, name);
    match random.below(10) {
        0..3 => format!("attribute_exists({path})"),
        3..5 => format!("attribute_not_exists({path})"),
        5 => {
            let kind = if random.percent(97) {
                random.pick(&["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"])
            } else {
                "X"
            };
            let kind = words.value(json!({ "S": kind }));
            format!("attribute_type({path}, {kind})")
        }
        6 | 7 => {
            let prefix = if random.percent(85) {
                let kind = random.pick(&["S", "B"]);
                words.value(value::of_kind(random, kind, 0))
            } else {
                operand(random, words, table, name)
            };
            format!("begins_with({path}, {prefix})")
        }
        _ => {
            let member = if random.percent(75) {
                let kind = random.pick(&["S", "N", "B"]);
                words.value(value::of_kind(random, kind, 0))
            } else {
                operand(random, words, table, name)
            };
            format!("contains({path}, {member})")
        }
    }
}

/// A list of one to three paths.
pub(super) fn projection(random: &mut Random, words: &mut Words, table: &TableShape) -> String {
    let count = random.between(1, 3);
    let paths: Vec<String> = (0..count).map(|_| any_path(random, words, table)).collect();
    paths.join(", ")
}

/// An update of one to three clauses.
pub(super) fn update(random: &mut Random, words: &mut Words, table: &TableShape) -> String {
    let clauses = random.weighted(&[(65, 1), (25, 2), (10, 3)]);
    let mut verbs: Vec<&str> = Vec::new();
    while verbs.len() < clauses {
        let verb = random.weighted(&[(60, "SET"), (20, "REMOVE"), (15, "ADD"), (10, "DELETE")]);
        // The same clause twice is an error.
        if !verbs.contains(&verb) || random.percent(1) {
            verbs.push(verb);
        }
    }
    let clauses: Vec<String> = verbs.into_iter().map(|verb| clause(random, words, table, verb)).collect();
    clauses.join(" ")
}

fn clause(random: &mut Random, words: &mut Words, table: &TableShape, verb: &str) -> String {
    let count = random.weighted(&[(60, 1), (30, 2), (10, 3)]);
    let actions: Vec<String> = (0..count)
        .map(|_| match verb {
            "SET" => assignment(random, words, table),
            "REMOVE" => {
                let name = changed_name(random, table);
                path(random, words, name)
            }
            "ADD" => {
                let (name, kind) = random.weighted(&[
                    (6, ("a", "N")),
                    (2, ("c.d", "SS")),
                    (2, ("c.d", "NS")),
                    (1, ("n", "N")),
                ]);
                change(random, words, name, kind)
            }
            _ => {
                let kind = random.pick(&["SS", "NS", "BS"]);
                change(random, words, "c.d", kind)
            }
        })
        .collect();
    format!("{verb} {}", actions.join(", "))
}

/// An action of `ADD` or `DELETE`.
fn change(random: &mut Random, words: &mut Words, name: &'static str, kind: &str) -> String {
    let name = if random.percent(90) { name } else { PLAIN[random.below(PLAIN.len())] };
    let target = path(random, words, name);
    let value = if random.percent(95) { value::of_kind(random, kind, 1) } else { value::any(random, 1) };
    format!("{target} {}", words.value(value))
}

fn assignment(random: &mut Random, words: &mut Words, table: &TableShape) -> String {
    let name = changed_name(random, table);
    let target = path(random, words, name);
    let value = match random.below(10) {
        0 | 1 => {
            let sign = random.pick(&["+", "-"]);
            let left = term(random, words, table, "a", "N");
            format!("{left} {sign} {}", term(random, words, table, "a", "N"))
        }
        2 => {
            let first = term(random, words, table, "status", "L");
            format!("list_append({first}, {})", term(random, words, table, "status", "L"))
        }
        3 => {
            let checked = path(random, words, name);
            format!("if_not_exists({checked}, {})", literal(random, words, table, name))
        }
        4 => any_path(random, words, table),
        _ => literal(random, words, table, name),
    };
    format!("{target} = {value}")
}

/// Something that is mostly of the type that a sign or function takes.
fn term(
    random: &mut Random,
    words: &mut Words,
    table: &TableShape,
    name: &'static str,
    kind: &str,
) -> String {
    match random.below(20) {
        0..7 => words.name(random, name),
        7 => any_path(random, words, table),
        8..11 => {
            let checked = words.name(random, name);
            let otherwise = value::of_kind(random, kind, 1);
            format!("if_not_exists({checked}, {})", words.value(otherwise))
        }
        11 => literal(random, words, table, name),
        _ => words.value(value::of_kind(random, kind, 1)),
    }
}

/// The key condition of a query on the table or on an index.
pub(super) fn key_condition(
    random: &mut Random,
    words: &mut Words,
    table: &TableShape,
    index: Option<&IndexShape>,
) -> String {
    let partition = index.map_or(table.partition.name, |index| index.partition);
    let sort = index.map_or(Some(table.sort.name), |index| index.sort);
    let mut parts = vec![];
    if !random.permille(10) {
        let comparator = if random.permille(15) { "<" } else { "=" };
        let value = key_literal(random, words, table, partition);
        let name = words.name(random, partition);
        let text = if random.permille(50) {
            format!("{value} {comparator} {name}")
        } else {
            format!("{name} {comparator} {value}")
        };
        parts.push(text);
    }
    if let Some(sort) = sort
        && random.percent(60)
    {
        parts.push(sort_condition(random, words, table, sort));
    }
    if random.permille(15) || parts.is_empty() {
        let other = attribute_name(random, table);
        parts.push(sort_condition(random, words, table, other));
    }
    if random.percent(20) {
        parts.reverse();
    }
    let joined = parts.join(if random.permille(10) { " OR " } else { " AND " });
    if random.percent(5) { format!("({joined})") } else { joined }
}

fn sort_condition(random: &mut Random, words: &mut Words, table: &TableShape, name: &'static str) -> String {
    let text = words.name(random, name);
    match random.below(20) {
        0..3 => {
            let low = key_literal(random, words, table, name);
            format!("{text} BETWEEN {low} AND {}", key_literal(random, words, table, name))
        }
        3..6 => format!("begins_with({text}, {})", key_literal(random, words, table, name)),
        other => {
            let comparator = if other == 19 { "<>" } else { random.pick(&["=", "<", "<=", ">", ">="]) };
            format!("{text} {comparator} {}", key_literal(random, words, table, name))
        }
    }
}

fn key_literal(random: &mut Random, words: &mut Words, table: &TableShape, name: &str) -> String {
    let is_key = [table.partition.name, table.sort.name, INDEXED[0].name, INDEXED[1].name].contains(&name);
    let value = if !is_key || random.permille(15) {
        value::any(random, 1)
    } else if random.percent(85) {
        value::of_key(random, table.key(name))
    } else {
        value::of_kind(random, table.key(name).kind, 0)
    };
    words.value(value)
}
