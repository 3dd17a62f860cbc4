//! `KeyConditions`: which keys a query visits. Whether the names are those of the keys is for who knows the table.

use std::collections::BTreeMap;

use super::comparison::check_values;
use super::{Filter, LegacyOperator};
use crate::error::StoreError;
use crate::expr::{KeyCondition, KeyPredicate};

/// The key condition that `KeyConditions` asks for.
///
/// # Errors
/// If there are not one or two attributes, or an operator is none that keys are found by, or its values do not fit it.
pub fn key_condition(conditions: &BTreeMap<String, Filter>) -> Result<KeyCondition, StoreError> {
    for condition in conditions.values() {
        check_values(condition.operator, &condition.values)?;
    }
    if !matches!(conditions.len(), 1 | 2) {
        return Err(StoreError::validation("Conditions can be of length 1 or 2 only"));
    }
    let predicates = conditions.iter().map(|(name, condition)| Ok((name.clone(), predicate(condition)?)));
    Ok(KeyCondition { predicates: predicates.collect::<Result<_, StoreError>>()? })
}

fn predicate(condition: &Filter) -> Result<KeyPredicate, StoreError> {
    Ok(match (condition.operator, condition.values.as_slice()) {
        (LegacyOperator::Eq, [value]) => KeyPredicate::Eq(value.clone()),
        (LegacyOperator::Lt, [value]) => KeyPredicate::Lt(value.clone()),
        (LegacyOperator::Le, [value]) => KeyPredicate::Le(value.clone()),
        (LegacyOperator::Gt, [value]) => KeyPredicate::Gt(value.clone()),
        (LegacyOperator::Ge, [value]) => KeyPredicate::Ge(value.clone()),
        (LegacyOperator::BeginsWith, [value]) => KeyPredicate::BeginsWith(value.clone()),
        (LegacyOperator::Between, [low, high]) => KeyPredicate::Between(low.clone(), high.clone()),
        _ => {
            return Err(StoreError::validation(
                "Attempted conditional constraint is not an indexable operation",
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::shorthand::{n, s};
    use crate::value::Value;

    fn conditions<const COUNT: usize>(
        parts: [(&str, LegacyOperator, Vec<Value>); COUNT],
    ) -> BTreeMap<String, Filter> {
        parts
            .into_iter()
            .map(|(name, operator, values)| (name.to_owned(), Filter { operator, values }))
            .collect()
    }

    #[test]
    fn operators_that_keys_are_found_by_become_predicates() {
        let check = |operator: LegacyOperator, values: Vec<Value>, expected: KeyPredicate| {
            let both = conditions([("pk", LegacyOperator::Eq, vec![s("a")]), ("sk", operator, values)]);
            assert_eq!(key_condition(&both), Ok(KeyCondition::partition("pk", "a").and("sk", expected)));
        };
        check(LegacyOperator::Eq, vec![n(1)], KeyPredicate::Eq(n(1)));
        check(LegacyOperator::Lt, vec![n(1)], KeyPredicate::Lt(n(1)));
        check(LegacyOperator::Le, vec![n(1)], KeyPredicate::Le(n(1)));
        check(LegacyOperator::Gt, vec![n(1)], KeyPredicate::Gt(n(1)));
        check(LegacyOperator::Ge, vec![n(1)], KeyPredicate::Ge(n(1)));
        check(LegacyOperator::BeginsWith, vec![s("x")], KeyPredicate::BeginsWith(s("x")));
        check(LegacyOperator::Between, vec![n(1), n(2)], KeyPredicate::Between(n(1), n(2)));
    }

    #[test]
    fn other_operators_and_numbers_of_attributes_are_refused() {
        use LegacyOperator::*;
        let check = |parts: BTreeMap<String, Filter>, message: &str| {
            assert_eq!(key_condition(&parts), Err(StoreError::validation(message)));
        };
        let unfit = "Attempted conditional constraint is not an indexable operation";
        for operator in [Ne, Contains, NotContains, In] {
            check(conditions([("pk", operator, vec![s("a")])]), unfit);
        }
        for operator in [Null, NotNull] {
            check(conditions([("pk", operator, vec![])]), unfit);
        }
        let eq = |name: &'static str| (name, Eq, vec![n(1)]);
        check(conditions([]), "Conditions can be of length 1 or 2 only");
        check(conditions([eq("a"), eq("b"), eq("c")]), "Conditions can be of length 1 or 2 only");
        let backwards = "The BETWEEN condition was provided a range where the lower bound is greater than the upper \
                         bound";
        check(conditions([("a", Between, vec![n(2), n(1)])]), backwards);
        let unordered = "One or more parameter values were invalid: ComparisonOperator LT is not valid for BOOL \
                         AttributeValue type";
        check(conditions([("a", Lt, vec![Value::Bool(true)])]), unordered);
    }
}
