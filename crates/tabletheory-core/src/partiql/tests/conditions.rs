//! WHERE clauses and their trees.

use super::{at, condition, val};
use crate::expr::Comparator::{Eq, Ge, Gt, Le, Lt, Ne};
use crate::expr::{
    Condition::{
        self, AttributeExists, AttributeNotExists, AttributeType, BeginsWith, Between, Compare, Contains, In,
    },
    Operand, Path,
};
use crate::value::Value;

fn check(text: &str, expected: Condition) {
    assert_eq!(condition(text), expected, "{text}");
}

fn eq(name: &str, value: impl Into<Value>) -> Condition {
    Compare(at(name), Eq, val(value))
}

fn size(name: &str) -> Operand {
    Operand::Size(Box::new(at(name)))
}

#[test]
fn comparisons() {
    check("a = 1", eq("a", 1));
    check("a<>1", Compare(at("a"), Ne, val(1)));
    check("a != 1", Compare(at("a"), Ne, val(1)));
    check("a < 1", Compare(at("a"), Lt, val(1)));
    check("a <= 1", Compare(at("a"), Le, val(1)));
    check("a > -1", Compare(at("a"), Gt, val(-1)));
    check("a >= 'x'", Compare(at("a"), Ge, val("x")));
    check("1 = a", Compare(val(1), Eq, at("a")));
    check("a = b", Compare(at("a"), Eq, at("b")));
    check("(a) = (1)", eq("a", 1));
    check("\"a b\" = true", eq("a b", true));
    check("a = NULL", eq("a", Value::Null));
    check(
        "a.b[0].\"c\" = 1",
        Compare(Path::attribute("a").field("b").index(0).field("c").into(), Eq, val(1)),
    );
    check("a BETWEEN 1 AND 2", Between(at("a"), val(1), val(2)));
    check("a between - 2 and +5", Between(at("a"), val(-2), val(5)));
    check("a NOT BETWEEN 1 AND 2", !Between(at("a"), val(1), val(2)));
    check("a IN [1, 'x']", In(at("a"), vec![val(1), val("x")]));
    check("a IN (1, b)", In(at("a"), vec![val(1), at("b")]));
    check("a NOT IN [1]", !In(at("a"), vec![val(1)]));
    check("a IN ([1], [2])", In(at("a"), vec![val_list(1), val_list(2)]));
    check("year = 2024", eq("year", 2024));
}

fn val_list(number: i64) -> Operand {
    Operand::Value(Value::L(vec![number.into()]))
}

#[test]
fn and_binds_tighter_than_or_and_not_tighter_than_and() {
    let (a, b, c) = (eq("a", 1), eq("b", 2), eq("c", 3));
    check("a = 1 AND b = 2", a.clone().and(b.clone()));
    check("a = 1 and b = 2 AND c = 3", a.clone().and(b.clone()).and(c.clone()));
    check("a = 1 OR b = 2 AND c = 3", a.clone().or(b.clone().and(c.clone())));
    check("(a = 1 OR b = 2) AND c = 3", a.clone().or(b.clone()).and(c.clone()));
    check("a = 1 AND (b = 2 AND c = 3)", a.clone().and(b.clone().and(c.clone())));
    check("NOT a = 1 AND b = 2", (!a.clone()).and(b.clone()));
    check("NOT (a = 1 AND b = 2)", !(a.clone().and(b.clone())));
    check("NOT NOT a = 1", !!a.clone());
    check("a BETWEEN 1 AND 2 AND b = 2", Between(at("a"), val(1), val(2)).and(b.clone()));
    check("NOT a IN [1]", !In(at("a"), vec![val(1)]));
}

#[test]
fn functions_in_any_case() {
    check("attribute_exists(a)", AttributeExists("a".into()));
    check("ATTRIBUTE_NOT_EXISTS (a)", AttributeNotExists("a".into()));
    check("attribute_exists(m.x)", AttributeExists(Path::attribute("m").field("x")));
    check("attribute_type(\"a\", 'S')", AttributeType("a".into(), val("S")));
    check("begins_with(\"a\", 'x')", BeginsWith(at("a"), val("x")));
    check("contains(a, 'x')", Contains(at("a"), val("x")));
    check("contains('xyz', a)", Contains(val("xyz"), at("a")));
    check("size(a) > 3", Compare(size("a"), Gt, val(3)));
    check("3 < SIZE(a)", Compare(val(3), Lt, size("a")));
    check("size(a) = size(b)", Compare(size("a"), Eq, size("b")));
    check(
        "(attribute_exists(a) OR attribute_exists(b))",
        AttributeExists("a".into()).or(AttributeExists("b".into())),
    );
}

#[test]
fn is_asks_for_presence_and_for_types() {
    let typed = |name: &str| AttributeType("a".into(), val(name));
    check("a IS MISSING", AttributeNotExists("a".into()));
    check("a is not missing", AttributeExists("a".into()));
    check("a.b IS MISSING", AttributeNotExists(Path::attribute("a").field("b")));
    check("a IS NULL", typed("NULL"));
    check("a IS NOT NULL", !typed("NULL"));
    check("a IS BOOL", typed("BOOL"));
    check("a IS STRING", typed("S"));
    check("a IS INT4", typed("N"));
    check("a IS DOUBLE PRECISION", typed("N"));
    check("a IS CHARACTER VARYING", typed("S"));
    check("a IS NOT LIST AND a IS TUPLE", (!typed("L")).and(typed("M")));
}

#[test]
fn a_condition_can_be_compared_with_a_truth_value() {
    let exists = AttributeExists("a".into());
    check("attribute_exists(a) = true", exists.clone());
    check("attribute_exists(a) = false", !exists.clone());
    check("true = attribute_exists(a)", exists.clone());
    check("attribute_exists(a) <> true", !exists.clone());
    check("NOT attribute_exists(a) = true", !exists.clone());
    check("(a = 1 OR b = 2) = false", !(eq("a", 1).or(eq("b", 2))));
    check("(a BETWEEN 1 AND 2) = true", Between(at("a"), val(1), val(2)));
}
