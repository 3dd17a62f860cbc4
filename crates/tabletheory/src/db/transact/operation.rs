//! What a transaction is made of: the builders of single writes, made ready to be sent together.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use tabletheory_core::Item;
use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::store::op::{OnConditionFailure, TransactAction, TransactWrite};

use crate::db::guard::Guard;
use crate::db::identity::Identity;
use crate::db::{Db, Delete, Put, Update, put, update};
use crate::error::{Error, Refusal};
use crate::field::Filter;
use crate::key::Key;
use crate::model::{KeyNames, Model, Schema};

/// What can be part of a transaction: a put, create, save, update or delete of a [`Db`](crate::Db) that is not awaited, and a
/// [`TransactWrite`] for what has no typed form.
///
/// ```
/// use tabletheory::db::TransactOperation;
/// use tabletheory::{Db, Model};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// fn takes(_: impl TransactOperation) {}
/// let db = Db::memory();
/// takes(db.create(&User { id: "1".into() }));
/// takes(db.delete(User::key("1")));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a transaction",
    note = "use a write that is not awaited: `db.put(..)`, `db.create(..)`, `db.save(..)`, `db.update(..)` or `db.delete(..)`"
)]
pub trait TransactOperation {
    #[doc(hidden)]
    fn prepare(self) -> Preparing;
}

/// An operation that will be ready: values may have to be encrypted first.
#[doc(hidden)]
pub struct Preparing(pub(in crate::db) Pin<Box<dyn Future<Output = Result<Prepared, Error>> + Send>>);

impl Preparing {
    fn new(ready: impl Future<Output = Result<Prepared, Error>> + Send + 'static) -> Self {
        Self(Box::pin(ready))
    }
}

impl fmt::Debug for Preparing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Preparing")
    }
}

/// An operation that is ready to be sent.
pub(in crate::db) struct Prepared {
    pub(in crate::db) write: TransactWrite,
    pub(in crate::db) operation: Operation,
    /// A whole item as it was before it was sealed, if its model has encrypted fields.
    pub(in crate::db) plain: Option<Item>,
}

/// What is to be known of an operation when it was sent.
pub(in crate::db) struct Operation {
    pub(in crate::db) model: &'static str,
    /// The item that it is about, if that can be known without the table.
    pub(in crate::db) identity: Option<Identity>,
    /// `None` for an item that belongs to no model.
    schema: Option<Schema>,
    table: String,
    guard: Option<Guard>,
}

impl Operation {
    /// What the store says of it, with the item that stood in its way. One that cannot be opened is not told.
    pub(in crate::db) async fn refusal(self, db: &Db, mut reason: CancellationReason) -> Refusal {
        let is_refused = reason.code == CancellationCode::ConditionalCheckFailed;
        let same_version = self.guard.is_none_or(|guard| guard.holds(reason.item.as_deref()));
        if let (Some(item), Some(schema)) = (&mut reason.item, &self.schema) {
            let opened = match db.sealer::<()>(schema, &self.table) {
                Ok(sealer) => sealer.open_item(item).await.is_ok(),
                Err(_) => false,
            };
            reason.item = reason.item.filter(|_| opened);
        }
        Refusal::new(self.model, self.table, reason, is_refused && !same_version)
    }
}

impl Prepared {
    fn of<M: Model>(write: TransactWrite, guard: Option<Guard>) -> Self {
        let identity = match &write.action {
            TransactAction::Put { item } => Identity::of_item(&write.table, item, KeyNames::of(&M::SCHEMA)),
            TransactAction::Update { key, .. }
            | TransactAction::Delete { key }
            | TransactAction::ConditionCheck { key } => Identity::of_key(&write.table, key),
        };
        let (table, identity) = (write.table.clone(), Some(identity));
        Self {
            write,
            operation: Operation { model: M::NAME, identity, schema: Some(M::SCHEMA), table, guard },
            plain: None,
        }
    }

    /// A whole item.
    pub(in crate::db) fn put<M: Model>(ready: put::Ready) -> Self {
        let put::Ready { put, guard, plain } = ready;
        let write = TransactWrite {
            table: put.table,
            action: TransactAction::Put { item: put.item },
            condition: put.condition,
            on_condition_failure: put.returns.on_condition_failure,
        };
        Self { plain, ..Self::of::<M>(write, guard) }
    }
}

impl<M: Model> TransactOperation for Put<M> {
    fn prepare(self) -> Preparing {
        Preparing::new(async { Ok(Prepared::put::<M>(self.ready().await?)) })
    }
}

impl<M: Model, By: 'static> TransactOperation for Update<M, By> {
    fn prepare(self) -> Preparing {
        Preparing::new(async {
            let update::Ready { update, guard, .. } = self.ready().await?;
            let (key, actions) = (update.key, update.update.unwrap_or_default());
            let write = TransactWrite {
                table: update.table,
                action: TransactAction::Update { key, update: actions },
                condition: update.condition,
                on_condition_failure: update.returns.on_condition_failure,
            };
            Ok(Prepared::of::<M>(write, guard))
        })
    }
}

impl<M: Model> TransactOperation for Delete<M> {
    fn prepare(self) -> Preparing {
        Preparing::new(async {
            let (delete, guard) = self.ready()?;
            let write = TransactWrite {
                table: delete.table,
                action: TransactAction::Delete { key: delete.key },
                condition: delete.condition,
                on_condition_failure: delete.returns.on_condition_failure,
            };
            Ok(Prepared::of::<M>(write, guard))
        })
    }
}

/// Something that must be true of an item that the transaction does not change.
#[derive(Debug)]
pub(super) struct Check<M> {
    pub(super) table: String,
    pub(super) key: Key<M>,
    pub(super) condition: Filter<M>,
}

impl<M: Model> TransactOperation for Check<M> {
    fn prepare(self) -> Preparing {
        Preparing::new(async {
            let table = self.table;
            let unfit = |source| Error::<()>::Model { table: table.clone(), source };
            let key = self.key.into_item().map_err(unfit)?;
            let condition = self.condition.into_condition().map_err(unfit)?;
            let write = TransactWrite {
                action: TransactAction::ConditionCheck { key },
                condition: Some(condition),
                on_condition_failure: OnConditionFailure::AllOld,
                table,
            };
            Ok(Prepared::of::<M>(write, None))
        })
    }
}

/// Sent as it is. Of a put, the store finds out whether it is about the item of another operation.
impl TransactOperation for TransactWrite {
    fn prepare(self) -> Preparing {
        Preparing::new(async {
            let identity = match &self.action {
                TransactAction::Put { .. } => None,
                TransactAction::Update { key, .. }
                | TransactAction::Delete { key }
                | TransactAction::ConditionCheck { key } => Some(Identity::of_key(&self.table, key)),
            };
            let table = self.table.clone();
            let operation = Operation { model: "item", identity, schema: None, table, guard: None };
            Ok(Prepared { write: self, operation, plain: None })
        })
    }
}
