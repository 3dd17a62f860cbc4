//! What an update or a delete is aimed at: a key, or a value that was read and whose version must still be the same.

use std::fmt;

use tabletheory_core::Item;

use super::guard::Guard;
use crate::key::Key;
use crate::model::{Model, ModelError};

/// What an update or a delete can be aimed at: a [`Key`] or a reference to a model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` says neither where the item is nor what was read",
    note = "use the key (`Page::key(...)`) or a reference to the value (`&page`)"
)]
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
/// let by_key = db.update(User::key("1")).change(User::LOGINS.add(1)).await?;
/// let by_value = db.update(&by_key).change(User::LOGINS.add(1)).await?;
/// assert_eq!(by_value.logins, 2);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
pub trait Target {
    /// The model of the item.
    type Model: Model;
    /// [`ByKey`] or [`ByValue`].
    type By;

    #[doc(hidden)]
    fn into_aim(self) -> Aim;
}

/// Aimed at a key.
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
/// use tabletheory::db::{ByKey, Update};
///
/// let update: Update<User, ByKey> = db.update(User::key("1"));
/// assert_eq!(update.change(User::LOGINS.add(1)).await?.logins, 1);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy)]
pub enum ByKey {}

/// Aimed at a value that was read.
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
/// use tabletheory::db::{ByValue, Update};
///
/// let update: Update<User, ByValue> = db.update(&ada);
/// assert_eq!(update.field(User::NAME).await?.name, "Ada");
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy)]
pub enum ByValue {}

/// The key, and what was read there.
#[doc(hidden)]
pub struct Aim {
    pub(super) key: Result<Item, ModelError>,
    pub(super) value: Result<Option<Item>, ModelError>,
}

impl Aim {
    /// The version that was read must still be there.
    pub(super) fn guard<M: Model>(&self) -> Option<Guard> {
        let value = self.value.as_ref().ok()?.as_ref()?;
        Guard::of(&M::SCHEMA, value)
    }
}

/// Only whether it is a key or a value.
impl fmt::Debug for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self.value, Ok(None)) { "ByKey" } else { "ByValue" })
    }
}

impl<M: Model> Target for Key<M> {
    type Model = M;
    type By = ByKey;

    fn into_aim(self) -> Aim {
        Aim { key: self.into_item(), value: Ok(None) }
    }
}

impl<M: Model> Target for &M {
    type Model = M;
    type By = ByValue;

    fn into_aim(self) -> Aim {
        Aim { key: self.key_of().into_item(), value: self.to_item().map(Some) }
    }
}
