//! Purges and the way back, for whoever runs the cache: the rows are changed, and what this process remembers goes.

use tabletheory_core::Seconds;

use crate::error::Error;
use crate::event::Event;
use crate::isr::{Inner, Isr};
use crate::key::{PageKey, Partition};
use crate::meta::{Group, Purge, Purged, Rollback};
use crate::tenant::Tenant;

impl Isr {
    /// Purges one page. What is rendered now, and was begun before, is not published after this.
    ///
    /// This process serves nothing older from now on; others go on for [`IsrSettings::meta_cache`](crate::IsrSettings) at most.
    ///
    /// # Errors
    /// If the store fails. Asking again does no harm.
    pub async fn invalidate(&self, key: &PageKey, purge: Purge) -> Result<Purged, Error> {
        let partition = self.inner.meta.partition(key)?;
        let _forgetting = Forgetting { inner: &self.inner, page: Some(key) };
        let purged = self.inner.meta.invalidate(&partition, purge).await?;
        self.inner.tell(key, &Event::Purged(purge));
        Ok(purged)
    }

    /// Purges all pages of a tenant (or those without one) that belong to a group: a tag, a path, or everything.
    ///
    /// # Errors
    /// If the store fails. Asking again does no harm.
    pub async fn invalidate_group(
        &self,
        tenant: Option<&Tenant>,
        group: Group<'_>,
        purge: Purge,
    ) -> Result<Purged, Error> {
        let _forgetting = Forgetting { inner: &self.inner, page: None };
        let purged = self.inner.meta.invalidate_group(tenant, group, purge).await?;
        self.inner.tell_all(&Event::Purged(purge));
        Ok(purged)
    }

    /// As [`invalidate`](Self::invalidate), for a page of which only the partition of its rows is known.
    ///
    /// # Errors
    /// If the store fails. Asking again does no harm.
    pub async fn invalidate_partition(&self, partition: &Partition, purge: Purge) -> Result<Purged, Error> {
        // A partition does not say which key it was made of.
        let _forgetting = Forgetting { inner: &self.inner, page: None };
        let purged = self.inner.meta.invalidate(partition, purge).await?;
        self.inner.tell_all(&Event::Purged(purge));
        Ok(purged)
    }

    /// Shows an older version for `hold`, after which the page is rendered again as ever.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn rollback(&self, key: &PageKey, version: &str, hold: Seconds) -> Result<Rollback, Error> {
        let partition = self.inner.meta.partition(key)?;
        let _forgetting = Forgetting { inner: &self.inner, page: Some(key) };
        let rollback = self.inner.meta.rollback(&partition, version, hold).await?;
        if matches!(rollback, Rollback::Shown(_)) {
            self.inner.tell(key, &Event::RolledBack);
        }
        Ok(rollback)
    }

    /// As [`rollback`](Self::rollback), for a page of which only the partition of its rows is known.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn rollback_partition(
        &self,
        partition: &Partition,
        version: &str,
        hold: Seconds,
    ) -> Result<Rollback, Error> {
        let _forgetting = Forgetting { inner: &self.inner, page: None };
        let rollback = self.inner.meta.rollback(partition, version, hold).await?;
        if matches!(rollback, Rollback::Shown(_)) {
            self.inner.tell_all(&Event::RolledBack);
        }
        Ok(rollback)
    }
}

/// When it goes, this process forgets a page, or all of them: also if the store failed or whoever asked went away, because the
/// rows may have been changed all the same.
struct Forgetting<'i> {
    inner: &'i Inner,
    page: Option<&'i PageKey>,
}

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        match self.page {
            Some(page) => self.inner.forget(page),
            None => self.inner.forget_all(),
        }
    }
}
