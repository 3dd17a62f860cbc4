//! How many items there are: the store counts, and sends none of them.

use tabletheory_core::StoreError;

use super::builder::Read;
use super::lanes::{Fetch, Lanes};
use super::source::Source;
use super::walk::Walk;
use crate::error::Error;
use crate::model::{FromItem, Model};

impl<S: Source, M: Model, T: FromItem> Read<S, M, T> {
    /// How many items there are; no more than the [`limit`](Self::limit), if there is one. Whether they can be read is not
    /// asked: the store counts what the keys and filters find, also items of other models whose keys go on where the
    /// model's end. Counting visits every item and costs as much as reading them.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model)]
    /// #[model(table = "notes")]
    /// struct Note {
    ///     #[model(pk)]
    ///     id: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Note>().await?;
    /// for id in 0..5 {
    ///     db.create(&Note { id }).await?;
    /// }
    /// assert_eq!(db.scan::<Note>().count().await?, 5);
    /// assert_eq!(db.scan::<Note>().limit(2).count().await?, 2);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn count(self) -> Result<u64, Error<M>> {
        let most = self.limit.unwrap_or(u64::MAX);
        let limited = self.limit.is_some();
        let mut lanes = Lanes::new(self.walks(|terms| terms.count())?, tally);
        let mut count: u64 = 0;
        while count < most {
            let wanted = limited.then(|| most - count);
            match lanes.next(wanted).await {
                Some(page) => count = count.saturating_add(page?),
                None => break,
            }
        }
        Ok(count.min(most))
    }
}

/// How many items are on the next page.
fn tally(mut walk: Walk, wanted: Option<u64>) -> Fetch<Result<u64, StoreError>> {
    Box::pin(async move {
        let count = walk.page(wanted).await.map(|page| page.count);
        (walk, count)
    })
}
