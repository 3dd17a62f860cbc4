//! Reading items as of one moment.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::StoreError;
use tabletheory_core::store::op::{TransactGet as One, TransactGetItems};

use super::keys::{Asked, TransactKeys};
use super::{check_count, persist};
use crate::db::Db;
use crate::db::identity::{Identity, places};
use crate::error::{Error, Refusal, TransactionFailure};
use crate::explain::Plan;

/// Reads items as of one moment. Awaited, it gives an `Option` for each key, in the same form: a tuple for a tuple, a `Vec`
/// for a `Vec`.
///
/// Conflicts with other transactions, throttling and lost answers are waited out, as often as the database's
/// [`Backoff`](crate::db::Backoff) says.
#[must_use = "a read happens when it is awaited"]
pub struct TransactGet<K> {
    db: Db,
    keys: K,
}

impl<K: TransactKeys> TransactGet<K> {
    pub(super) fn new(db: Db, keys: K) -> Self {
        Self { db, keys }
    }

    /// What will happen and what it costs at least. Nothing is sent.
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error> {
        self.request().map(Plan::of)
    }

    /// The request as the store gets it.
    ///
    /// # Errors
    /// If a key is none, two are the same, or there are none or too many.
    pub fn request(self) -> Result<TransactGetItems, Error> {
        ready(self.keys).map(|(_, request)| request)
    }

    async fn run(self) -> Result<K::Output, Error> {
        let (models, request) = ready(self.keys)?;
        let tables: Vec<String> = request.gets.iter().map(|get| get.table.clone()).collect();
        match persist(&self.db, request).await {
            Ok(output) => K::read(&self.db, output.items).await,
            Err(StoreError::TransactionCanceled { reasons }) if !reasons.is_empty() => {
                let asked = models.into_iter().zip(tables).zip(reasons);
                let refusals =
                    asked.map(|((model, table), reason)| Refusal::new(model, table, reason, false));
                Err(Error::TransactionFailed(Box::new(TransactionFailure::new(refusals.collect()))))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The request, and the model of each read.
fn ready<K: TransactKeys>(keys: K) -> Result<(Vec<&'static str>, TransactGetItems), Error> {
    let asked = keys.into_asked();
    check_count(asked.len())?;
    let (mut models, mut gets) = (Vec::with_capacity(asked.len()), Vec::with_capacity(asked.len()));
    for Asked { model, table, key } in asked {
        let key = match key {
            Ok(key) => key,
            Err(source) => return Err(Error::Model { table, source }),
        };
        models.push(model);
        gets.push(One { table, key, projection: None });
    }
    let identities: Vec<Identity> = gets.iter().map(|get| Identity::of_key(&get.table, &get.key)).collect();
    let known = models.iter().zip(&identities).enumerate();
    places(known.map(|(place, (model, identity))| (place, *model, identity)))?;
    Ok((models, TransactGetItems { gets, ..TransactGetItems::default() }))
}

impl<K: TransactKeys> IntoFuture for TransactGet<K> {
    type Output = Result<K::Output, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<K> fmt::Debug for TransactGet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactGet").finish_non_exhaustive()
    }
}
