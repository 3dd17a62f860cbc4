//! Which items a transaction reads: tuples of keys, or many keys of one model.

use std::future::Future;

use tabletheory_core::Item;

use crate::db::Db;
use crate::error::Error;
use crate::key::Key;
use crate::model::{Model, ModelError};

/// The keys of a transaction that reads: a tuple of one to eight [`Key`]s, each of any model, or a `Vec` of keys of one model.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::db::TransactKeys;
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// fn takes(_: impl TransactKeys) {}
/// takes((User::key("1"), User::key("2")));
/// takes(vec![User::key("1")]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no keys that a transaction can read",
    note = "use a tuple of up to eight keys, `(User::key(..), Order::key(..))`, or a `Vec` of keys of one model"
)]
pub trait TransactKeys: Send + 'static {
    /// What is read: an `Option` for each key, in the same form.
    type Output: Send;

    #[doc(hidden)]
    fn into_asked(self, db: &Db) -> Vec<Asked>;

    #[doc(hidden)]
    fn read(db: &Db, found: Vec<Option<Item>>) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// One key, and whose it is.
#[doc(hidden)]
#[derive(Debug)]
pub struct Asked {
    pub(super) model: &'static str,
    pub(super) table: String,
    pub(super) key: Result<Item, ModelError>,
}

impl Asked {
    fn of<M: Model>(db: &Db, key: Key<M>) -> Self {
        Self { model: M::NAME, table: db.table_of::<M>().into_owned(), key: key.into_item() }
    }
}

impl<M: Model> TransactKeys for Vec<Key<M>> {
    type Output = Vec<Option<M>>;

    fn into_asked(self, db: &Db) -> Vec<Asked> {
        self.into_iter().map(|key| Asked::of(db, key)).collect()
    }

    async fn read(db: &Db, found: Vec<Option<Item>>) -> Result<Self::Output, Error> {
        let mut models = Vec::with_capacity(found.len());
        for item in found {
            models.push(db.read_maybe::<M>(item).await?);
        }
        Ok(models)
    }
}

macro_rules! tuple {
    ($($model:ident $key:ident),+) => {
        impl<$($model: Model),+> TransactKeys for ($(Key<$model>,)+) {
            type Output = ($(Option<$model>,)+);

            fn into_asked(self, db: &Db) -> Vec<Asked> {
                let ($($key,)+) = self;
                vec![$(Asked::of(db, $key)),+]
            }

            async fn read(db: &Db, found: Vec<Option<Item>>) -> Result<Self::Output, Error> {
                let mut found = found.into_iter();
                Ok(($(db.read_maybe::<$model>(found.next().flatten()).await?,)+))
            }
        }
    };
}

tuple!(A a);
tuple!(A a, B b);
tuple!(A a, B b, C c);
tuple!(A a, B b, C c, D d);
tuple!(A a, B b, C c, D d, E e);
tuple!(A a, B b, C c, D d, E e, F f);
tuple!(A a, B b, C c, D d, E e, F f, G g);
tuple!(A a, B b, C c, D d, E e, F f, G g, H h);
