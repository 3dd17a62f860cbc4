//! Limits of an identifier's own, or of its tenant: stored beside the counts, read in one call, and remembered for a minute.

mod row;
mod shelf;

use std::sync::Arc;

use tabletheory::Db;
use tabletheory_core::{StoreError, StoreExt};

use crate::error::Error;
use crate::limit::Limit;
use crate::policy::Policy;
use crate::record::table_of;
use crate::subject::Subject;

use row::{OverrideRow, Place};
use shelf::{Note, Said, Shelf};

pub use row::Whose;

/// The overrides of policies. Clones share what they remember.
///
/// ```
/// use limited::{Limit, Overrides, Policy, RateLimitRecord, Subject, Whose};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// RateLimitRecord::ensure_table(&db).await?;
/// let policy = Policy::new("api", [Limit::per_second(20)])?.with_overrides();
/// let overrides = Overrides::new(db);
///
/// overrides.set(&policy, Whose::Tenant("acme"), &[Limit::per_second(500)]).await?;
/// let acme = overrides.effective(&policy, &Subject::new("user:7").tenant("acme")).await?;
/// assert_eq!(acme.as_deref(), Some(&[Limit::per_second(500)][..]));
/// assert_eq!(overrides.effective(&policy, &Subject::new("user:8")).await?, None);
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Overrides {
    db: Db,
    table: Arc<str>,
    shelf: Arc<Shelf>,
}

impl Overrides {
    /// Overrides in the table that `db` keeps a [`RateLimitRecord`](crate::RateLimitRecord) in.
    #[must_use]
    pub fn new(db: Db) -> Self {
        let table = table_of(&db);
        let db = db.with_table::<OverrideRow>(table.clone());
        Self { db, table: table.into(), shelf: Arc::default() }
    }

    /// Gives an identifier or a tenant limits of their own. Other processes see them when what they remember is a minute old.
    ///
    /// # Errors
    /// [`Error::Limit`] and [`Error::Policy`] if the policy could not have these limits; [`Error::NoIdentifier`];
    /// [`Error::Store`].
    pub async fn set(&self, policy: &Policy, whose: Whose<'_>, limits: &[Limit]) -> Result<(), Error> {
        row::check(policy, limits)?;
        let place = Place::of(policy, whose)?;
        let written = self.db.put(&OverrideRow::new(&place, limits)).await;
        // Also if the answer was lost.
        self.shelf.forget(&place);
        written?;
        Ok(())
    }

    /// Leaves an identifier or a tenant the policy's limits again.
    ///
    /// # Errors
    /// [`Error::NoIdentifier`]; [`Error::Store`].
    pub async fn remove(&self, policy: &Policy, whose: Whose<'_>) -> Result<(), Error> {
        let place = Place::of(policy, whose)?;
        let removed = self.db.delete(place.key()).await;
        self.shelf.forget(&place);
        removed?;
        Ok(())
    }

    /// What stands in the table now, whatever is remembered.
    ///
    /// # Errors
    /// [`Error::NoIdentifier`]; [`Error::Store`]; [`Error::Row`] if what stands there is none.
    pub async fn get(&self, policy: &Policy, whose: Whose<'_>) -> Result<Option<Arc<[Limit]>>, Error> {
        let place = Place::of(policy, whose)?;
        let request = self.db.get(place.key()).consistent().request()?;
        let found = self.db.store().get_item(request).await?;
        row::read(policy, &place, found.item).map_err(Error::Row)
    }

    /// The limits that hold for somebody instead of the policy's: their own, or else their tenant's, or none. At most one
    /// BatchGetItem, and none if the answer is less than a minute old. Requests that miss it together wait for one call.
    ///
    /// # Errors
    /// [`Error::NoIdentifier`]; [`Error::Store`]; [`Error::Row`] if what stands in the table is none.
    pub async fn effective(
        &self,
        policy: &Policy,
        subject: &Subject<'_>,
    ) -> Result<Option<Arc<[Limit]>>, Error> {
        let own = self.shelf.note(Place::of(policy, Whose::Identifier(subject.identifier))?);
        let tenant = match subject.tenant.filter(|tenant| !tenant.is_empty()) {
            Some(tenant) => Some(self.shelf.note(Place::of(policy, Whose::Tenant(tenant))?)),
            None => None,
        };
        if let Some(said) = self.remembered(&own, tenant.as_deref()) {
            return said.map_err(Error::Row);
        }
        let flight = own.flight().await;
        if let Some(said) = self.remembered(&own, tenant.as_deref()) {
            return said.map_err(Error::Row);
        }
        if let Some(error) = flight.failed_meanwhile() {
            return Err(error.into());
        }
        // In a box, so that what is remembered is not asked for with the room that reading takes.
        let read = Box::pin(self.read(policy, &own, tenant.as_deref())).await;
        flight.land(read.as_ref().err());
        read?;
        // The clock may have jumped meanwhile, but what was read a moment ago is an answer.
        let said = decide(own.said_last(), tenant.as_deref().map(Note::said_last));
        said.expect("what was not remembered was read").map_err(Error::Row)
    }

    /// What is remembered, as far as that is an answer.
    fn remembered(&self, own: &Note, tenant: Option<&Note>) -> Option<Said> {
        let now = self.db.clock().now();
        decide(own.said(now), tenant.map(|tenant| tenant.said(now)))
    }

    /// Reads what is not remembered, in one call.
    async fn read(&self, policy: &Policy, own: &Note, tenant: Option<&Note>) -> Result<(), StoreError> {
        let now = self.db.clock().now();
        let wanted: Vec<&Note> =
            [Some(own), tenant].into_iter().flatten().filter(|note| note.said(now).is_none()).collect();
        let request = row::read_all(&self.table, wanted.iter().map(|note| note.place()));
        let mut output = self.db.store().batch_get_item(request).await?;
        if !output.unprocessed.is_empty() {
            return Err(StoreError::Throttling("the store left a part of the batch undone".to_owned()));
        }
        let found = output.items.remove(&*self.table).unwrap_or_default();
        for note in wanted {
            let item = found.iter().find(|item| note.place().is_at(item)).cloned();
            note.hear(row::read(policy, note.place(), item), now);
        }
        Ok(())
    }
}

/// Their own limits, or else their tenant's. `None` if that is not known.
fn decide(own: Option<Said>, tenant: Option<Option<Said>>) -> Option<Said> {
    match (own?, tenant) {
        (Ok(None), Some(tenant)) => tenant,
        (own, _) => Some(own),
    }
}

/// Without what is remembered about identifiers.
impl std::fmt::Debug for Overrides {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overrides").field("table", &self.table).finish_non_exhaustive()
    }
}
