//! One attribute compared with values by a [`LegacyOperator`]: which values an operator takes, and the condition that
//! says the same.

use super::{LegacyOperator, invalid};
use crate::error::StoreError;
use crate::expr::{Comparator, Condition, Operand, Path};
use crate::item::Item;
use crate::value::{Value, ValueType};

/// The comparison as a condition.
pub(super) fn comparison(
    name: &str,
    operator: LegacyOperator,
    values: &[Value],
) -> Result<Condition, StoreError> {
    check_values(operator, values)?;
    let attribute = || Operand::from(Path::attribute(name));
    let compare =
        |comparator, value: &Value| Condition::Compare(attribute(), comparator, value.clone().into());
    let exists = Condition::AttributeExists(Path::attribute(name));
    Ok(match (operator, values) {
        (LegacyOperator::Eq, [value]) => compare(Comparator::Eq, value),
        (LegacyOperator::Ne, [value]) => compare(Comparator::Ne, value),
        (LegacyOperator::Le, [value]) => compare(Comparator::Le, value),
        (LegacyOperator::Lt, [value]) => compare(Comparator::Lt, value),
        (LegacyOperator::Ge, [value]) => compare(Comparator::Ge, value),
        (LegacyOperator::Gt, [value]) => compare(Comparator::Gt, value),
        (LegacyOperator::NotNull, []) => exists,
        (LegacyOperator::Null, []) => Condition::AttributeNotExists(Path::attribute(name)),
        (LegacyOperator::Contains, [value]) => Condition::Contains(attribute(), value.clone().into()),
        // A missing attribute neither contains nor does not contain, although it differs from everything.
        (LegacyOperator::NotContains, [value]) => {
            exists.and(!Condition::Contains(attribute(), value.clone().into()))
        }
        (LegacyOperator::BeginsWith, [value]) => Condition::BeginsWith(attribute(), value.clone().into()),
        (LegacyOperator::In, values) => {
            Condition::In(attribute(), values.iter().cloned().map(Operand::from).collect())
        }
        (LegacyOperator::Between, [low, high]) => {
            Condition::Between(attribute(), low.clone().into(), high.clone().into())
        }
        _ => return Err(wrong_count(operator)),
    })
}

/// Refuses values that the operator does not take: too few or too many, of several types, of a type it does not
/// know, or a range that ends before it begins.
pub(super) fn check_values(operator: LegacyOperator, values: &[Value]) -> Result<(), StoreError> {
    if !takes_count(operator, values.len()) {
        return Err(wrong_count(operator));
    }
    let mut kinds = values.iter().map(Value::kind);
    if let Some(kind) = kinds.next() {
        if kinds.any(|other| other != kind) {
            return Err(invalid("AttributeValues inside AttributeValueList must be of same type"));
        }
        if !takes_type(operator, kind) {
            let (operator, kind) = (operator.name(), kind.name());
            return Err(invalid(format!(
                "ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
            )));
        }
    }
    match (operator, values) {
        (LegacyOperator::Between, [low, high]) if is_above(low, high) => Err(StoreError::validation(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
        )),
        _ => Ok(()),
    }
}

fn takes_count(operator: LegacyOperator, count: usize) -> bool {
    match operator {
        LegacyOperator::Null | LegacyOperator::NotNull => count == 0,
        LegacyOperator::In => count > 0,
        LegacyOperator::Between => count == 2,
        _ => count == 1,
    }
}

fn takes_type(operator: LegacyOperator, kind: ValueType) -> bool {
    use ValueType::{B, Bool, N, Null, S};
    match operator {
        LegacyOperator::Eq | LegacyOperator::Ne | LegacyOperator::Null | LegacyOperator::NotNull => true,
        LegacyOperator::Contains | LegacyOperator::NotContains => matches!(kind, S | N | B | Bool | Null),
        LegacyOperator::BeginsWith => matches!(kind, S | B),
        _ => matches!(kind, S | N | B),
    }
}

fn is_above(low: &Value, high: &Value) -> bool {
    Condition::Compare(low.clone().into(), Comparator::Gt, high.clone().into()).holds(&Item::new())
}

fn wrong_count(operator: LegacyOperator) -> StoreError {
    invalid(format!("Invalid number of argument(s) for the {} ComparisonOperator", operator.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::shorthand::{b, list, map, n, ns, s, ss};

    fn sample() -> Item {
        Item::from([
            ("s", s("hello")),
            ("n", n(5)),
            ("z", Value::Null),
            ("l", list([s("a"), n(1)])),
            ("m", map([("x", n(1))])),
            ("ss", ss(["a", "b"])),
        ])
    }

    #[test]
    fn comparisons_hold_as_the_service_answers() {
        use LegacyOperator::*;
        let check = |name: &str, operator: LegacyOperator, values: &[Value], expected: bool| {
            let condition = comparison(name, operator, values).expect("the values fit the operator");
            assert_eq!(condition.holds(&sample()), expected, "{name} {} {values:?}", operator.name());
        };
        check("n", Eq, &[n(5)], true);
        check("n", Eq, &[s("5")], false);
        check("l", Eq, &[list([s("a"), n(1)])], true);
        check("ss", Eq, &[ss(["b", "a"])], true);
        check("n", Ne, &[n(5)], false);
        check("n", Ne, &[s("5")], true);
        check("nope", Ne, &[n(5)], true);
        check("n", Le, &[n(5)], true);
        check("n", Lt, &[n(5)], false);
        check("n", Ge, &[n(5)], true);
        check("n", Gt, &[n(5)], false);
        check("s", Lt, &[n(9)], false);
        check("nope", Lt, &[n(9)], false);
        check("z", NotNull, &[], true);
        check("z", Null, &[], false);
        check("nope", NotNull, &[], false);
        check("nope", Null, &[], true);
        check("ss", Contains, &[s("a")], true);
        check("l", Contains, &[n(1)], true);
        check("s", Contains, &[s("ell")], true);
        check("nope", Contains, &[s("a")], false);
        check("ss", NotContains, &[s("a")], false);
        check("ss", NotContains, &[n(1)], true);
        check("n", NotContains, &[n(5)], true);
        check("m", NotContains, &[s("x")], true);
        check("nope", NotContains, &[s("a")], false);
        check("s", BeginsWith, &[s("he")], true);
        check("n", BeginsWith, &[s("5")], false);
        check("n", In, &[n(1), n(5)], true);
        check("n", In, &[n(1)], false);
        check("nope", In, &[n(1)], false);
        check("n", Between, &[n(5), n(6)], true);
        check("n", Between, &[s("1"), s("9")], false);
        check("m.x", Eq, &[n(1)], false);
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        use LegacyOperator::*;
        let check = |operator: LegacyOperator, values: &[Value], expected: &str| {
            let refused = comparison("a", operator, values).expect_err("the values do not fit");
            assert_eq!(refused, StoreError::validation(expected), "{} {values:?}", operator.name());
        };
        for operator in LegacyOperator::ALL {
            let counts: &[usize] = match operator {
                Null | NotNull => &[1, 2],
                In => &[0],
                Between => &[0, 1, 3],
                _ => &[0, 2],
            };
            let message = format!(
                "One or more parameter values were invalid: Invalid number of argument(s) for the {} ComparisonOperator",
                operator.name()
            );
            for count in counts {
                check(operator, &vec![s("a"); *count], &message);
            }
        }
        let mixed = "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of \
                     same type";
        check(Between, &[n(1), s("9")], mixed);
        check(In, &[n(1), n(2), s("9")], mixed);
        let range = "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound";
        check(Between, &[n(10), n(9)], range);
        check(Between, &[b(b"b"), b(b"a")], range);
    }

    #[test]
    fn types_that_an_operator_does_not_know_are_refused() {
        use LegacyOperator::*;
        let examples =
            [s("a"), n(1), b(b"a"), Value::Bool(true), Value::Null, list([]), map([]), ss(["a"]), ns([1])];
        let check = |operator: LegacyOperator, known: usize| {
            for (position, example) in examples.iter().enumerate() {
                let values = vec![example.clone(); if operator == Between { 2 } else { 1 }];
                let expected = if position < known {
                    Ok(())
                } else {
                    let (operator, kind) = (operator.name(), example.kind().name());
                    Err(invalid(format!(
                        "ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
                    )))
                };
                assert_eq!(check_values(operator, &values), expected);
            }
        };
        for operator in [Le, Lt, Ge, Gt, In, Between] {
            check(operator, 3);
        }
        for operator in [Contains, NotContains] {
            check(operator, 5);
        }
        for operator in [Eq, Ne] {
            check(operator, 9);
        }
        assert_eq!(
            check_values(BeginsWith, &[n(1)]),
            Err(StoreError::validation(
                "One or more parameter values were invalid: ComparisonOperator BEGINS_WITH is not valid for N \
                 AttributeValue type"
            ))
        );
    }
}
