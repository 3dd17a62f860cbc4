//! The versions of a page: its history, the way back, and what is forgotten of it.

use tabletheory::model::{FromItem, ModelError, Schema};
use tabletheory_core::{Item, Seconds, Timestamp, Value};

use super::MetaStore;
use super::publish::{check_revalidate, next_generation};
use super::refusal::refusals;
use super::row::{Row, meta_key, site_key};
use super::rule::Ground;
use super::transaction;
use crate::error::Error;
use crate::key::Partition;
use crate::record::{Meta, Version};

/// What is at hand of a page's versions at once, unless told otherwise.
const VERSIONS_PER_PAGE: usize = 100;

/// A part of a page's versions, newest first.
///
/// ```
/// use facetheory::meta::MetaStore;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let versions = store.versions(&page, None).await?;
/// assert!(versions.versions.is_empty() && versions.cursor.is_none());
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Versions {
    /// The versions that can be read.
    pub versions: Vec<Version>,
    /// With this the next part is asked for; none if this is the last.
    pub cursor: Option<String>,
}

/// What showing an older version came to.
///
/// ```
/// use facetheory::meta::{Acquire, Draft, MetaStore, Rollback};
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
/// let _ = store.commit_version(&lease, &ground, &draft).await?;
/// let id = store.versions(&page, None).await?.versions[0].id.clone();
/// assert!(matches!(store.rollback(&page, &id, Seconds(3600)).await?, Rollback::Shown(_)));
/// assert_eq!(store.rollback(&page, "another", Seconds(3600)).await?, Rollback::NoSuchVersion);
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Rollback {
    /// It is shown.
    Shown(Box<Meta>),
    /// There is no such version.
    NoSuchVersion,
    /// The page was published or the version forgotten meanwhile, and nothing was written.
    Lost,
}

impl MetaStore {
    /// The versions of a page, newest first, a hundred at a time.
    ///
    /// # Errors
    /// If the store does not answer, or the cursor is of another page.
    pub async fn versions(&self, partition: &Partition, cursor: Option<&str>) -> Result<Versions, Error> {
        let query = self.db.query(Version::query(partition.as_str())).desc().consistent();
        let page = query.select::<Row>().limit(VERSIONS_PER_PAGE).page(cursor).await;
        let page = page.map_err(tabletheory::Error::erase)?;
        let versions = page.items.into_iter().filter_map(Row::read::<Version>).collect();
        Ok(Versions { versions, cursor: page.cursor })
    }

    /// Shows an older version for at least `hold`, as a new generation and as a purge: a render under way does not undo it.
    ///
    /// # Errors
    /// If the store does not answer, or a page cannot be fresh for so long.
    pub async fn rollback(&self, partition: &Partition, id: &str, hold: Seconds) -> Result<Rollback, Error> {
        check_revalidate(hold)?;
        let version_key = Version::key(partition.as_str(), id);
        if version_key.item().is_err() {
            return Ok(Rollback::NoSuchVersion);
        }
        let keys = [meta_key(partition), site_key(partition), Row::of(version_key)];
        let [current, site, version] = self.rows(keys).await?;
        let Some(version) = version.and_then(Row::read::<Version>) else {
            return Ok(Rollback::NoSuchVersion);
        };
        let seen = Ground {
            generation: current.as_ref().and_then(|row| row.number("generation")),
            version: current.as_ref().and_then(|row| row.number("version")),
            site_epoch: site.as_ref().and_then(|row| row.number("epoch")),
            epoch: None,
            replaces: Row::replaced(current.as_ref()),
        };
        let current = current.and_then(Row::read::<Meta>);
        let token = self.draw_token();
        let meta = shown(&version, current.as_ref(), &seen, hold, self.db.clock().now(), &token);
        let error = match transaction::show(&self.db, partition, &meta, &seen, &version).await {
            Ok(()) => return Ok(Rollback::Shown(Box::new(meta))),
            Err(error) => error,
        };
        let is_refused = refusals(&error).is_some();
        if !is_refused && !error.is_ambiguous() {
            return Err(error.into());
        }
        let [row] = self.rows([meta_key(partition)]).await?;
        match row.as_ref().and_then(|row| row.text("publisher_token")) {
            Some(publisher) if publisher == token => Ok(Rollback::Shown(Box::new(meta))),
            _ if is_refused => Ok(Rollback::Lost),
            _ => Err(error.into()),
        }
    }

    /// Forgets old versions of every page, as [`forget_versions`](Self::forget_versions) does, and says how many. Of a page that
    /// the table has forgotten none is kept for being new.
    ///
    /// # Errors
    /// If the store does not answer. What was forgotten before stays forgotten.
    pub(crate) async fn forget_all_versions(
        &self,
        keep: usize,
        older_than: Timestamp,
    ) -> Result<usize, Error> {
        // Versions are looked for by their own rows: the page they are of may be gone, or be published without them.
        let is_version = Row::SK.begins_with("VER#");
        let mut rows = self.db.scan::<Row>().consistent().filter(is_version).select::<Home>().stream();
        let (mut forgotten, mut last) = (0, String::new());
        while let Some(Home(pk)) = rows.try_next().await.map_err(tabletheory::Error::erase)? {
            // A scan gives the rows of a partition together.
            if pk == last {
                continue;
            }
            if let Some(partition) = Partition::of_row(&pk) {
                let [page] = self.rows([meta_key(&partition)]).await?;
                let keep = if page.is_some() { keep } else { 0 };
                forgotten += self.forget_versions(&partition, keep, older_than).await?;
            }
            last = pk;
        }
        Ok(forgotten)
    }

    /// Forgets versions that were generated before `older_than` and are not among the newest `keep`, and says how many. The
    /// version that is shown is never forgotten.
    ///
    /// # Errors
    /// If the store does not answer. What was forgotten before stays forgotten.
    pub async fn forget_versions(
        &self,
        partition: &Partition,
        keep: usize,
        older_than: Timestamp,
    ) -> Result<usize, Error> {
        let (mut seen, mut forgotten, mut cursor) = (0, 0, None);
        loop {
            let page = self.versions(partition, cursor.as_deref()).await?;
            for version in page.versions {
                seen += 1;
                if seen <= keep || version.generated_at >= older_than.seconds() {
                    continue;
                }
                match transaction::forget(&self.db, partition, &version).await {
                    Ok(()) => forgotten += 1,
                    // It is shown.
                    Err(error) if refusals(&error).is_some() => {}
                    Err(error) => return Err(error.into()),
                }
            }
            cursor = page.cursor;
            if cursor.is_none() {
                return Ok(forgotten);
            }
        }
    }
}

/// The partition of a row.
struct Home(String);

impl FromItem for Home {
    const ATTRIBUTES: Option<&'static [&'static str]> = Some(&["pk"]);

    fn schema(_item: &Item) -> Option<Schema> {
        None
    }

    fn from_item(mut item: Item) -> Result<Self, ModelError> {
        Ok(Self(match item.remove("pk") {
            Some(Value::S(pk)) => pk,
            _ => String::new(),
        }))
    }
}

/// The metadata that shows a version. It is as old as it is, and fresh from now on for as long as it is to be held.
fn shown(
    version: &Version,
    current: Option<&Meta>,
    seen: &Ground,
    hold: Seconds,
    now: Timestamp,
    token: &str,
) -> Meta {
    let mut meta = version.shown(current);
    let fresh_until = (now + hold).seconds().saturating_add(1);
    meta.revalidate_seconds = fresh_until.saturating_sub(meta.generated_at).max(0);
    meta.generation = Some(next_generation(seen.generation, now));
    meta.version = Some(seen.version.unwrap_or(0).saturating_add(1));
    // Whoever shows it again says that it is good, whatever was purged before.
    meta.site_epoch = seen.site_epoch;
    meta.publisher_token = Some(token.to_owned());
    // The table must not forget the page while it is fresh, nor soon after.
    meta.ttl = meta.ttl.map(|ttl| ttl.max(fresh_until.saturating_add(86_400)));
    meta
}
