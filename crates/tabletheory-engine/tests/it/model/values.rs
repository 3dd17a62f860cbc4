//! Random keys, items and expressions. The worlds they come from are small, so that requests meet each other.

use std::collections::BTreeSet;

use tabletheory_core::expr::{
    Action, Comparator, Condition, Operand, Path, ProjectionExpression, SetOperand, SetValue, Update,
};
use tabletheory_core::schema::KeyType;
use tabletheory_core::{Item, Number, Timestamp, Value, ValueType};

use super::definitions;
use super::dice::Dice;

/// Attributes that items may have besides their keys.
const ATTRIBUTES: [&str; 9] =
    ["g", "rank", "label", "color", "hits", "tags", "list", "map", definitions::TTL];

impl Dice {
    fn text(&mut self, choices: &[&str]) -> Value {
        Value::s(*self.pick(choices))
    }

    fn number(&mut self) -> Value {
        const ODD: [&str; 6] =
            ["1.5", "-0.001", "1E+30", "99999999999999999999999999999999999999", "-7E-20", "-12"];
        if self.chance(25) {
            Value::N(self.pick(&ODD).parse::<Number>().expect("these are numbers"))
        } else {
            Value::n(self.between(-3, 40))
        }
    }

    /// A value for a key attribute of a table.
    pub(crate) fn key_value(&mut self, kind: KeyType, hash: bool) -> Value {
        const PARTITIONS: [&str; 6] = ["a", "a\0", "a\0b", "b", "ä", "\u{10ffff}"];
        const WORDS: [&str; 10] = ["a", "a\0", "a\0\0", "a\0b", "ab", "abc", "b", "zz", "ä", "\u{10ffff}"];
        const BYTES: [&[u8]; 7] = [&[0], &[0, 0], &[0, 255], &[1], &[1, 0], &[255], &[255, 255]];
        match kind {
            KeyType::S if hash => self.text(&PARTITIONS),
            KeyType::S if self.chance(70) => Value::s(format!("w{:02}", self.below(50))),
            KeyType::S => self.text(&WORDS),
            KeyType::N => self.number(),
            KeyType::B => Value::B(self.pick(&BYTES).to_vec()),
        }
    }

    /// A key of the table called `name`, good or, rarely, bad.
    pub(crate) fn key(&mut self, name: &str) -> Item {
        let definition = definitions::table(name);
        let mut key = Item::new();
        for part in &definition.keys {
            let kind = definition.attributes.iter().find(|known| known.name == part.name).unwrap().kind;
            key.insert(part.name.clone(), self.key_value(kind, part.name == "pk"));
        }
        if self.chance(1) {
            match self.below(4) {
                0 => drop(key.remove("pk")),
                1 => drop(key.insert("sk", true)),
                2 => drop(key.insert("pk", "")),
                _ => drop(key.insert("more", 1)),
            }
        }
        key
    }

    /// A value for one of [`ATTRIBUTES`].
    pub(crate) fn attribute(&mut self, name: &str, now: Timestamp) -> Value {
        match name {
            "g" => self.text(&["red", "green", "blue"]),
            "rank" => self.number(),
            "label" if self.below(300) == 0 => Value::s("l".repeat(1025)),
            "label" if self.chance(1) => Value::s(""),
            "label" => self.text(&["l", "l\0", "la", "lb", "m"]),
            "color" => match self.below(60) {
                0 => Value::n(7),
                1 => Value::s(""),
                2 => Value::Bool(true),
                _ => self.text(&["red", "pink", "grey"]),
            },
            "hits" => Value::n(self.between(0, 9)),
            "tags" => Value::Ss(self.tags()),
            "list" => Value::L(vec![Value::n(self.between(0, 9)); self.index(4)]),
            "map" => Value::M(Item::from([("a", self.number()), ("b", Value::Null)])),
            "until" => self.end(now),
            other => unreachable!("there is no attribute {other}"),
        }
    }

    fn tags(&mut self) -> BTreeSet<String> {
        self.some(&["t", "u", "v"], 1, 3).into_iter().map(|tag| (*tag).to_owned()).collect()
    }

    /// When an item ends: soon, just now, never because it is too long ago or no time at all.
    fn end(&mut self, now: Timestamp) -> Value {
        match self.below(10) {
            0 => Value::n(now.seconds() - 6 * 365 * 24 * 3600),
            1 => Value::s("never"),
            2 => Value::n(now.seconds()),
            _ => Value::n(now.seconds() + self.between(-60, 900)),
        }
    }

    /// An item of the table called `name`.
    pub(crate) fn item(&mut self, name: &str, now: Timestamp, heavy: bool) -> Item {
        let mut item = self.key(name);
        for attribute in ATTRIBUTES {
            if self.chance(if attribute == definitions::TTL { 20 } else { 65 }) {
                item.insert(attribute, self.attribute(attribute, now));
            }
        }
        // Large items stay in one partition, so that a few of them fill a page.
        if heavy && item.get("pk") == Some(&Value::s("b")) && self.chance(90) {
            item.insert("body", Value::B(vec![7; 200_000 + self.index(150_000)]));
        }
        item
    }

    pub(crate) fn condition(&mut self) -> Condition {
        let path = |name: &str| Operand::Path(Path::attribute(name));
        match self.below(14) {
            0 | 1 => Condition::AttributeExists("pk".into()),
            2 => Condition::AttributeNotExists("pk".into()),
            3 => Condition::AttributeExists((*self.pick(&ATTRIBUTES)).into()),
            4 => Condition::AttributeNotExists((*self.pick(&ATTRIBUTES)).into()),
            5 | 6 => {
                let comparators = [Comparator::Lt, Comparator::Ge, Comparator::Ne];
                Condition::Compare(
                    path("hits"),
                    *self.pick(&comparators),
                    Value::n(self.between(2, 7)).into(),
                )
            }
            7 => Condition::Between(path("rank"), Value::n(0).into(), Value::n(self.between(1, 15)).into()),
            8 => Condition::In(path("g"), vec![Value::s("red").into(), Value::s("blue").into()]),
            9 => Condition::BeginsWith(path("label"), Value::s("l").into()),
            10 => Condition::Contains(path("tags"), Value::s("t").into()),
            11 => {
                let size = Operand::Size(Box::new(path("list")));
                Condition::Compare(size, Comparator::Gt, Value::n(1).into())
            }
            12 => Condition::AttributeType("color".into(), Value::s(ValueType::S.name()).into()),
            _ => {
                let (left, right) = (self.condition(), self.condition());
                match self.below(3) {
                    0 => left.and(right),
                    1 => left.or(right),
                    _ => !left,
                }
            }
        }
    }

    pub(crate) fn update(&mut self, now: Timestamp) -> Update {
        let names = self.some(&ATTRIBUTES, 1, 4);
        let mut actions: Vec<Action> = names.into_iter().map(|name| self.action(name, now)).collect();
        if self.below(200) == 0 {
            actions.push(Action::Remove("pk".into()));
        }
        Update { actions }
    }

    fn action(&mut self, name: &str, now: Timestamp) -> Action {
        let path = Path::attribute(name);
        let own = SetOperand::Path(path.clone());
        let or =
            |value: Value| SetOperand::IfNotExists(Path::attribute(name), Box::new(SetOperand::Value(value)));
        let one = || SetOperand::Value(Value::n(1));
        match (name, self.below(8)) {
            ("hits", 0) => Action::Set(path, SetValue::Plus(own, one())),
            ("hits", 1) => Action::Set(path, SetValue::Operand(SetOperand::Path("rank".into()))),
            ("hits" | "rank", 2) => Action::Set(path, SetValue::Minus(or(Value::n(5)), one())),
            ("hits" | "rank", 3 | 4) => Action::Add(path, Value::n(1)),
            ("tags", 0..=3) => Action::Add(path, Value::Ss(self.tags())),
            ("tags", 4 | 5) => Action::Delete(path, Value::Ss(self.tags())),
            ("list", 0..=3) => {
                let more = SetOperand::Value(Value::L(vec![self.number()]));
                let all = SetOperand::ListAppend(Box::new(or(Value::L(Vec::new()))), Box::new(more));
                Action::Set(path, SetValue::Operand(all))
            }
            ("list", 4) => Action::Remove(path.index(0)),
            ("map", 0..=2) => Action::Set(path.field("a"), SetValue::Operand(one())),
            ("map", 3) => Action::Remove(path.field("a")),
            (_, 5 | 6) => Action::Remove(path),
            _ => Action::Set(path, SetValue::Operand(SetOperand::Value(self.attribute(name, now)))),
        }
    }

    pub(crate) fn projection(&mut self) -> ProjectionExpression {
        let paths = [
            Path::attribute("pk"),
            Path::attribute("hits"),
            Path::attribute("label"),
            Path::attribute("list").index(1),
            Path::attribute("map").field("a"),
        ];
        ProjectionExpression { paths: self.some(&paths, 1, 3).into_iter().cloned().collect() }
    }

    /// Something, in so many cases of a hundred.
    pub(crate) fn maybe<T>(&mut self, percent: u64, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance(percent).then(|| make(self))
    }
}
