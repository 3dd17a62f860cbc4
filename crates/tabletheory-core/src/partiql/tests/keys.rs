//! The keys in WHERE clauses.

use super::super::{Access, conflicting_key, plan, split_key};
use super::condition;
use crate::expr::KeyPredicate::{BeginsWith, Between, Eq, Ge, Gt, Le, Lt};
use crate::expr::{KeyCondition, KeyPredicate};
use crate::item::Item;
use crate::value::Value;

const KEY: [&str; 2] = ["pk", "sk"];

#[test]
fn a_write_s_key_is_split_from_its_condition() {
    fn check(text: &str, key: &[(&str, i64)], rest: Option<&str>) {
        let key: Item = key.iter().map(|(name, value)| (*name, Value::n(*value))).collect();
        assert_eq!(split_key(&condition(text), &KEY), (key, rest.map(condition)), "{text}");
    }
    check("pk = 1", &[("pk", 1)], None);
    check("pk = 1 AND sk = 2", &[("pk", 1), ("sk", 2)], None);
    check("2 = sk AND 1 = pk", &[("pk", 1), ("sk", 2)], None);
    check("(pk = 1 AND sk = 2) AND a = 3", &[("pk", 1), ("sk", 2)], Some("a = 3"));
    check("a = 3 AND pk = 1 AND (b = 4 AND sk = 2)", &[("pk", 1), ("sk", 2)], Some("a = 3 AND b = 4"));
    check("pk = 1 AND pk = 1", &[("pk", 1)], None);
    check("pk = 1 AND pk = 2", &[("pk", 1)], Some("pk = 2"));
    check("pk = 1 AND sk > 2", &[("pk", 1)], Some("sk > 2"));
    check("pk = 1 AND sk IN [2]", &[("pk", 1)], Some("sk IN [2]"));
    check("pk = 1 OR sk = 2", &[], Some("pk = 1 OR sk = 2"));
    check("NOT pk = 1", &[], Some("NOT pk = 1"));
    check("pk.x = 1 AND pk = sk", &[], Some("pk.x = 1 AND pk = sk"));
}

#[test]
fn a_key_with_two_values_is_found() {
    assert_eq!(conflicting_key(&condition("a = 1 AND pk = 2"), &KEY), Some("pk"));
    for text in ["a = 1", "pk > 2", "pk = 1 OR pk = 2", "NOT pk = 1"] {
        assert_eq!(conflicting_key(&condition(text), &KEY), None, "{text}");
    }
}

fn key(predicates: &[(&str, KeyPredicate)]) -> KeyCondition {
    let predicates = predicates.iter().map(|(name, predicate)| ((*name).to_owned(), predicate.clone()));
    KeyCondition { predicates: predicates.collect() }
}

#[test]
fn a_select_becomes_a_scan_or_queries() {
    fn check(text: &str, queries: &[&[(&str, KeyPredicate)]], filter: Option<&str>) {
        let plan = plan(Some(&condition(text)), &["pk"], &["sk"]).unwrap();
        let access = match queries {
            [] => Access::Scan,
            queries => Access::Query(queries.iter().map(|predicates| key(predicates)).collect()),
        };
        assert_eq!((plan.access, plan.filter), (access, filter.map(condition)), "{text}");
    }
    let pk = |value: i64| ("pk", Eq(value.into()));
    let sk = |value: i64| ("sk", Eq(value.into()));
    check("a = 1", &[], Some("a = 1"));
    check("sk = 1 AND a = 1", &[], Some("sk = 1 AND a = 1"));
    check("pk > 1", &[], Some("pk > 1"));
    check("pk = 1 OR a = 1", &[], Some("pk = 1 OR a = 1"));
    check("pk IN [1, b]", &[], Some("pk IN [1, b]"));
    check("pk = 1", &[&[pk(1)]], None);
    check("a = 1 AND pk = 1", &[&[pk(1)]], Some("a = 1"));
    check("pk IN [2, 1]", &[&[pk(2)], &[pk(1)]], None);
    check("(pk = 1 OR pk = 2) AND a = 1", &[&[pk(1)], &[pk(2)]], Some("a = 1"));
    check("pk = 1 AND sk IN (1, 2)", &[&[pk(1), sk(1)], &[pk(1), sk(2)]], None);
    check("pk IN [1, 2] AND sk > 3", &[&[pk(1), ("sk", Gt(3.into()))], &[pk(2), ("sk", Gt(3.into()))]], None);
    check("pk IN [1, 2] AND sk IN [3]", &[&[pk(1), sk(3)], &[pk(2), sk(3)]], None);
    check("pk IN [1] AND pk = 1 AND sk = 2", &[&[pk(1), sk(2)]], None);
    check("pk IN [1, 2] AND pk = 1", &[&[pk(1)]], Some("pk IN [1, 2]"));
    check("pk = 1 AND pk = 2", &[&[pk(1)]], Some("pk = 2"));
    check("pk = 1 AND sk > 0 AND sk = 2", &[&[pk(1), sk(2)]], Some("sk > 0"));
    let ranged = |range: KeyPredicate| [pk(1), ("sk", range)];
    check("sk < 2 AND pk = 1", &[&ranged(Lt(2.into()))], None);
    check("pk = 1 AND sk <= 2 AND a = 3", &[&ranged(Le(2.into()))], Some("a = 3"));
    check("pk = 1 AND sk > 2 AND sk < 5", &[&ranged(Gt(2.into()))], Some("sk < 5"));
    check("pk = 1 AND sk > 2 AND sk = 5", &[&[pk(1), sk(5)]], Some("sk > 2"));
    check("pk = 1 AND 2 <= sk", &[&ranged(Ge(2.into()))], None);
    check("pk = 1 AND 2 > sk", &[&ranged(Lt(2.into()))], None);
    check("pk = 1 AND sk BETWEEN 2 AND 3", &[&ranged(Between(2.into(), 3.into()))], None);
    check("pk = 1 AND begins_with(sk, 'x')", &[&ranged(BeginsWith("x".into()))], None);
    check("pk = 1 AND sk <> 2", &[&[pk(1)]], Some("sk <> 2"));
    check("pk = 1 AND begins_with(sk, b)", &[&[pk(1)]], Some("begins_with(sk, b)"));
    check("a = 1 OR pk = 1", &[], Some("a = 1 OR pk = 1"));
    check("pk = 1 AND (sk < 1 OR sk > 2)", &[&[pk(1)]], Some("sk < 1 OR sk > 2"));
}

#[test]
fn a_key_of_several_attributes_narrows_from_left_to_right() {
    let plan = |text: &str| plan(Some(&condition(text)), &["p", "q"], &["r", "s"]).unwrap();
    let eq = |value: i64| Eq(value.into());
    assert_eq!(plan("p = 1 AND s = 4").access, Access::Scan);
    let whole = plan("s > 4 AND r = 3 AND q = 2 AND p = 1");
    let query = key(&[("p", eq(1)), ("q", eq(2)), ("r", eq(3)), ("s", Gt(4.into()))]);
    assert_eq!((whole.access, whole.filter), (Access::Query(vec![query]), None));
    let range = plan("p = 1 AND q = 2 AND r > 3 AND s = 4");
    let query = key(&[("p", eq(1)), ("q", eq(2)), ("r", Gt(3.into()))]);
    assert_eq!((range.access, range.filter), (Access::Query(vec![query]), Some(condition("s = 4"))));
    let gap = plan("p = 1 AND q = 2 AND s = 4");
    let query = key(&[("p", eq(1)), ("q", eq(2))]);
    assert_eq!((gap.access, gap.filter), (Access::Query(vec![query]), Some(condition("s = 4"))));
}

#[test]
fn a_plan_knows_when_it_reads_by_key_alone() {
    fn check(text: &str, expected: Option<&[(&str, i64)]>) {
        let key = plan(Some(&condition(text)), &["pk"], &["sk"]).unwrap().key();
        let expected =
            expected.map(|key| key.iter().map(|(name, value)| (*name, Value::n(*value))).collect());
        assert_eq!(key, expected, "{text}");
    }
    check("pk = 1 AND sk = 2", Some(&[("pk", 1), ("sk", 2)]));
    check("pk IN [1] AND sk IN [2]", Some(&[("pk", 1), ("sk", 2)]));
    check("(sk = 2) AND pk = 1 AND pk = 1", Some(&[("pk", 1), ("sk", 2)]));
    check("pk = 1", Some(&[("pk", 1)]));
    check("pk = 1 AND sk > 2", None);
    check("pk = 1 AND sk = 2 AND a = 3", None);
    check("pk IN [3] AND pk = 1 AND sk = 2", None);
    check("pk IN [1, 2] AND sk = 2", None);
    check("a = 1", None);
    assert_eq!(plan(None, &["pk"], &["sk"]).unwrap().key(), None);
}

#[test]
fn too_many_or_overlapping_queries_are_refused() {
    fn check(text: &str, expected: Option<&str>) {
        let refusal = plan(Some(&condition(text)), &["pk"], &["sk"]).err().map(|error| error.to_string());
        assert_eq!(refusal.as_deref(), expected, "{text}");
    }
    let list = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let overlapping = Some("Overlapping conditions with range keys are not supported in where clause");
    let too_many = Some("Too many decomposed read operations for a given query.");
    check("pk IN [1, 1]", overlapping);
    check("pk = 1 OR pk = 1", overlapping);
    check(&format!("pk IN [{}] AND a IN [{}]", list(50), list(100)), None);
    check(&format!("pk IN [{}] OR a = 1", list(51)), None);
    check(&format!("pk IN [{}]", list(51)), too_many);
    check(&format!("pk = 1 AND sk IN [{}]", list(51)), too_many);
    check(&format!("pk IN [{}] AND sk IN [1, 2]", list(26)), too_many);
}
