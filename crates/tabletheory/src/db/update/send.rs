//! Sending an update: the request, the version and the moments that the toolkit writes itself, and whose write it was when
//! the answer is lost.

use tabletheory_core::expr::{Action, Condition, Path, SetOperand, SetValue, Update as Actions};
use tabletheory_core::store::op::{ReturnValues, UpdateItem, WriteOutput};
use tabletheory_core::{Item, Value};

use super::Update;
use crate::db::condition::{both, returns};
use crate::db::guard::Guard;
use crate::db::repeat::{Shown, is_repeatable, is_stamped, shows};
use crate::db::settle::{Settled, Verdict, once, settle};
use crate::db::stamp;
use crate::error::Error;
use crate::field::Filter;
use crate::model::{Model, ModelError, Schema};

/// An update that is ready to be sent.
pub(in crate::db) struct Ready {
    pub(in crate::db) update: UpdateItem,
    pub(in crate::db) guard: Option<Guard>,
    /// Whether an item that does not exist is the whole reason of a refusal.
    only_exists: bool,
}

impl<M: Model, By> Update<M, By> {
    pub(in crate::db) async fn ready(self) -> Result<Ready, Error<M>> {
        let table = self.db.table_of::<M>().into_owned();
        let unfit = |source| Error::Model { table: table.clone(), source };
        let value = self.aim.value.map_err(unfit)?;
        let key = self.aim.key.map_err(unfit)?;
        let guard = guard::<M>(self.guard, self.or_create)?;
        if let (Some(guard), Some(value)) = (&guard, value) {
            check_next::<M>(guard, value).map_err(unfit)?;
        }
        let mut actions = self.changes.into_iter().collect::<Result<Vec<_>, _>>().map_err(unfit)?;
        if actions.is_empty() {
            let text = format!("an update of a {} changes nothing; say what with `change`", M::NAME);
            return Err(Error::Validation(text));
        }
        manage::<M>(&mut actions, stamp::now(&self.db), self.or_create);
        if !M::SCHEMA.encrypted.is_empty() {
            let sealer = self.db.sealer(&M::SCHEMA, &table)?;
            // In a box, as for `Put`.
            let sealed = Box::pin(sealer.seal_actions(&mut actions)).await;
            sealed.map_err(|source| Error::Encryption { table: table.clone(), source })?;
        }
        let only_exists = guard.is_none() && self.when.is_none();
        let own = match &guard {
            Some(guard) => Some(guard.condition()),
            None if self.or_create => None,
            None => Some(Condition::AttributeExists(Path::attribute(M::SCHEMA.partition.name))),
        };
        let asked = self.when.map(Filter::into_condition).transpose().map_err(unfit)?;
        let condition = both(own, asked);
        let returns = returns(&condition);
        let update = UpdateItem { table, key, update: Some(Actions { actions }), condition, returns };
        Ok(Ready { update, guard, only_exists })
    }

    pub(super) async fn send(self, values: ReturnValues) -> Result<Option<Item>, Error<M>> {
        let db = self.db.clone();
        let Ready { mut update, guard, only_exists } = self.ready().await?;
        update.returns.values = values;
        let table = update.table.clone();
        // The attributes before the change are told only once.
        let tells_new = !matches!(values, ReturnValues::AllOld | ReturnValues::UpdatedOld);
        let repeatable = tells_new && (guard.is_some() || is_repeatable(actions(&update), M::SCHEMA.version));
        let judge = |update: &UpdateItem, current: Option<&Item>| {
            verdict(&M::SCHEMA, actions(update), guard.as_ref(), current)
        };
        let (settled, written) = if repeatable {
            settle(&**db.store(), update, judge).await?
        } else {
            (once(&**db.store(), update).await?, UpdateItem::default())
        };
        match settled {
            Settled::Done(WriteOutput { attributes, .. }) => Ok(attributes),
            Settled::DoneBefore(item) => Ok(item.map(|item| told(*item, actions(&written), values))),
            Settled::Refused(None) if only_exists => Err(Error::NotFound { model: M::NAME, table }),
            Settled::Refused(item) => Err(db.refused(table, guard, item).await),
        }
    }

    pub(super) async fn run(self) -> Result<M, Error<M>> {
        let db = self.db.clone();
        let item = self.send(ReturnValues::AllNew).await?;
        db.read(&db.table_of::<M>(), item.unwrap_or_default()).await
    }
}

/// The guard of the update. An item that is to be made if there is none can only have had the first version.
fn guard<M: Model>(guard: Option<Guard>, or_create: bool) -> Result<Option<Guard>, Error<M>> {
    match guard {
        Some(guard) if or_create && !guard.is_first() => Err(Error::Validation(format!(
            "an update of a {} cannot both expect a version other than 0 and make the item with `or_create`",
            M::NAME
        ))),
        Some(guard) if or_create => Ok(Some(guard.or_new())),
        guard => Ok(guard),
    }
}

/// A version that has no room to grow is found before anything is written.
fn check_next<M: Model>(guard: &Guard, mut value: Item) -> Result<(), ModelError> {
    if let Some(attribute) = M::SCHEMA.version {
        value.insert(attribute, guard.next());
    }
    M::from_item(value).map(drop)
}

/// What an update changes.
fn actions(update: &UpdateItem) -> &[Action] {
    update.update.as_ref().map_or(&[], |update| &update.actions)
}

/// Adds what the toolkit itself writes: the version and the moments.
fn manage<M: Model>(actions: &mut Vec<Action>, now: Value, or_create: bool) {
    let set = |attribute: &str, operand| Action::Set(Path::attribute(attribute), SetValue::Operand(operand));
    if let Some(attribute) = M::SCHEMA.created_at.filter(|_| or_create) {
        let made = Box::new(SetOperand::Value(now.clone()));
        actions.push(set(attribute, SetOperand::IfNotExists(Path::attribute(attribute), made)));
    }
    if let Some(attribute) = M::SCHEMA.updated_at {
        actions.push(set(attribute, SetOperand::Value(now)));
    }
    if let Some(attribute) = M::SCHEMA.version {
        actions.push(Action::Add(Path::attribute(attribute), Value::n(1)));
    }
}

/// Whose write `current` shows.
fn verdict(schema: &Schema, actions: &[Action], guard: Option<&Guard>, current: Option<&Item>) -> Verdict {
    let Some(current) = current else { return Verdict::Unknown };
    if is_stamped(actions, schema.updated_at, current) {
        return Verdict::Ours;
    }
    match guard {
        Some(guard) if guard.holds(Some(current)) => Verdict::Others,
        Some(guard) if guard.is_next(current) => match shows(actions, schema.version, current) {
            Shown::Yes => Verdict::Ours,
            Shown::No => Verdict::Others,
            Shown::CannotTell => Verdict::Unknown,
        },
        // Without a version, others may have written the same before us or after us.
        _ => Verdict::Unknown,
    }
}

/// What the lost answer would have told of the item.
fn told(item: Item, actions: &[Action], values: ReturnValues) -> Item {
    if values != ReturnValues::UpdatedNew {
        return item;
    }
    let touched = |name: &str| actions.iter().any(|action| action.path().root == name);
    item.into_iter().filter(|(name, _)| touched(name)).collect()
}
