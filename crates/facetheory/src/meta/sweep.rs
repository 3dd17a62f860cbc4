//! Reading the whole table: which bodies are named by some row, for the sweep, and which pages there are, for dashboards.

use tabletheory::model::{FromItem, ModelError, Schema};
use tabletheory_core::{Item, Value};

use super::MetaStore;
use super::row::Row;
use crate::error::Error;
use crate::record::Meta;

/// The bodies that one row names.
struct Pointers([Option<String>; 2]);

impl FromItem for Pointers {
    const ATTRIBUTES: Option<&'static [&'static str]> = Some(&["s3_key", "result_s3_key"]);

    fn schema(_item: &Item) -> Option<Schema> {
        None
    }

    fn from_item(mut item: Item) -> Result<Self, ModelError> {
        Ok(Self(["s3_key", "result_s3_key"].map(|name| match item.remove(name) {
            Some(Value::S(key)) => Some(key),
            _ => None,
        })))
    }
}

/// A part of the pages in the table, in no order.
///
/// ```
/// use facetheory::meta::{Acquire, Draft, MetaStore};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// let ground = store.look_again(&lease).await?.ground;
/// let draft = Draft::new("bodies/1", store.db().clock().now(), Seconds(60));
/// let _ = store.commit(&lease, &ground, &draft).await?;
/// let pages = store.pages(100, None).await?;
/// assert_eq!(pages.pages[0].s3_key, "bodies/1");
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pages {
    /// The pages whose rows can be read.
    pub pages: Vec<Meta>,
    /// How many rows of pages could not be read.
    pub malformed: usize,
    /// With this the next part is asked for; none if this is the last.
    pub cursor: Option<String>,
}

impl MetaStore {
    /// Visits the key of every body that a page, a version or an intent names. What is published while this runs may be
    /// missed, so only bodies that are older than any publish under way may be swept.
    ///
    /// # Errors
    /// If the store does not answer. Then not every body was visited, and nothing must be swept.
    pub async fn live_pointers(&self, mut visit: impl FnMut(&str)) -> Result<(), Error> {
        let names_a_body = Row::S3_KEY.exists().or(Row::RESULT_S3_KEY.exists());
        let scan = self.db.scan::<Row>().consistent().filter(names_a_body).select::<Pointers>();
        let mut rows = scan.stream();
        while let Some(Pointers(keys)) = rows.try_next().await.map_err(tabletheory::Error::erase)? {
            keys.iter().flatten().for_each(|key| visit(key));
        }
        Ok(())
    }

    /// The pages in the table, about `limit` at a time, in no order.
    ///
    /// # Errors
    /// If the store does not answer, or the cursor is none of this table.
    pub async fn pages(&self, limit: usize, cursor: Option<&str>) -> Result<Pages, Error> {
        let scan = self.db.scan::<Row>().filter(Row::SK.eq("META")).limit(limit.max(1));
        let page = scan.page(cursor).await.map_err(tabletheory::Error::erase)?;
        let rows = page.items.len();
        let pages: Vec<Meta> = page.items.into_iter().filter_map(Row::read::<Meta>).collect();
        let malformed = rows - pages.len();
        Ok(Pages { pages, malformed, cursor: page.cursor })
    }
}
