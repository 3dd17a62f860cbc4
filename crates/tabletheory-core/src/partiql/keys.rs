//! The keys in a `WHERE` clause. A statement mixes them with everything else; a read by key, a query and a conditional
//! write want them apart. Only the conditions that the outermost `AND`s join are looked at: what stands inside an `OR`
//! or a `NOT` need not be true.

use crate::error::StoreError;
use crate::expr::{Comparator, Condition, KeyCondition, KeyPredicate, Operand, Path};
use crate::item::Item;
use crate::limits::DECOMPOSED_READS_MAX;
use crate::value::Value;

/// How a SELECT reaches its items, and what it then asks of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Where to look.
    pub access: Access,
    /// What else must be true of an item. It may speak of keys, unlike the filter of a Query.
    pub filter: Option<Condition>,
}

/// Where a SELECT looks for its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Everywhere: the condition names no partition.
    Scan,
    /// In each of these, in the order written; no item is in two of them. There is more than one if keys were given by
    /// `IN`, or by equalities joined with `OR`.
    Query(Vec<KeyCondition>),
}

impl Plan {
    /// The key attributes, if the SELECT asks for equality with them and for nothing else. If they are the whole key, it
    /// reads one item, as every SELECT of a batch or a transaction must.
    #[must_use]
    pub fn key(&self) -> Option<Item> {
        let (Access::Query(queries), None) = (&self.access, &self.filter) else { return None };
        let [query] = queries.as_slice() else { return None };
        let equalities = query.predicates.iter().map(|(name, predicate)| match predicate {
            KeyPredicate::Eq(value) => Some((name.clone(), value.clone())),
            _ => None,
        });
        equalities.collect()
    }
}

/// Plans a SELECT on a table or index whose key is made of these attributes, in the order of its schema.
///
/// ```
/// use tabletheory_core::expr::{KeyCondition, KeyPredicate};
/// use tabletheory_core::partiql::{self, Access, Command};
///
/// let Command::Select(select) = partiql::parse("SELECT * FROM t WHERE pk IN ['a', 'b'] AND sk > 1", &[])? else {
///     unreachable!()
/// };
/// let plan = partiql::plan(select.condition.as_ref(), &["pk"], &["sk"])?;
/// let query = |pk| KeyCondition::partition("pk", pk).and("sk", KeyPredicate::Gt(1.into()));
/// assert_eq!(plan.access, Access::Query(vec![query("a"), query("b")]));
/// assert_eq!(plan.filter, None);
/// # Ok::<(), tabletheory_core::StoreError>(())
/// ```
///
/// # Errors
///
/// [`StoreError::Validation`] if the condition names a key twice in one list, or asks for more than 50 queries.
pub fn plan(condition: Option<&Condition>, partition: &[&str], sort: &[&str]) -> Result<Plan, StoreError> {
    let mut conjuncts = Conjuncts::of(condition);
    let mut queries = vec![KeyCondition::default()];
    for name in partition {
        match conjuncts.take_alternatives(name) {
            Some(values) => queries = multiply(&queries, name, &values)?,
            None => return Ok(Plan { access: Access::Scan, filter: condition.cloned() }),
        }
    }
    for name in sort {
        if let Some(values) = conjuncts.take_alternatives(name) {
            queries = multiply(&queries, name, &values)?;
            continue;
        }
        // A range ends the key: what follows it in the schema can no longer narrow the query.
        if let Some(range) = conjuncts.take_predicate(name) {
            queries.iter_mut().for_each(|query| query.predicates.push(((*name).to_owned(), range.clone())));
        }
        break;
    }
    Ok(Plan { access: Access::Query(queries), filter: conjuncts.rest() })
}

/// Every query with every value.
fn multiply(queries: &[KeyCondition], name: &str, values: &[Value]) -> Result<Vec<KeyCondition>, StoreError> {
    if values.iter().enumerate().any(|(at, value)| values[..at].contains(value)) {
        return Err(StoreError::validation(
            "Overlapping conditions with range keys are not supported in where clause",
        ));
    }
    if queries.len() * values.len() > DECOMPOSED_READS_MAX {
        return Err(StoreError::validation("Too many decomposed read operations for a given query."));
    }
    let with_each = |query: &KeyCondition| {
        let query = query.clone();
        values.iter().map(move |value| query.clone().and(name, KeyPredicate::Eq(value.clone())))
    };
    Ok(queries.iter().flat_map(with_each).collect())
}

/// The key that a write names, as far as it does, and the rest of its condition.
///
/// A second equality with the same value says nothing new and is dropped. One with another value stays in the rest,
/// where [`conflicting_key`] finds it.
#[must_use]
pub fn split_key(condition: &Condition, key_names: &[&str]) -> (Item, Option<Condition>) {
    let mut key = Item::new();
    let mut conjuncts = Conjuncts::of(Some(condition));
    conjuncts.retain(|conjunct| match equality(conjunct) {
        Some((name, value)) if key_names.contains(&name) => match key.get(name) {
            Some(known) => known != value,
            None => {
                key.insert(name, value.clone());
                false
            }
        },
        _ => true,
    });
    (key, conjuncts.rest())
}

/// A key attribute that the rest of a [`split_key`] wants to equal yet another value. The service refuses such a write:
/// it could only name two items.
#[must_use]
pub fn conflicting_key<'a>(rest: &'a Condition, key_names: &[&str]) -> Option<&'a str> {
    let equalities = Conjuncts::of(Some(rest)).remaining.into_iter().filter_map(equality);
    equalities.map(|(name, _)| name).find(|name| key_names.contains(name))
}

/// What the outermost `AND`s join, in the order written.
struct Conjuncts<'a> {
    remaining: Vec<&'a Condition>,
}

impl<'a> Conjuncts<'a> {
    fn of(condition: Option<&'a Condition>) -> Self {
        let mut remaining = Vec::new();
        let mut pending = Vec::from_iter(condition);
        while let Some(condition) = pending.pop() {
            match condition {
                Condition::And(left, right) => pending.extend([right.as_ref(), left.as_ref()]),
                conjunct => remaining.push(conjunct),
            }
        }
        Self { remaining }
    }

    fn retain(&mut self, keep: impl FnMut(&&'a Condition) -> bool) {
        self.remaining.retain(keep);
    }

    /// Takes the conjunct that allows an attribute the fewest values, with all that say the same.
    fn take_alternatives(&mut self, name: &str) -> Option<Vec<Value>> {
        let found = self.remaining.iter().filter_map(|conjunct| alternatives(conjunct, name));
        let fewest = found.min_by_key(Vec::len)?;
        self.retain(|conjunct| alternatives(conjunct, name).as_ref() != Some(&fewest));
        Some(fewest.into_iter().cloned().collect())
    }

    /// Takes the first range of an attribute. Its equalities are alternatives, and were taken as such.
    fn take_predicate(&mut self, name: &str) -> Option<KeyPredicate> {
        let is_of = |conjunct: &&Condition| predicate(conjunct).is_some_and(|(found, _)| found == name);
        let at = self.remaining.iter().position(is_of)?;
        predicate(self.remaining.remove(at)).map(|(_, predicate)| predicate)
    }

    fn rest(self) -> Option<Condition> {
        self.remaining.into_iter().cloned().reduce(Condition::and)
    }
}

/// The values a condition allows an attribute, if it says nothing else.
fn alternatives<'a>(condition: &'a Condition, name: &str) -> Option<Vec<&'a Value>> {
    match condition {
        Condition::In(Operand::Path(path), candidates) if attribute(path) == Some(name) => {
            let values = candidates.iter().map(|candidate| match candidate {
                Operand::Value(value) => Some(value),
                Operand::Path(_) | Operand::Size(_) => None,
            });
            values.collect()
        }
        Condition::Or(left, right) => {
            let mut values = alternatives(left, name)?;
            values.extend(alternatives(right, name)?);
            Some(values)
        }
        _ => equality(condition).filter(|(found, _)| *found == name).map(|(_, value)| vec![value]),
    }
}

fn attribute(path: &Path) -> Option<&str> {
    path.is_attribute().then_some(path.root.as_str())
}

fn equality(condition: &Condition) -> Option<(&str, &Value)> {
    match comparison(condition)? {
        (name, Comparator::Eq, value) => Some((name, value)),
        _ => None,
    }
}

/// A comparison of an attribute with a value, read from the attribute's side.
fn comparison(condition: &Condition) -> Option<(&str, Comparator, &Value)> {
    match condition {
        Condition::Compare(Operand::Path(path), comparator, Operand::Value(value)) => {
            Some((attribute(path)?, *comparator, value))
        }
        Condition::Compare(Operand::Value(value), comparator, Operand::Path(path)) => {
            Some((attribute(path)?, comparator.mirrored(), value))
        }
        _ => None,
    }
}

fn predicate(condition: &Condition) -> Option<(&str, KeyPredicate)> {
    match condition {
        Condition::Between(Operand::Path(path), Operand::Value(low), Operand::Value(high)) => {
            Some((attribute(path)?, KeyPredicate::Between(low.clone(), high.clone())))
        }
        Condition::BeginsWith(Operand::Path(path), Operand::Value(prefix)) => {
            Some((attribute(path)?, KeyPredicate::BeginsWith(prefix.clone())))
        }
        _ => {
            let (name, comparator, value) = comparison(condition)?;
            let predicate = match comparator {
                Comparator::Eq => KeyPredicate::Eq,
                Comparator::Lt => KeyPredicate::Lt,
                Comparator::Le => KeyPredicate::Le,
                Comparator::Gt => KeyPredicate::Gt,
                Comparator::Ge => KeyPredicate::Ge,
                Comparator::Ne => return None,
            };
            Some((name, predicate(value.clone())))
        }
    }
}
