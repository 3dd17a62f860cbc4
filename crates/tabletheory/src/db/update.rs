//! Changing one item in place.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use tabletheory_core::expr::{Action, Condition, Path, SetOperand, SetValue, Update as Actions};
use tabletheory_core::store::op::{ReturnValues, UpdateItem, WriteOutput};
use tabletheory_core::{Item, Number, Value};

use super::guard::Guard;
use super::put::{both, refused, returns};
use super::repeat::{Shown, is_repeatable, is_stamped, shows};
use super::settle::{Settled, Verdict, once, settle};
use super::target::{Aim, ByKey, ByValue, Target};
use super::{Db, stamp};
use crate::error::Error;
use crate::explain::Plan;
use crate::field::{Change, Changeable, Field, Filter};
use crate::model::{Model, ModelError, Schema};

/// Changes one item. Awaited, it gives the item as it is afterwards.
///
/// An item that does not exist is not made, unless [`or_create`](Self::or_create) says so. The version is counted up and
/// `updated_at` says now, whatever else changes.
///
/// ```
/// # use tabletheory::{Db, Error, Model};
/// # #[derive(Model, Debug, Clone, PartialEq)]
/// # #[model(table = "users")]
/// # struct User {
/// #     #[model(pk)]
/// #     id: String,
/// #     name: String,
/// #     logins: u64,
/// #     #[model(version)]
/// #     rev: u64,
/// # }
/// # futures_executor::block_on(async {
/// # let db = Db::memory();
/// # db.create_table::<User>().await?;
/// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
/// let update = db.update(User::key("1")).change(User::NAME.set("Bob")).change(User::LOGINS.add(2));
/// let user = update.when(User::NAME.eq("Ada")).await?;
/// assert_eq!((user.name.as_str(), user.logins, user.rev), ("Bob", 2, 1));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "an update happens when it is awaited"]
pub struct Update<M, By = ByKey> {
    db: Db,
    aim: Aim,
    guard: Option<Guard>,
    changes: Vec<Result<Action, ModelError>>,
    when: Option<Filter<M>>,
    or_create: bool,
    by: PhantomData<fn() -> By>,
}

/// An update that is ready to be sent.
pub(super) struct Ready {
    pub(super) update: UpdateItem,
    pub(super) guard: Option<Guard>,
    /// Whether an item that does not exist is the whole reason of a refusal.
    only_exists: bool,
}

impl Db {
    /// Changes an item, given by its key or by the value that was read. With a value, its version must still be the same.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let user = db.update(User::key("1")).change(User::LOGINS.add(1)).await?;
    /// assert_eq!((user.logins, user.rev), (1, 1));
    /// let late = db.update(&ada).change(User::LOGINS.add(1)).await.unwrap_err();
    /// assert!(late.is_version_conflict());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn update<T: Target>(&self, target: T) -> Update<T::Model, T::By> {
        Update::new(self.clone(), target.into_aim())
    }
}

impl<M: Model, By> Update<M, By> {
    pub(super) fn new(db: Db, aim: Aim) -> Self {
        let guard = aim.guard::<M>();
        Self { db, aim, guard, changes: Vec::new(), when: None, or_create: false, by: PhantomData }
    }

    /// What is to change. Given more than once, all of it.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let user = db.update(&ada).change(User::LOGINS.add(2)).await?;
    /// assert_eq!(user.logins, 2);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn change(mut self, change: Change<M>) -> Self {
        self.changes.push(change.into_action());
        self
    }

    /// Only if the item says so. Given twice, both must hold.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let update = db.update(User::key("1")).change(User::LOGINS.add(1)).when(User::LOGINS.gt(3));
    /// assert_eq!(update.await.unwrap_err().into_current(), Some(ada));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn when(mut self, condition: Filter<M>) -> Self {
        self.when = Some(match self.when {
            Some(other) => other & condition,
            None => condition,
        });
        self
    }

    /// Only if the item has this version. Without effect if the model has none.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let update = |rev: u64| db.update(User::key("1")).change(User::LOGINS.add(1)).version(rev);
    /// assert_eq!(update(0).await?.rev, 1);
    /// assert!(update(0).await.unwrap_err().is_version_conflict());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn version(mut self, version: impl Into<Number>) -> Self {
        self.guard = M::SCHEMA.version.map(|attribute| Guard::expecting(attribute, version.into()));
        self
    }

    /// Makes the item if there is none. It has then only its key and what the changes set, which must be enough for the
    /// model if the item is to be read. With a version other than 0, which no new item has, the update is refused.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let update = db.update(User::key("2")).change(User::NAME.set("Bob")).change(User::LOGINS.add(1));
    /// assert_eq!(update.or_create().await?.logins, 1);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn or_create(mut self) -> Self {
        self.or_create = true;
        self
    }

    /// What will happen and what it costs at least. Nothing is sent.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let plan = db.update(&ada).change(User::LOGINS.add(1)).explain().await?;
    /// assert_eq!(plan.expressions[0], ("change", "ADD logins :v0, rev :v0".to_owned()));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error<M>> {
        self.request().await.map(Plan::of)
    }

    /// The request as the store gets it.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let request = db.update(&ada).change(User::LOGINS.add(1)).request().await?;
    /// assert_eq!(request.update.map(|update| update.actions.len()), Some(2));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the key, a value or the condition is none, or nothing is to change.
    pub async fn request(self) -> Result<UpdateItem, Error<M>> {
        self.ready().await.map(|ready| ready.update)
    }

    /// Changes the item and gives it as it was before.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let old = db.update(User::key("1")).change(User::LOGINS.add(1)).old().await?;
    /// assert_eq!(old, Some(ada));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself. An answer that was lost is not asked for again: the second would show the changed item.
    pub async fn old(self) -> Result<Option<M>, Error<M>> {
        let db = self.db.clone();
        match self.send(ReturnValues::AllOld).await? {
            Some(item) => db.read(&db.table_of::<M>(), item).await.map(Some),
            None => Ok(None),
        }
    }

    /// Changes the item and gives only the attributes that changed, as they are afterwards.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let changed = db.update(User::key("1")).change(User::LOGINS.add(1)).changed().await?;
    /// assert_eq!(changed.names().collect::<Vec<_>>(), ["logins", "rev"]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself.
    pub async fn changed(self) -> Result<Item, Error<M>> {
        self.send(ReturnValues::UpdatedNew).await.map(Option::unwrap_or_default)
    }

    /// Changes the item and gives only the attributes that changed, as they were before.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// use tabletheory_core::Value;
    ///
    /// let from = db.update(User::key("1")).change(User::LOGINS.add(1)).changed_from().await?;
    /// assert_eq!(from.get("logins"), Some(&Value::n(0)));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself.
    pub async fn changed_from(self) -> Result<Item, Error<M>> {
        self.send(ReturnValues::UpdatedOld).await.map(Option::unwrap_or_default)
    }

    /// Changes the item and reads nothing back.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// db.update(User::key("2")).change(User::LOGINS.add(1)).or_create().silently().await?;
    /// assert!(db.get(User::key("2")).await.is_err(), "there is such an item, without a name");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself, but for an item that does not fit the model.
    pub async fn silently(self) -> Result<(), Error<M>> {
        self.send(ReturnValues::None).await.map(drop)
    }

    pub(super) async fn ready(self) -> Result<Ready, Error<M>> {
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

    async fn send(self, values: ReturnValues) -> Result<Option<Item>, Error<M>> {
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
            Settled::Refused(item) => {
                let same_version = guard.is_none_or(|guard| guard.holds(item.as_deref()));
                let current = db.current(&table, item).await;
                Err(refused(table, current, same_version))
            }
        }
    }

    async fn run(self) -> Result<M, Error<M>> {
        let db = self.db.clone();
        let item = self.send(ReturnValues::AllNew).await?;
        db.read(&db.table_of::<M>(), item.unwrap_or_default()).await
    }
}

impl<M: Model> Update<M, ByValue> {
    /// Writes this field as it is in the value. An empty one that the model leaves out is removed.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// let edited = User { name: "Bob".into(), logins: 9, ..ada };
    /// let user = db.update(&edited).field(User::NAME).await?;
    /// assert_eq!((user.name.as_str(), user.logins), ("Bob", 0));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn field<T, R: Changeable>(mut self, field: Field<M, T, R>) -> Self {
        let path = Path::attribute(field.name());
        let value = self.aim.value.as_ref().ok().and_then(Option::as_ref);
        self.changes.push(Ok(match value.and_then(|value| value.get(field.name())) {
            Some(value) => Action::Set(path, SetValue::Operand(SetOperand::Value(value.clone()))),
            None => Action::Remove(path),
        }));
        self
    }
}

impl<M: Model, By: 'static> IntoFuture for Update<M, By> {
    type Output = Result<M, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M, By> std::fmt::Debug for Update<M, By> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Update").field("changes", &self.changes.len()).finish_non_exhaustive()
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
