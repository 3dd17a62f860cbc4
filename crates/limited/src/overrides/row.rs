//! The row of an override: where it stands, what it says, and whether a policy can have that.

use std::sync::Arc;

use tabletheory::Model;
use tabletheory::key::Key;
use tabletheory_core::store::op::{BatchGetItem, KeysAndProjection};
use tabletheory_core::{Item, Value};

use crate::error::Error;
use crate::limit::Limit;
use crate::policy::Policy;
use crate::subject::partition;

/// Who has limits of their own.
///
/// ```
/// use limited::Whose;
///
/// assert_ne!(Whose::Identifier("acme"), Whose::Tenant("acme"), "a tenant cannot pass for an identifier");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose<'a> {
    /// One identifier.
    Identifier(&'a str),
    /// All of a tenant's that have none of their own. Each is counted apart.
    Tenant(&'a str),
}

/// Without the value: it says who somebody is.
impl std::fmt::Debug for Whose<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Identifier(_) => "Identifier",
            Self::Tenant(_) => "Tenant",
        })
    }
}

/// Where an override stands. Tenants have a sort key of their own, so that none can pass for an identifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    partition: String,
    sort_key: &'static str,
}

impl Place {
    pub(super) fn of(policy: &Policy, whose: Whose<'_>) -> Result<Self, Error> {
        let (who, sort_key) = match whose {
            Whose::Identifier(identifier) => (identifier, "OVERRIDE"),
            Whose::Tenant(tenant) => (tenant, "OVERRIDE#TENANT"),
        };
        Ok(Self { partition: partition(policy.name(), None, who)?, sort_key })
    }

    pub(super) fn key(&self) -> Key<OverrideRow> {
        OverrideRow::key(self.partition.as_str(), self.sort_key)
    }

    /// Whether a row stands here.
    pub(super) fn is_at(&self, item: &Item) -> bool {
        let is = |name: &str, text: &str| item.get(name).and_then(Value::as_s) == Some(text);
        is("Identifier", &self.partition) && is("WindowTime", self.sort_key)
    }

    fn item(&self) -> Item {
        Item::from([("Identifier", self.partition.as_str()), ("WindowTime", self.sort_key)])
    }
}

/// The row.
#[derive(Model)]
#[model(table = "rate-limits", table_env("RATE_LIMIT_TABLE_NAME"), rename_all = "PascalCase")]
pub(super) struct OverrideRow {
    #[model(pk)]
    identifier: String,
    #[model(sk)]
    window_time: String,
    /// As in settings: `20/s burst 60`.
    limits: Vec<String>,
    #[model(updated_at)]
    updated_at: Option<jiff::Timestamp>,
}

impl OverrideRow {
    pub(super) fn new(place: &Place, limits: &[Limit]) -> Self {
        Self {
            identifier: place.partition.clone(),
            window_time: place.sort_key.to_owned(),
            limits: limits.iter().map(Limit::text).collect(),
            updated_at: None,
        }
    }
}

/// Reads several places in one call.
pub(super) fn read_all<'p>(table: &str, places: impl Iterator<Item = &'p Place>) -> BatchGetItem {
    let keys = places.map(Place::item).collect();
    let wanted = KeysAndProjection { keys, consistent: true, ..KeysAndProjection::default() };
    BatchGetItem { tables: [(table.to_owned(), wanted)].into(), ..BatchGetItem::default() }
}

/// The limits that a row says, or why it says none. The row is named without the identifier, which says who somebody is.
pub(super) fn read(
    policy: &Policy,
    place: &Place,
    item: Option<Item>,
) -> Result<Option<Arc<[Limit]>>, String> {
    let Some(item) = item else { return Ok(None) };
    let unreadable = |why: &dyn std::fmt::Display| {
        format!("`{}` of the policy `{}`: {why}", place.sort_key, policy.name())
    };
    let row = OverrideRow::from_item(item).map_err(|error| unreadable(&error))?;
    let limits: Result<Arc<[Limit]>, Error> = row.limits.iter().map(|text| text.parse()).collect();
    let limits = limits.map_err(|error| unreadable(&error))?;
    check(policy, &limits).map_err(|error| unreadable(&error))?;
    Ok(Some(limits))
}

/// Whether the policy could have these limits: a leased one has no log, and a sharded one no small ones.
pub(super) fn check(policy: &Policy, limits: &[Limit]) -> Result<(), Error> {
    let mut other = Policy::new(policy.name(), limits.iter().copied())?;
    if let Some(batch) = policy.batch() {
        other = other.leased(batch)?;
    }
    if policy.shards() > 1 {
        other.sharded(policy.shards())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_has_no_override_that_it_could_not_have_itself() {
        let policy = Policy::new("api", [Limit::per_second(100_000)]).expect("a policy");
        let refused = |policy: &Policy, limit: Limit| assert!(check(policy, &[limit]).is_err());
        assert!(check(&policy, &[Limit::per_second(9).sliding_log()]).is_ok());
        assert!(check(&policy, &[]).is_err());
        refused(&policy, Limit::per_second(0));
        refused(&policy.clone().leased(50).expect("leased"), Limit::per_second(9).sliding_log());
        refused(&policy.sharded(10).expect("sharded"), Limit::per_second(100));
    }

    #[test]
    fn what_cannot_be_read_names_the_row_and_nobody() {
        let policy = Policy::new("api", [Limit::per_second(1)]).expect("a policy");
        let place = Place::of(&policy, Whose::Tenant("acme")).expect("a place");
        let said = |limits: Option<Value>| {
            let mut item = place.item();
            if let Some(limits) = limits {
                item.insert("Limits", limits);
            }
            read(&policy, &place, Some(item)).expect_err("it is no override")
        };
        let wrong = [
            None,
            Some(Value::n(5)),
            Some(Value::L(vec![])),
            Some(Value::L(vec![Value::n(5)])),
            Some(Value::L(vec![Value::s("20 per second")])),
            Some(Value::L(vec![Value::s("0/s")])),
        ];
        for limits in wrong {
            let said = said(limits);
            assert!(said.starts_with("`OVERRIDE#TENANT` of the policy `api`: "), "{said}");
            assert!(!said.contains("acme"), "{said}");
        }
        assert_eq!(read(&policy, &place, None), Ok(None));
    }
}
