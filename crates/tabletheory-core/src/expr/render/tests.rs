//! Printed texts, and the law that reading what was printed gives the same tree.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::expr::kind::ExpressionKind;
use crate::expr::parser;
use crate::expr::shorthand::{any_value, n, path, s};
use crate::expr::substitution::Substitutions;
use crate::expr::{Comparator, Placeholders};

/// Placeholders for what the scope printed.
fn substitutions(scope: RenderScope) -> Substitutions {
    let (names, values) = scope.into_parts();
    let (names, values) = ((!names.is_empty()).then_some(names), (!values.is_empty()).then_some(values));
    Substitutions::new(names, values).unwrap()
}

#[test]
fn parentheses_stand_only_where_they_are_needed() {
    let check = |text: &str, expected: &str| {
        let condition = Placeholders::new(None, None).unwrap().condition(text).unwrap();
        let printed = Rendered::alone(|scope| scope.condition(&condition));
        assert_eq!(printed.text, expected, "{text}");
    };
    check("(a = b)", "#n0 = #n1");
    check("(a = b) AND (c = d)", "#n0 = #n1 AND #n2 = #n3");
    check("a = b AND (c = d AND e = f)", "#n0 = #n1 AND (#n2 = #n3 AND #n4 = #n5)");
    check("(a = b OR c = d) AND e = f", "(#n0 = #n1 OR #n2 = #n3) AND #n4 = #n5");
    check("(a = b AND c = d) OR e = f", "#n0 = #n1 AND #n2 = #n3 OR #n4 = #n5");
    check("a = b OR (c = d OR e = f)", "#n0 = #n1 OR (#n2 = #n3 OR #n4 = #n5)");
    check("NOT (a = b)", "NOT #n0 = #n1");
    check("NOT (a = b AND c = d)", "NOT (#n0 = #n1 AND #n2 = #n3)");
    check("NOT (NOT (a = b))", "NOT NOT #n0 = #n1");
    check("a.b[3].c = a.a", "#n0.#n1[3].#n2 = #n0.#n0");
    check("a between b and size(c)", "#n0 BETWEEN #n1 AND size(#n2)");
    check("a in (b, c)", "#n0 IN (#n1, #n2)");
    check("attribute_exists(a) or contains(b, c)", "attribute_exists(#n0) OR contains(#n1, #n2)");
}

#[test]
fn updates_are_grouped_by_clause() {
    let actions = vec![
        Action::Delete("d".into(), s("x")),
        Action::Remove("r".into()),
        Action::Set("a".into(), SetValue::Plus(SetOperand::Path("a".into()), SetOperand::Value(n(1)))),
        Action::Add("b".into(), n(1)),
        Action::Remove("q".into()),
        Action::Set(
            path("l[0]"),
            SetValue::Operand(SetOperand::IfNotExists("a".into(), Box::new(SetOperand::Value(n(2))))),
        ),
    ];
    let rendered = Rendered::alone(|scope| scope.update(&Update { actions }));
    let expected =
        "SET #n0 = #n0 + :v0, #n1[0] = if_not_exists(#n0, :v1) REMOVE #n2, #n3 ADD #n4 :v0 DELETE #n5 :v2";
    assert_eq!(rendered.text, expected);
}

#[test]
fn key_conditions_are_joined_by_and() {
    let condition = KeyCondition::partition("pk", "a")
        .and("b", KeyPredicate::Between(n(1), n(2)))
        .and("c", KeyPredicate::BeginsWith(s("a")))
        .and("d", KeyPredicate::Ge(n(1)));
    let rendered = Rendered::alone(|scope| scope.key_condition(&condition));
    assert_eq!(
        rendered.text,
        "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2 AND begins_with(#n2, :v0) AND #n3 >= :v1"
    );
    assert_eq!(rendered.names["#n3"], "d");
    assert_eq!(rendered.values[":v2"], n(2));
}

#[test]
fn towers_are_printed_without_a_deep_stack() {
    let leaf = || Condition::AttributeExists("a".into());
    let climb = move || {
        let left = (0..1000).fold(leaf(), |tower, _| tower.and(leaf()));
        let right = (0..1000).fold(leaf(), |tower, _| leaf().or(tower));
        let negated = (0..1000).fold(leaf(), |tower, _| !tower);
        let mut scope = RenderScope::new();
        assert_eq!(scope.condition(&left).matches(" AND ").count(), 1000);
        assert_eq!(scope.condition(&right).matches(" OR ").count(), 1000);
        assert_eq!(scope.condition(&negated).matches("NOT ").count(), 1000);
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(climb).unwrap().join().unwrap();
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("status".to_owned()), Just("a.b[0]".to_owned()), "[a-c#: ]{1,3}", "\\PC{1,6}"]
}

fn any_path() -> impl Strategy<Value = Path> {
    let index = prop_oneof![0u32..3, Just(i32::MAX.unsigned_abs())].prop_map(Step::Index);
    (name(), vec(prop_oneof![name().prop_map(Step::Field), index], 0..3))
        .prop_map(|(root, steps)| Path { root, steps })
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![any_path().prop_map(Operand::Path), any_value().prop_map(Operand::Value)].prop_recursive(
        2,
        3,
        1,
        |inner| inner.prop_map(|inner| Operand::Size(Box::new(inner))),
    )
}

fn condition() -> impl Strategy<Value = Condition> {
    let comparator = prop::sample::select(vec![
        Comparator::Eq,
        Comparator::Ne,
        Comparator::Lt,
        Comparator::Le,
        Comparator::Gt,
        Comparator::Ge,
    ]);
    let leaf = prop_oneof![
        (operand(), comparator, operand()).prop_map(|(left, by, right)| Condition::Compare(left, by, right)),
        (operand(), operand(), operand())
            .prop_map(|(operand, low, high)| Condition::Between(operand, low, high)),
        (operand(), vec(operand(), 1..4))
            .prop_map(|(operand, candidates)| Condition::In(operand, candidates)),
        any_path().prop_map(Condition::AttributeExists),
        any_path().prop_map(Condition::AttributeNotExists),
        (any_path(), operand()).prop_map(|(path, name)| Condition::AttributeType(path, name)),
        (operand(), operand()).prop_map(|(operand, prefix)| Condition::BeginsWith(operand, prefix)),
        (operand(), operand()).prop_map(|(operand, element)| Condition::Contains(operand, element)),
    ];
    leaf.prop_recursive(6, 24, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| left.and(right)),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| left.or(right)),
            inner.prop_map(|inner| !inner),
        ]
    })
}

fn set_operand() -> impl Strategy<Value = SetOperand> {
    prop_oneof![any_path().prop_map(SetOperand::Path), any_value().prop_map(SetOperand::Value)]
        .prop_recursive(3, 6, 1, |inner| {
            (any_path(), inner).prop_map(|(path, inner)| SetOperand::IfNotExists(path, Box::new(inner)))
        })
}

fn action() -> impl Strategy<Value = Action> {
    let value = prop_oneof![
        set_operand().prop_map(SetValue::Operand),
        (set_operand(), set_operand()).prop_map(|(left, right)| SetValue::Plus(left, right)),
        (set_operand(), set_operand()).prop_map(|(left, right)| SetValue::Minus(left, right)),
        (set_operand(), set_operand())
            .prop_map(|(one, two)| SetValue::Operand(SetOperand::ListAppend(Box::new(one), Box::new(two)))),
    ];
    prop_oneof![
        (any_path(), value).prop_map(|(path, value)| Action::Set(path, value)),
        any_path().prop_map(Action::Remove),
        (any_path(), any_value()).prop_map(|(path, value)| Action::Add(path, value)),
        (any_path(), any_value()).prop_map(|(path, value)| Action::Delete(path, value)),
    ]
}

fn predicate() -> impl Strategy<Value = KeyPredicate> {
    prop_oneof![
        any_value().prop_map(KeyPredicate::Eq),
        any_value().prop_map(KeyPredicate::Lt),
        any_value().prop_map(KeyPredicate::Le),
        any_value().prop_map(KeyPredicate::Gt),
        any_value().prop_map(KeyPredicate::Ge),
        (any_value(), any_value()).prop_map(|(low, high)| KeyPredicate::Between(low, high)),
        any_value().prop_map(KeyPredicate::BeginsWith),
    ]
}

proptest! {
    #[test]
    fn a_printed_condition_reads_as_itself(one in condition(), two in condition()) {
        let mut scope = RenderScope::new();
        let texts = [scope.condition(&one), scope.condition(&two)];
        let mut substitutions = substitutions(scope);
        for (text, tree) in texts.iter().zip([one, two]) {
            prop_assert_eq!(parser::condition(ExpressionKind::Filter, text, &mut substitutions), Ok(tree), "{}", text);
        }
        prop_assert_eq!(substitutions.refuse_unused(), Ok(()));
    }

    #[test]
    fn a_printed_update_reads_as_itself(actions in vec(action(), 1..5)) {
        let update = Update { actions };
        let mut scope = RenderScope::new();
        let text = scope.update(&update);
        let read = parser::update(&text, &mut substitutions(scope));
        prop_assert_eq!(read, Ok(update.normalized()), "{}", text);
    }

    #[test]
    fn a_printed_projection_reads_as_itself(paths in vec(any_path(), 1..5)) {
        let projection = ProjectionExpression { paths };
        let mut scope = RenderScope::new();
        let text = scope.projection(&projection);
        prop_assert_eq!(parser::projection(&text, &mut substitutions(scope)), Ok(projection), "{}", text);
    }

    #[test]
    fn a_printed_key_condition_reads_as_itself(predicates in vec((name(), predicate()), 1..4)) {
        let condition = KeyCondition { predicates };
        let mut scope = RenderScope::new();
        let text = scope.key_condition(&condition);
        let read = parser::condition(ExpressionKind::KeyCondition, &text, &mut substitutions(scope));
        prop_assert_eq!(read.and_then(parser::key_condition), Ok(condition), "{}", text);
    }
}
