//! Values of all ten types, with the corners of each, in few enough variants that they meet.

use serde_json::{Map, Value as Json, json};

use super::super::random::Random;
use super::super::tables::{Key, PLAIN, TableShape};

const STRINGS: [&str; 9] = ["a", "ab", "abc", "b", "é", "z", "0", "with space", "\u{10FFFF}"];
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "10",
    "7.5",
    "-0.5",
    "1e2",
    "1E-3",
    "-2.50",
    "007",
    "+3",
    "-0",
    "12345678901234567890123456789012345678",
    "99999999999999999999999999999999999999",
    "0.12345678901234567890123456789012345678",
    "1E125",
    "-9.9999999999999999999999999999999999999E125",
    "1E-130",
    "-1E-130",
    "100000000000000000000000000000000000000000",
];
/// Texts that are no numbers of the service: not a number, too many digits, too large, too small.
const NO_NUMBERS: [&str; 10] = [
    "",
    "abc",
    "1a",
    "--1",
    "1e",
    "123456789012345678901234567890123456789",
    "1E126",
    "-1E126",
    "1E-131",
    "0x10",
];
const BYTES: [&str; 4] = ["AA==", "AAE=", "/w==", "YWI="];
const KINDS: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"];
/// Names inside maps.
pub(super) const FIELDS: [&str; 4] = ["x", "y", "status", "a"];

/// A value that an attribute of this name would have: mostly of the type this test likes there.
pub(super) fn attribute(random: &mut Random, name: &str) -> Json {
    if random.percent(25) {
        return any(random, 2);
    }
    match name {
        "a" => of_kind(random, "N", 2),
        "b" => of_kind(random, "S", 2),
        "status" => of_kind(random, "L", 2),
        "size" => of_kind(random, "M", 2),
        "c.d" => {
            let kind = random.pick(&["SS", "NS", "BS"]);
            of_kind(random, kind, 2)
        }
        _ => any(random, 2),
    }
}

/// A value of any type.
pub(super) fn any(random: &mut Random, depth: usize) -> Json {
    let kind = KINDS[random.below(KINDS.len())];
    of_kind(random, kind, depth)
}

/// A value of this type. A few in a thousand are hostile: empty, or no number.
pub(super) fn of_kind(random: &mut Random, kind: &str, depth: usize) -> Json {
    let content = match kind {
        "S" => string(random),
        "N" => number(random),
        "B" => bytes(random),
        "BOOL" => Json::Bool(random.percent(50)),
        "NULL" => Json::Bool(true),
        "L" => list(random, depth),
        "M" => map(random, depth),
        "SS" => set(random, &STRINGS),
        // The number set writes no number twice, not even in two ways.
        "NS" => set(random, &NUMBERS[..10]),
        "BS" => set(random, &BYTES),
        other => unreachable!("{other} is no type"),
    };
    json!({ kind: content })
}

fn string(random: &mut Random) -> Json {
    if random.permille(8) { json!("") } else { json!(random.pick(&STRINGS)) }
}

fn number(random: &mut Random) -> Json {
    if random.permille(8) {
        json!(random.pick(&NO_NUMBERS))
    } else if random.percent(60) {
        json!(random.pick(&NUMBERS[..8]))
    } else {
        json!(random.pick(&NUMBERS))
    }
}

fn bytes(random: &mut Random) -> Json {
    if random.permille(8) { json!("") } else { json!(random.pick(&BYTES)) }
}

fn list(random: &mut Random, depth: usize) -> Json {
    let length = if depth == 0 { 0 } else { random.below(4) };
    Json::Array((0..length).map(|_| any(random, depth - 1)).collect())
}

fn map(random: &mut Random, depth: usize) -> Json {
    let mut fields = Map::new();
    if depth > 0 {
        for name in FIELDS {
            if random.percent(40) {
                fields.insert(name.to_owned(), any(random, depth - 1));
            }
        }
    }
    Json::Object(fields)
}

fn set(random: &mut Random, members: &[&str]) -> Json {
    if random.permille(10) {
        return json!([]);
    }
    let count = random.between(1, 3);
    let mut chosen: Vec<&str> = Vec::new();
    for _ in 0..count {
        let member = random.pick(members);
        // Twice the same member is refused, and rare enough to be asked for sometimes.
        if !chosen.contains(&member) || random.permille(15) {
            chosen.push(member);
        }
    }
    json!(chosen)
}

/// A value of a key attribute.
pub(super) fn of_key(random: &mut Random, key: Key) -> Json {
    json!({ key.kind: random.pick(key.values) })
}

/// A key of the table.
pub(super) fn key(random: &mut Random, table: &TableShape) -> Json {
    json!({
        table.partition.name: of_key(random, table.partition),
        table.sort.name: of_key(random, table.sort),
    })
}

/// An item of the table.
pub(super) fn item(random: &mut Random, table: &TableShape) -> Json {
    let mut item = key(random, table);
    for name in PLAIN {
        if random.percent(50) {
            item[name] = attribute(random, name);
        }
    }
    for key in super::super::tables::INDEXED {
        if random.percent(60) {
            // An index key of the wrong type refuses the item.
            item[key.name] = if random.percent(97) { of_key(random, key) } else { any(random, 1) };
        }
    }
    item
}
