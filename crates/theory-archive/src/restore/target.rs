//! The table that items are put back into.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::expr::Condition;
use tabletheory_core::schema::{KeyElement, KeyType};
use tabletheory_core::store::op::{
    DescribeTable, DescribeTimeToLive, GetItem, OnConditionFailure, PutItem, WriteReturns,
};
use tabletheory_core::{Item, Seconds, Store, StoreError, StoreExt as _, Timestamp, Value};
use tokio::time::sleep;

use super::choice::{RestoreSettings, Ttl};
use crate::entry::Entry;
use crate::error::Error;
use crate::patience::wait;

/// How often a write is tried that the store throttles or does not answer.
const ATTEMPTS: u32 = 8;
const BACKOFF_MAX: Duration = Duration::from_secs(20);

/// A table that was found to be there.
#[derive(Debug)]
pub(super) struct Target {
    store: Arc<dyn Store>,
    table: String,
    /// Its key, and the type of each part.
    keys: Vec<(String, KeyType)>,
    /// The attribute by which its items expire, if they do.
    expires_by: Option<String>,
    ttl: Ttl,
    now: Timestamp,
    is_overwriting: bool,
    is_dry: bool,
}

/// What came of an item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Put {
    Restored,
    Present,
    Newer,
    Refused(String),
}

impl Target {
    pub(super) async fn open(
        store: Arc<dyn Store>,
        settings: &RestoreSettings,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let table = settings.table.clone();
        let of_table = |source| Error::Table { table: table.clone(), source };
        let described = store.describe_table(DescribeTable { table: table.clone() }).await;
        let described = described.map_err(of_table)?.table;
        let asked = DescribeTimeToLive { table: table.clone() };
        let expires_by = store.describe_time_to_live(asked).await.map_err(of_table)?.attribute;
        let kind = |key: &KeyElement| {
            let found = described.attributes.iter().find(|attribute| attribute.name == key.name);
            found.map(|found| (key.name.clone(), found.kind))
        };
        let keys: Vec<(String, KeyType)> = described.keys.iter().filter_map(kind).collect();
        let ttl = match (settings.ttl, &expires_by) {
            (Some(ttl), _) => ttl,
            (None, None) => Ttl::Keep,
            (None, Some(attribute)) => {
                let attribute = attribute.clone();
                return Err(Error::WouldExpire { table, attribute });
            }
        };
        let key_expires = expires_by.as_ref().filter(|name| keys.iter().any(|(key, _)| key == *name));
        if let (Some(attribute), true) = (key_expires, ttl != Ttl::Keep) {
            return Err(Error::KeyExpires { table, attribute: attribute.clone() });
        }
        let (is_overwriting, is_dry) = (settings.is_overwriting, settings.is_dry);
        Ok(Self { store, table, keys, expires_by, ttl, now, is_overwriting, is_dry })
    }

    /// Why the item cannot be put into the table, if its key is not that of the table.
    pub(super) fn misfit(&self, place: &str, entry: &Entry) -> Option<Error> {
        let fits = |(name, kind): &(String, KeyType)| {
            let value = entry.item.get(name);
            value.is_some_and(|value| kind_of(value) == kind.name()) && value == entry.keys.get(name)
        };
        if entry.keys.len() == self.keys.len() && self.keys.iter().all(fits) {
            return None;
        }
        let text = |name: &str, kind: &str| format!("{name} ({kind})");
        let found: Vec<String> = entry.keys.iter().map(|(name, value)| text(name, kind_of(value))).collect();
        let wanted: Vec<String> = self.keys.iter().map(|(name, kind)| text(name, kind.name())).collect();
        Some(Error::OtherKeys {
            place: place.to_owned(),
            table: self.table.clone(),
            found: found.join(", "),
            wanted: wanted.join(", "),
        })
    }

    /// Puts the item, whose time to live stood in this attribute when it was removed.
    pub(super) async fn put(&self, mut item: Item, expired_by: Option<&str>) -> Result<Put, Error> {
        self.change_expiry(&mut item, expired_by);
        let mut failures = 0;
        loop {
            let answer = match self.is_dry {
                true => self.look(&item).await,
                false => self.write(&item).await,
            };
            match answer {
                Err(error) if error.is_retryable() && failures + 1 < ATTEMPTS => {
                    failures += 1;
                    sleep(wait(failures, BACKOFF_MAX)).await;
                }
                Err(StoreError::Validation(reason)) => return Ok(Put::Refused(reason)),
                answer => {
                    return answer.map_err(|source| Error::Table { table: self.table.clone(), source });
                }
            }
        }
    }

    fn change_expiry(&self, item: &mut Item, expired_by: Option<&str>) {
        let Some(attribute) = self.expires_by.as_deref().or(expired_by) else { return };
        let is_key = self.keys.iter().any(|(key, _)| key == attribute);
        match self.ttl {
            Ttl::Keep => {}
            // The table does not expire by it, or it would have been refused before.
            _ if is_key => {}
            Ttl::Remove => drop(item.remove(attribute)),
            Ttl::After(Seconds(span)) => {
                let at = self.now.seconds().saturating_add(span);
                item.insert(attribute, Value::n(at));
            }
        }
    }

    async fn write(&self, item: &Item) -> Result<Put, StoreError> {
        let (first, _) = self.keys.first().expect("every table has a key");
        let is_new = Condition::AttributeNotExists(first.as_str().into());
        let put = PutItem {
            table: self.table.clone(),
            item: item.clone(),
            condition: (!self.is_overwriting).then_some(is_new),
            returns: WriteReturns {
                on_condition_failure: OnConditionFailure::AllOld,
                ..WriteReturns::default()
            },
        };
        match self.store.put_item(put).await {
            Ok(_) => Ok(Put::Restored),
            // The same item: restored before, or by this very write whose answer was lost.
            Err(StoreError::ConditionalCheckFailed { item: found }) => {
                Ok(if found.as_deref() == Some(item) { Put::Present } else { Put::Newer })
            }
            Err(error) => Err(error),
        }
    }

    /// What writing the item would come to.
    async fn look(&self, item: &Item) -> Result<Put, StoreError> {
        let key = self.keys.iter().filter_map(|(name, _)| Some((name.as_str(), item.get(name)?.clone())));
        let asked =
            GetItem { table: self.table.clone(), key: key.collect(), consistent: true, ..GetItem::default() };
        Ok(match self.store.get_item(asked).await?.item {
            Some(found) if found == *item => Put::Present,
            Some(_) if !self.is_overwriting => Put::Newer,
            _ => Put::Restored,
        })
    }
}

/// The type of a value that can be part of a key.
fn kind_of(value: &Value) -> &'static str {
    value.kind().name()
}
