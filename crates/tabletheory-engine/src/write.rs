//! One write to one item: checked before it is queued, evaluated against the item that is there, then applied with
//! everything that follows from it: index rows, the stream record, the size of its collection.

use std::cell::OnceCell;
use std::sync::Arc;

use tabletheory_core::expr::{Condition, ExpressionKind, Update, check};
use tabletheory_core::limits::TTL_AGE_SECONDS_MAX;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{OnConditionFailure, ReturnValues};
use tabletheory_core::{Item, Number, StoreError, Timestamp, Value};

use crate::capacity::{Charge, Tally, write_units};
use crate::group::Group;
use crate::kv::Bytes;
use crate::table::Table;
use crate::validate::Refusal;
use crate::{codec, collection, index, stream, validate};

/// What a write does.
#[derive(Debug)]
pub(crate) enum Deed {
    /// Puts this item, already encoded.
    Put { item: Item, bytes: Bytes },
    /// Changes attributes of the item with this key.
    Update { key: Item, update: Option<Update> },
    /// Removes the item with this key.
    Delete { key: Item },
    /// Changes nothing; the condition on the item with this key is all there is.
    Check { key: Item },
    /// Removes the item with this key if the attribute still tells that its time has passed.
    Expire { key: Item, attribute: String },
}

/// A write that was checked and waits to be evaluated.
#[derive(Debug)]
pub(crate) struct Write {
    pub table: Arc<Table>,
    pub row_key: Bytes,
    pub deed: Deed,
    pub condition: Option<Condition>,
    pub on_condition_failure: OnConditionFailure,
}

impl Write {
    /// A put of `item`.
    pub(crate) fn put(table: &Arc<Table>, item: Item, condition: Option<Condition>) -> Result<Self, Refusal> {
        let row_key = validate::item(table, &item)?;
        validate::index_keys(table, &item)?;
        validate::paths(table, condition.iter().flat_map(Condition::paths))?;
        let bytes = codec::encode(&item);
        Ok(Self::new(table, row_key, Deed::Put { item, bytes }, condition))
    }

    /// A change of the item with this key.
    pub(crate) fn update(
        table: &Arc<Table>,
        key: Item,
        update: Option<Update>,
        condition: Option<Condition>,
    ) -> Result<Self, Refusal> {
        let row_key = validate::key(table, &key)?;
        validate::paths(table, condition.iter().flat_map(Condition::paths))?;
        if let Some(update) = &update {
            validate::update(table, update)?;
        }
        Ok(Self::new(table, row_key, Deed::Update { key, update }, condition))
    }

    /// A removal of the item with this key.
    pub(crate) fn delete(
        table: &Arc<Table>,
        key: Item,
        condition: Option<Condition>,
    ) -> Result<Self, Refusal> {
        let row_key = validate::key(table, &key)?;
        validate::paths(table, condition.iter().flat_map(Condition::paths))?;
        Ok(Self::new(table, row_key, Deed::Delete { key }, condition))
    }

    /// A condition on the item with this key.
    pub(crate) fn check(
        table: &Arc<Table>,
        key: Item,
        condition: Option<Condition>,
    ) -> Result<Self, Refusal> {
        let row_key = validate::key(table, &key)?;
        validate::paths(table, condition.iter().flat_map(Condition::paths))?;
        Ok(Self::new(table, row_key, Deed::Check { key }, condition))
    }

    /// A removal of an item whose time seems to have passed.
    pub(crate) fn expire(table: &Arc<Table>, item: &Item, row_key: &[u8], attribute: String) -> Self {
        // A copy, because what was read is a piece of a block, which would stay in memory with the key.
        Self::new(table, row_key.into(), Deed::Expire { key: table.key_of(item), attribute }, None)
    }

    fn new(table: &Arc<Table>, row_key: Bytes, deed: Deed, condition: Option<Condition>) -> Self {
        let on_condition_failure = OnConditionFailure::None;
        Self { table: Arc::clone(table), row_key, deed, condition, on_condition_failure }
    }

    /// The attributes of the item's key.
    pub(crate) fn key(&self) -> Item {
        match &self.deed {
            Deed::Put { item, .. } => self.table.key_of(item),
            Deed::Update { key, .. }
            | Deed::Delete { key }
            | Deed::Check { key }
            | Deed::Expire { key, .. } => key.clone(),
        }
    }

    /// Sets what a failed condition returns.
    #[must_use]
    pub(crate) fn with_on_condition_failure(mut self, on_condition_failure: OnConditionFailure) -> Self {
        self.on_condition_failure = on_condition_failure;
        self
    }

    /// Finds out what the write will do, and does none of it.
    ///
    /// # Errors
    /// A condition that does not hold, or an update that the item does not allow.
    pub(crate) fn evaluate(self, group: &Group<'_>) -> Result<Change, StoreError> {
        let table = group.current(&self.table)?;
        let mut old = Stored::new(group.read(&table.rows, &self.row_key)?);
        self.check_holds(&old)?;
        let mut expired = false;
        let (update, new) = match self.deed {
            Deed::Put { item, bytes } => {
                validate::index_keys(&table, &item)?;
                (None, Some(New { item, bytes }))
            }
            Deed::Update { update: Some(update), .. } if old.bytes.is_none() && !update.creates() => {
                return Ok(Change {
                    kept: true,
                    ..Change::new(table, self.row_key, old, None, Some(update))
                });
            }
            Deed::Update { key, update } => {
                let new = updated(&table, key, &mut old, update.as_ref())?;
                (update, Some(new))
            }
            Deed::Delete { .. } => (None, None),
            Deed::Check { .. } => {
                return Ok(Change { kept: true, ..Change::new(table, self.row_key, old, None, None) });
            }
            Deed::Expire { attribute, .. } => {
                expired = true;
                if !old.item()?.is_some_and(|item| has_expired(item, &attribute, group.now.get())) {
                    return Ok(Change { kept: true, ..Change::new(table, self.row_key, old, None, None) });
                }
                (None, None)
            }
        };
        if table.collections.is_some() {
            collection::check_room(group, &table, old.item()?, new.as_ref().map(|new| &new.item))?;
        }
        Ok(Change { expired, ..Change::new(table, self.row_key, old, new, update) })
    }

    fn check_holds(&self, old: &Stored) -> Result<(), StoreError> {
        let Some(condition) = &self.condition else { return Ok(()) };
        let holds = match (old.bytes(), &self.deed) {
            (None, _) => condition.holds(&Item::new()),
            // An update needs the whole item anyway, and a condition that fails may have to tell it.
            (Some(_), Deed::Update { .. }) => old.item()?.is_some_and(|item| condition.holds(item)),
            (Some(bytes), _) => condition.holds(&codec::decode_only(bytes, &condition.attributes())?),
        };
        if holds {
            return Ok(());
        }
        let item = match self.on_condition_failure {
            OnConditionFailure::None => None,
            OnConditionFailure::AllOld => old.item()?.cloned().map(Box::new),
        };
        Err(StoreError::ConditionalCheckFailed { item })
    }
}

/// Checks the expressions of a write, which needs no table.
pub(crate) fn check_expressions(
    update: Option<&Update>,
    condition: Option<&Condition>,
) -> Result<(), StoreError> {
    update.map_or(Ok(()), check::update)?;
    condition.map_or(Ok(()), |condition| check::condition(condition, ExpressionKind::Condition))
}

/// Whether the attribute holds a time that has passed, and not so long ago that it must be a mistake.
pub(crate) fn has_expired(item: &Item, attribute: &str, now: Timestamp) -> bool {
    let Some(Value::N(number)) = item.get(attribute) else { return false };
    *number < Number::from(now.seconds()) && *number > Number::from(now.seconds() - TTL_AGE_SECONDS_MAX)
}

fn updated(table: &Table, key: Item, old: &mut Stored, update: Option<&Update>) -> Result<New, StoreError> {
    // What follows from a write may need the old item; otherwise it becomes the new one.
    let is_needed = !table.indexes.is_empty() || table.collections.is_some() || table.spec.stream.is_some();
    let before = if is_needed { old.item()?.cloned() } else { old.take()? };
    let before = before.unwrap_or(key);
    let item = match update {
        Some(update) => update.apply_to(before)?,
        None => before,
    };
    tabletheory_core::validate::updated_item(&item)?;
    validate::updated_index_keys(table, if is_needed { old.item()? } else { None }, &item)?;
    let bytes = codec::encode(&item);
    Ok(New { item, bytes })
}

/// An item as it is stored, decoded when somebody needs it.
#[derive(Debug)]
pub(crate) struct Stored {
    bytes: Option<Bytes>,
    item: OnceCell<Item>,
}

impl Stored {
    fn new(bytes: Option<Bytes>) -> Self {
        Self { bytes, item: OnceCell::new() }
    }

    fn bytes(&self) -> Option<&Bytes> {
        self.bytes.as_ref()
    }

    /// The item, if there is one.
    pub(crate) fn item(&self) -> Result<Option<&Item>, StoreError> {
        let Some(bytes) = &self.bytes else { return Ok(None) };
        if self.item.get().is_none() {
            let _ = self.item.set(codec::decode(bytes)?);
        }
        Ok(self.item.get())
    }

    /// The item, to be changed. Whoever asks for it afterwards has it decoded again.
    fn take(&mut self) -> Result<Option<Item>, StoreError> {
        self.item()?;
        Ok(self.item.take())
    }
}

/// An item as it will be stored.
#[derive(Debug)]
pub(crate) struct New {
    pub item: Item,
    /// Until it is stored.
    pub bytes: Bytes,
}

/// What a write does to its item, found out and not yet done.
#[derive(Debug)]
pub(crate) struct Change {
    pub table: Arc<Table>,
    row_key: Bytes,
    pub old: Stored,
    pub new: Option<New>,
    update: Option<Update>,
    /// The item stays as it is.
    kept: bool,
    /// The time to live removed it.
    expired: bool,
}

impl Change {
    fn new(table: Arc<Table>, row_key: Bytes, old: Stored, new: Option<New>, update: Option<Update>) -> Self {
        Self { table, row_key, old, new, update, kept: false, expired: false }
    }

    /// Does it. Counts the cost into `tally`.
    ///
    /// # Errors
    /// If the storage fails; the group must then be given up.
    pub(crate) fn apply(
        &mut self,
        group: &mut Group<'_>,
        charge: Charge,
        tally: &mut Tally,
    ) -> Result<(), StoreError> {
        if tally.is_wanted() {
            let old = self.old.item()?.map_or(0, item_bytes);
            let new = self.new.as_ref().map_or(0, |new| item_bytes(&new.item));
            tally.add_table(write_units(old.max(new), charge));
        }
        if self.kept || (self.old.bytes.is_none() && self.new.is_none()) {
            return Ok(());
        }
        let rows = &self.table.rows;
        let row_key = std::mem::take(&mut self.row_key);
        match (&mut self.new, self.old.bytes()) {
            (Some(new), old) => {
                let bytes = std::mem::take(&mut new.bytes);
                group.put_row(rows, row_key, old.map(|bytes| &**bytes), bytes);
            }
            (None, Some(old)) => group.delete_row(rows, row_key, old),
            (None, None) => unreachable!("a removal of nothing ended above"),
        }
        self.follow(group, charge, tally)
    }

    /// Index rows, the stream record and the collection's size.
    fn follow(&self, group: &mut Group<'_>, charge: Charge, tally: &mut Tally) -> Result<(), StoreError> {
        let new = self.new.as_ref().map(|new| &new.item);
        if !self.table.indexes.is_empty() {
            let cost = &mut index::Cost { tally, charge };
            index::maintain(group, &self.table, self.old.item()?, new, cost)?;
        }
        if self.table.collections.is_some() {
            collection::resize(group, &self.table, self.old.item()?, new)?;
        }
        if self.table.spec.stream.is_some() {
            stream::record(group, &self.table, self.old.item()?, new, self.expired)?;
        }
        Ok(())
    }

    /// The attributes that the request asked to be returned.
    pub(crate) fn attributes(&self, returns: ReturnValues) -> Result<Option<Item>, StoreError> {
        let new = self.new.as_ref().map(|new| &new.item);
        let touched = |item: &Item| match &self.update {
            Some(update) => update.updated(item),
            None => Item::new(),
        };
        let attributes = match returns {
            ReturnValues::None => None,
            ReturnValues::AllOld => self.old.item()?.cloned(),
            ReturnValues::AllNew => new.cloned(),
            ReturnValues::UpdatedOld => self.old.item()?.map(touched),
            ReturnValues::UpdatedNew => new.map(touched),
        };
        Ok(attributes.filter(|item| !item.is_empty()))
    }
}
