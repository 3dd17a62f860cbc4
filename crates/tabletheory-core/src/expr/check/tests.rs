//! Trees that no text could have made, and the laws of paths. What texts can say is tested beside the placeholders.

use proptest::prelude::*;

use super::*;
use crate::expr::shorthand::{any_path, b, n, path, s};
use crate::expr::{
    Action, Comparator, Condition, KeyCondition, KeyPredicate, Operand, Path, ProjectionExpression,
    SetOperand, SetValue, Update,
};

fn said(result: Result<(), StoreError>) -> String {
    result.map_or_else(|error| error.to_string(), |()| String::new())
}

#[test]
fn empty_trees_are_refused() {
    assert_eq!(
        said(update(&Update::default())),
        "Invalid UpdateExpression: The expression can not be empty;"
    );
    let projected = said(projection(&ProjectionExpression::default()));
    assert_eq!(projected, "Invalid ProjectionExpression: The expression can not be empty;");
    let key = said(key_condition(&KeyCondition::default()));
    assert_eq!(key, "Invalid KeyConditionExpression: The expression can not be empty;");
    let nothing = Condition::In(Operand::Path("a".into()), Vec::new());
    let refused = said(condition(&nothing, ExpressionKind::Filter));
    assert_eq!(refused, "Invalid FilterExpression: Syntax error; token: \")\", near: \"()\"");
}

#[test]
fn bounds_are_shown_as_they_were_sent() {
    let check = |low: Value, high: Value, expected: &str| {
        let between = Condition::Between(Operand::Path("a".into()), low.clone().into(), high.clone().into());
        let complaint = said(condition(&between, ExpressionKind::Filter));
        assert_eq!(
            complaint.strip_prefix("Invalid FilterExpression: The BETWEEN operator requires ").unwrap(),
            expected
        );
        let key = KeyCondition::default().and("a", KeyPredicate::Between(low, high));
        assert!(said(key_condition(&key)).ends_with(expected));
    };
    let order = "upper bound to be greater than or equal to lower bound;";
    let shown = |low: &str, high: &str| {
        format!(
            "lower bound operand: AttributeValue: {{{low}}}, upper bound operand: AttributeValue: {{{high}}}"
        )
    };
    check(n(2), n(1), &format!("{order} {}", shown("N:2", "N:1")));
    check(s("b"), s("a"), &format!("{order} {}", shown("S:b", "S:a")));
    check(s("9"), s("10"), &format!("{order} {}", shown("S:9", "S:10")));
    check(s("é"), s("z"), &format!("{order} {}", shown("S:é", "S:z")));
    check(b(&[1]), b(&[0]), &format!("{order} {}", shown("B:AQ==", "B:AA==")));
    let types = "same data type for lower and upper bounds;";
    check(s("x"), n(1), &format!("{types} {}", shown("S:x", "N:1")));
}

#[test]
fn key_predicates_are_checked_without_a_text() {
    let check = |predicate: KeyPredicate, expected: &str| {
        let complaint = said(key_condition(&KeyCondition::partition("pk", "x").and("sk", predicate)));
        assert_eq!(complaint, expected);
    };
    let refused = |operator: &str, found: &str| {
        let prefix = "Invalid KeyConditionExpression: Incorrect operand type for operator or function;";
        format!("{prefix} operator or function: {operator}, operand type: {found}")
    };
    check(KeyPredicate::Eq(Value::Null), "");
    check(KeyPredicate::Lt(n(1)), "");
    check(KeyPredicate::Lt(Value::Null), &refused("<", "NULL"));
    check(KeyPredicate::Le(Value::Bool(true)), &refused("<=", "BOOL"));
    check(KeyPredicate::Gt(Value::L(Vec::new())), &refused(">", "L"));
    check(KeyPredicate::Ge(Value::Bool(true)), &refused(">=", "BOOL"));
    check(KeyPredicate::Between(n(1), Value::Null), &refused("BETWEEN", "NULL"));
    check(KeyPredicate::BeginsWith(n(1)), &refused("begins_with", "N"));
    check(KeyPredicate::BeginsWith(b(&[1])), "");
    let twice = KeyCondition::partition("pk", "x").and("pk", KeyPredicate::Gt(n(1)));
    assert_eq!(
        said(key_condition(&twice)),
        "KeyConditionExpressions must only contain one condition per key"
    );
}

#[test]
fn list_append_stands_inside_nothing() {
    let list = || Box::new(SetOperand::Path("l".into()));
    let append = || SetOperand::ListAppend(list(), list());
    let misused = "Invalid UpdateExpression: The function is not allowed to be used this way in an expression; \
                   function: list_append";
    let check = |value: SetValue, expected: &str| {
        assert_eq!(said(update(&Update { actions: vec![Action::Set("a".into(), value)] })), expected);
    };
    check(SetValue::Operand(append()), "");
    check(SetValue::Operand(SetOperand::ListAppend(list(), Box::new(append()))), misused);
    check(SetValue::Operand(SetOperand::IfNotExists("b".into(), Box::new(append()))), misused);
    check(SetValue::Plus(append(), *list()), misused);
}

#[test]
fn list_indexes_have_a_limit() {
    let far = ProjectionExpression { paths: vec![Path::attribute("a").index(u32::MAX)] };
    let complaint = "List index is not within the allowable range; index: [4294967295]";
    assert_eq!(said(projection(&far)), format!("Invalid ProjectionExpression: {complaint}"));
}

#[test]
fn towers_are_refused_without_a_deep_stack() {
    let leaf = || Condition::Compare(Operand::Path("a".into()), Comparator::Eq, n(1).into());
    let climb = move || {
        let tower = (0..1000).fold(leaf(), |tower, _| tower.and(leaf()));
        let complaint = "The expression contains too many operators; operator count: 301";
        assert_eq!(
            said(condition(&tower, ExpressionKind::Filter)),
            format!("Invalid FilterExpression: {complaint}")
        );
        let sizes = (0..1000).fold(Operand::Path("a".into()), |inner, _| Operand::Size(Box::new(inner)));
        let sized = Condition::Compare(sizes, Comparator::Eq, n(1).into());
        assert!(
            said(condition(&sized, ExpressionKind::Filter))
                .ends_with("operator or function: size, operand type: N")
        );
        let otherwise = (0..1000)
            .fold(SetOperand::Value(n(1)), |inner, _| SetOperand::IfNotExists("a".into(), Box::new(inner)));
        let set = Update { actions: vec![Action::Set("a".into(), SetValue::Operand(otherwise))] };
        assert_eq!(said(update(&set)), format!("Invalid UpdateExpression: {complaint}"));
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(climb).unwrap().join().unwrap();
}

/// The same law, told slowly: every pair is looked at.
fn clash_somewhere(paths: &[Path]) -> bool {
    let clash = |one: &Path, two: &Path| {
        one.root == two.root
            && one
                .steps
                .iter()
                .zip(&two.steps)
                .find(|(one, two)| one != two)
                .is_none_or(|(one, two)| std::mem::discriminant(one) != std::mem::discriminant(two))
    };
    paths.iter().enumerate().any(|(at, one)| paths[..at].iter().any(|two| clash(one, two)))
}

proptest! {
    #[test]
    fn every_clash_of_paths_is_found(paths in proptest::collection::vec(any_path(), 1..6)) {
        let clashes = clash_somewhere(&paths);
        prop_assert_eq!(projection(&ProjectionExpression { paths }).is_err(), clashes);
    }
}

#[test]
fn clashes_name_the_paths_in_the_order_written() {
    let check = |paths: &[&str], expected: &str| {
        let paths = paths.iter().map(|text| path(text)).collect();
        let complaint = said(projection(&ProjectionExpression { paths }));
        let (_, shown) = complaint.split_once("path one: ").unwrap();
        assert_eq!(shown, expected);
    };
    check(&["a", "b", "a"], "[a], path two: [a]");
    check(&["a.b", "x", "a"], "[a, b], path two: [a]");
    check(&["x", "b", "y", "b.c"], "[b], path two: [b, c]");
    check(&["a[0].b", "a.c"], "[a, [0], b], path two: [a, c]");
}
