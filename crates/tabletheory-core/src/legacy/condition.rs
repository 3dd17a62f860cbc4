//! `Expected`, `QueryFilter` and `ScanFilter`: comparisons of several attributes, joined into one condition.

use std::collections::BTreeMap;

use super::comparison::comparison;
use super::{ConditionalOperator, Expected, Filter, LegacyOperator, check_name, invalid};
use crate::error::StoreError;
use crate::expr::{Comparator, Condition, Path};
use crate::value::Value;

/// The condition that `Expected` asks for; none if it names no attribute.
///
/// # Errors
/// If the fields of an attribute do not go together, or its values do not fit its operator, or there is nothing for
/// `operator` to join.
pub fn condition(
    expected: &BTreeMap<String, Expected>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, StoreError> {
    joined(expected, operator, expectation)
}

/// The condition that `QueryFilter` or `ScanFilter` asks for; none if it names no attribute.
///
/// # Errors
/// If the values of an attribute do not fit its operator, or there is nothing for `operator` to join.
pub fn filter(
    filters: &BTreeMap<String, Filter>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, StoreError> {
    joined(filters, operator, |name, filter| comparison(name, filter.operator, &filter.values))
}

fn joined<T>(
    parts: &BTreeMap<String, T>,
    operator: Option<ConditionalOperator>,
    part: impl Fn(&str, &T) -> Result<Condition, StoreError>,
) -> Result<Option<Condition>, StoreError> {
    match (operator, parts.len()) {
        (Some(_), 0) => {
            return Err(StoreError::validation(
                "ConditionalOperator cannot be used without Filter or Expected",
            ));
        }
        (Some(_), 1) => {
            return Err(StoreError::validation(
                "ConditionalOperator can only be used when Filter or Expected has two or more elements",
            ));
        }
        _ => {}
    }
    let mut conditions = Vec::with_capacity(parts.len());
    for (name, value) in parts {
        check_name(name)?;
        conditions.push(part(name, value)?);
    }
    Ok(join(conditions, operator.unwrap_or_default()))
}

/// One condition of many. Halves are joined rather than a chain: nothing limits how many attributes a request names,
/// and evaluating a tree takes as much stack as it is deep.
fn join(mut conditions: Vec<Condition>, operator: ConditionalOperator) -> Option<Condition> {
    if conditions.len() <= 1 {
        return conditions.pop();
    }
    let later = conditions.split_off(conditions.len() / 2);
    let (first, second) = (join(conditions, operator)?, join(later, operator)?);
    Some(match operator {
        ConditionalOperator::And => first.and(second),
        ConditionalOperator::Or => first.or(second),
    })
}

/// What is expected of one attribute.
fn expectation(name: &str, expected: &Expected) -> Result<Condition, StoreError> {
    match expected {
        Expected { value: Some(_), values: Some(_), .. } => Err(invalid(format!(
            "Value and AttributeValueList cannot be used together for Attribute: {name}"
        ))),
        Expected { operator: Some(_), exists: Some(_), .. } => Err(invalid(format!(
            "Exists and ComparisonOperator cannot be used together for Attribute: {name}"
        ))),
        Expected { operator: Some(operator), value, values, .. } => {
            compared(name, *operator, value.as_ref(), values.as_deref())
        }
        Expected { values: Some(_), .. } => Err(invalid(format!(
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}"
        ))),
        Expected { value, exists, .. } => existing(name, value.as_ref(), *exists),
    }
}

fn compared(
    name: &str,
    operator: LegacyOperator,
    value: Option<&Value>,
    values: Option<&[Value]>,
) -> Result<Condition, StoreError> {
    match (values, value) {
        (Some(values), _) => comparison(name, operator, values),
        (None, Some(value)) => comparison(name, operator, std::slice::from_ref(value)),
        (None, None) if matches!(operator, LegacyOperator::Null | LegacyOperator::NotNull) => {
            comparison(name, operator, &[])
        }
        (None, None) => Err(invalid(format!(
            "Value or AttributeValueList must be used with ComparisonOperator: {} for Attribute: {name}",
            operator.name()
        ))),
    }
}

fn existing(name: &str, value: Option<&Value>, exists: Option<bool>) -> Result<Condition, StoreError> {
    let attribute = Path::attribute(name);
    match (value, exists) {
        (Some(value), None | Some(true)) => {
            Ok(Condition::Compare(attribute.into(), Comparator::Eq, value.clone().into()))
        }
        (None, Some(false)) => Ok(Condition::AttributeNotExists(attribute)),
        (Some(_), Some(false)) => {
            Err(invalid(format!("Value cannot be used when Exists is false for Attribute: {name}")))
        }
        (None, Some(true)) => {
            Err(invalid(format!("Value must be provided when Exists is true for Attribute: {name}")))
        }
        (None, None) => {
            Err(invalid(format!("Value must be provided when Exists is null for Attribute: {name}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::shorthand::{n, s};
    use crate::item::Item;

    fn sample() -> Item {
        Item::from([("n", n(5)), ("s", s("hello"))])
    }

    fn is(value: Value) -> Expected {
        Expected { value: Some(value), ..Expected::default() }
    }

    fn one(expected: Expected) -> BTreeMap<String, Expected> {
        BTreeMap::from([("n".to_owned(), expected)])
    }

    #[test]
    fn expectations_hold_as_the_service_answers() {
        let check = |name: &str, expected: Expected, holds: bool| {
            let expected = BTreeMap::from([(name.to_owned(), expected)]);
            let condition =
                condition(&expected, None).expect("the fields go together").expect("one attribute");
            assert_eq!(condition.holds(&sample()), holds, "{expected:?}");
        };
        let exists = |exists| Expected { exists: Some(exists), ..Expected::default() };
        let operator = |operator| Expected { operator: Some(operator), ..Expected::default() };
        check("n", is(n(5)), true);
        check("n", is(n(6)), false);
        check("nope", is(n(5)), false);
        check("n", Expected { exists: Some(true), ..is(n(5)) }, true);
        check("n", exists(false), false);
        check("nope", exists(false), true);
        check("n", operator(LegacyOperator::Null), false);
        check("n", operator(LegacyOperator::NotNull), true);
        check("n", Expected { operator: Some(LegacyOperator::Ne), ..is(n(5)) }, false);
        check("nope", Expected { operator: Some(LegacyOperator::Ne), ..is(n(5)) }, true);
        check("n", Expected { operator: Some(LegacyOperator::In), ..is(n(5)) }, true);
        let range = Expected { values: Some(vec![n(1), n(5)]), ..operator(LegacyOperator::Between) };
        check("n", range, true);
        check("n", Expected { values: Some(vec![]), ..operator(LegacyOperator::NotNull) }, true);
    }

    #[test]
    fn fields_that_do_not_go_together_are_refused() {
        let check = |expected: Expected, message: &str| {
            assert_eq!(condition(&one(expected), None), Err(invalid(message)));
        };
        let eq = Expected { operator: Some(LegacyOperator::Eq), ..Expected::default() };
        let listed = Expected { values: Some(vec![n(5)]), ..Expected::default() };
        check(Expected::default(), "Value must be provided when Exists is null for Attribute: n");
        let exists = |exists| Expected { exists: Some(exists), ..Expected::default() };
        check(exists(true), "Value must be provided when Exists is true for Attribute: n");
        let contradiction = Expected { exists: Some(false), ..is(n(5)) };
        check(contradiction, "Value cannot be used when Exists is false for Attribute: n");
        let missing = "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: n";
        check(eq.clone(), missing);
        let together = "Exists and ComparisonOperator cannot be used together for Attribute: n";
        check(Expected { exists: Some(true), ..eq.clone() }, together);
        check(Expected { exists: Some(false), value: Some(n(5)), ..eq.clone() }, together);
        let both = "Value and AttributeValueList cannot be used together for Attribute: n";
        check(Expected { value: Some(n(5)), ..listed.clone() }, both);
        check(Expected { value: Some(n(5)), values: Some(vec![n(5)]), ..eq.clone() }, both);
        let no_operator = "AttributeValueList can only be used with a ComparisonOperator for Attribute: n";
        check(listed.clone(), no_operator);
        check(Expected { exists: Some(true), ..listed }, no_operator);
        let count = |name: &str| format!("Invalid number of argument(s) for the {name} ComparisonOperator");
        check(Expected { values: Some(vec![]), ..eq }, &count("EQ"));
        check(Expected { operator: Some(LegacyOperator::Null), ..is(n(5)) }, &count("NULL"));
        check(Expected { operator: Some(LegacyOperator::Between), ..is(n(5)) }, &count("BETWEEN"));
    }

    #[test]
    fn several_attributes_are_joined() {
        let two = |n_is: i64, s_is: &str| {
            BTreeMap::from([("n".to_owned(), is(n(n_is))), ("s".to_owned(), is(s(s_is)))])
        };
        let check = |expected, operator, holds: bool| {
            let condition = condition(&expected, operator).expect("valid").expect("two attributes");
            assert_eq!(condition.holds(&sample()), holds, "{expected:?} {operator:?}");
            assert_eq!(condition.attributes(), ["n", "s"]);
        };
        check(two(5, "hello"), None, true);
        check(two(5, "x"), None, false);
        check(two(5, "x"), Some(ConditionalOperator::And), false);
        check(two(5, "x"), Some(ConditionalOperator::Or), true);
        check(two(6, "hello"), Some(ConditionalOperator::Or), true);
        check(two(6, "x"), Some(ConditionalOperator::Or), false);
    }

    #[test]
    fn any_number_of_attributes_can_be_joined() {
        let expected: BTreeMap<String, Expected> =
            (0..20_000).map(|one| (format!("a{one:05}"), is(n(one)))).collect();
        let mut item: Item = (0..20_000).map(|one| (format!("a{one:05}"), n(one))).collect();
        let all = condition(&expected, None).expect("valid").expect("many attributes");
        assert!(all.holds(&item));
        item.insert("a19999", n(0));
        assert!(!all.holds(&item));
    }

    #[test]
    fn an_operator_needs_something_to_join() {
        let or = Some(ConditionalOperator::Or);
        assert_eq!(condition(&BTreeMap::new(), None), Ok(None));
        assert_eq!(filter(&BTreeMap::new(), None), Ok(None));
        let nothing = StoreError::validation("ConditionalOperator cannot be used without Filter or Expected");
        assert_eq!(condition(&BTreeMap::new(), or), Err(nothing.clone()));
        assert_eq!(filter(&BTreeMap::new(), or), Err(nothing));
        let single = "ConditionalOperator can only be used when Filter or Expected has two or more elements";
        assert_eq!(condition(&one(is(n(5))), or), Err(StoreError::validation(single)));
    }

    #[test]
    fn filters_are_comparisons_by_name() {
        let at_least = Filter { operator: LegacyOperator::Ge, values: vec![n(5)] };
        let filters = |name: &str| BTreeMap::from([(name.to_owned(), at_least.clone())]);
        let holds = |name: &str| filter(&filters(name), None).expect("valid").expect("one").holds(&sample());
        assert!(holds("n"));
        assert!(!holds("s"));
        assert_eq!(filter(&filters(""), None), Err(StoreError::validation("Empty attribute name")));
    }
}
