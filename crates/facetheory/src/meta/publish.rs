//! Publishing a page: one transaction, frozen, and settled when its answer was lost. Nothing is ever guessed.

use tabletheory::error::TransactionFailure;
use tabletheory::model::Model as _;
use tabletheory_core::{Seconds, Timestamp};

use super::MetaStore;
use super::group::Group;
use super::lease::Lease;
use super::refusal::{is_model_refused, is_refused, refusals};
use super::row::{Row, meta_key};
use super::rule::Ground;
use super::transaction::{self, Publication, publish as place};
use crate::error::Error;
use crate::record::{Epoch, KeptHeader, Meta, Request, Version};

/// No page is fresh for longer.
pub(super) const REVALIDATE_SECONDS_MAX: i64 = 10 * 365 * 86_400;

/// A page as it was rendered, with its body already stored.
///
/// ```
/// use facetheory::meta::Draft;
/// use tabletheory_core::{Seconds, Timestamp};
///
/// let draft = Draft::new("b/1", Timestamp::from_seconds(100), Seconds(60)).with_path("/news");
/// assert_eq!(draft.status, 200);
/// assert_eq!(draft.tags.len(), 1);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Draft {
    /// Where the body is in the object store.
    pub s3_key: String,
    /// When the origin was asked, less the age it told.
    pub generated: Timestamp,
    /// For how long the page is fresh.
    pub revalidate: Seconds,
    /// For how long after `generated` the table keeps it.
    pub retention: Seconds,
    /// For how long after that the table keeps it, because it forgets at its own pace.
    pub ttl_buffer: Seconds,
    /// The entity tag.
    pub etag: Option<String>,
    /// The status of the response.
    pub status: u16,
    /// The headers that are replayed.
    pub headers: Vec<KeptHeader>,
    /// What it can be purged by, besides its key.
    pub tags: Vec<String>,
    /// The SHA-256 of the body, as 64 digits.
    pub body_sha256: String,
    /// The length of the body in bytes.
    pub body_len: u64,
    /// The page's address for people ([`PageKey::address`](crate::PageKey::address)).
    pub page: Option<String>,
}

impl Draft {
    /// An empty page with status 200, kept for a week and a day.
    #[must_use]
    pub fn new(s3_key: impl Into<String>, generated: Timestamp, revalidate: Seconds) -> Self {
        Self {
            s3_key: s3_key.into(),
            generated,
            revalidate,
            retention: Seconds(7 * 86_400),
            ttl_buffer: Seconds(86_400),
            etag: None,
            status: 200,
            headers: Vec::new(),
            tags: Vec::new(),
            body_sha256: String::new(),
            body_len: 0,
            page: None,
        }
    }

    /// So that it can be purged by its path: the short name of the path's group stands among its tags.
    #[must_use]
    pub fn with_path(mut self, path: impl AsRef<[u8]>) -> Self {
        self.tags.extend(Group::Path(path.as_ref()).name());
        self
    }

    /// When the table may forget the page.
    ///
    /// # Errors
    /// If that would be before it is stale, or if it would be fresh for longer than is possible.
    fn ttl(&self) -> Result<i64, Error> {
        check_revalidate(self.revalidate)?;
        let revalidate_s = self.revalidate.0;
        let kept_s = self.retention.0.max(0).saturating_add(self.ttl_buffer.0.max(0));
        if kept_s <= revalidate_s {
            return Err(Error::Retention { revalidate_s, kept_s });
        }
        Ok(self.generated.seconds().saturating_add(kept_s))
    }
}

/// Without the values of its headers, and without the address, whose query may hold what is nobody's business.
impl std::fmt::Debug for Draft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Draft")
            .field("s3_key", &self.s3_key)
            .field("generated", &self.generated)
            .field("revalidate", &self.revalidate)
            .field("status", &self.status)
            .field("body_len", &self.body_len)
            .finish_non_exhaustive()
    }
}

/// What a publish came to.
///
/// ```
/// use facetheory::meta::{Acquire, Commit, Draft, LostTo, MetaStore, Purge};
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
/// store.invalidate(&page, Purge::Stale).await?;
/// assert_eq!(store.commit(&lease, &ground, &draft).await?, Commit::Lost(LostTo::Purge));
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Commit {
    /// The page is published, and the lease is given back.
    Published(Box<Meta>),
    /// It was refused, and nothing was written.
    Lost(LostTo),
    /// Every answer was lost, and the page that is there is not ours: ours may have been published before it, or may yet be.
    Unknown,
}

/// What a publish lost to.
///
/// ```
/// use facetheory::meta::{Acquire, Commit, Draft, LostTo, MetaStore};
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
/// assert!(matches!(store.commit(&lease, &ground, &draft).await?, Commit::Published(_)));
/// let twice = Draft { s3_key: "bodies/2".into(), ..draft };
/// assert_eq!(store.commit(&lease, &ground, &twice).await?, Commit::Lost(LostTo::Lease));
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostTo {
    /// The lease was over, or another has it.
    Lease,
    /// The page was purged, or another version was shown, since it was rendered.
    Purge,
    /// A newer page is there.
    Newer,
    /// The intent is not ours any more: another took it over, or the table has forgotten it.
    Request,
}

impl MetaStore {
    /// Publishes a page and gives the lease back, in one transaction. An intent that the lease carries is completed with it.
    ///
    /// # Errors
    /// If the draft cannot be a page, or if the store was not reached, which is certain: then nothing was written.
    pub async fn commit(&self, lease: &Lease, ground: &Ground, draft: &Draft) -> Result<Commit, Error> {
        self.publish(lease, ground, draft, false).await
    }

    /// As [`commit`](Self::commit), and keeps the page as a version that can be shown again.
    ///
    /// # Errors
    /// As for [`commit`](Self::commit).
    pub async fn commit_version(
        &self,
        lease: &Lease,
        ground: &Ground,
        draft: &Draft,
    ) -> Result<Commit, Error> {
        self.publish(lease, ground, draft, true).await
    }

    /// As [`commit`](Self::commit), for a lease that must carry an intent.
    ///
    /// # Errors
    /// As for [`commit`](Self::commit), and if the lease carries no intent.
    pub async fn commit_idempotent(
        &self,
        lease: &Lease,
        ground: &Ground,
        draft: &Draft,
    ) -> Result<Commit, Error> {
        lease.claim().ok_or(Error::NoIntent)?;
        self.publish(lease, ground, draft, false).await
    }

    /// Publishes, with or without a version.
    pub(crate) async fn publish(
        &self,
        lease: &Lease,
        ground: &Ground,
        draft: &Draft,
        versioned: bool,
    ) -> Result<Commit, Error> {
        let publication = self.publication(lease, ground, draft, versioned)?;
        // The toolkit sends the same bytes with the same token while the answer is lost or the store is busy.
        let answer = transaction::publish(&self.db, lease.partition(), &publication).await;
        let error = match answer {
            Ok(()) => return Ok(Commit::Published(Box::new(publication.meta))),
            Err(error) => error,
        };
        let failure = refusals(&error);
        if failure.is_none() && !error.is_ambiguous() {
            return Err(error.into());
        }
        // The page that is there has the last word: if it has our token and our body, it is ours.
        let page_epoch = Row::of(Epoch::key(lease.partition().as_str()));
        let Ok([row, epoch]) = self.rows([meta_key(lease.partition()), page_epoch]).await else {
            return Ok(Commit::Unknown);
        };
        let is_ours = |row: &Row| {
            row.text("publisher_token") == Some(lease.token()) && row.text("s3_key") == Some(&draft.s3_key)
        };
        Ok(match (row, failure) {
            (Some(row), _) if is_ours(&row) => {
                Commit::Published(Box::new(row.read().unwrap_or(publication.meta)))
            }
            (row, Some(failure)) if is_final(failure, &publication, row.as_ref(), epoch.as_ref()) => {
                Commit::Lost(lost_to(failure))
            }
            _ => Commit::Unknown,
        })
    }

    fn publication(
        &self,
        lease: &Lease,
        ground: &Ground,
        draft: &Draft,
        versioned: bool,
    ) -> Result<Publication, Error> {
        if draft.s3_key.is_empty() {
            return Err(Error::NoBody);
        }
        let now = self.db.clock().now();
        let mut meta = Meta {
            pk: lease.partition().as_str().to_owned(),
            s3_key: draft.s3_key.clone(),
            generated_at: draft.generated.seconds(),
            revalidate_seconds: draft.revalidate.0,
            etag: draft.etag.clone(),
            ttl: Some(draft.ttl()?),
            generated_at_ms: Some(draft.generated.millis()),
            generation: Some(next_generation(ground.generation, now)),
            publisher_token: Some(lease.token().to_owned()),
            status: Some(draft.status),
            headers: draft.headers.clone(),
            tags: draft.tags.clone(),
            body_sha256: Some(draft.body_sha256.clone()),
            body_len: Some(draft.body_len),
            current_sk: None,
            version: Some(ground.version.unwrap_or(0).saturating_add(1)),
            site_epoch: ground.site_epoch,
            stale_since_ms: None,
            gone: false,
            page: draft.page.clone(),
        };
        let version = versioned.then(|| Version::of(&meta, version_id(&meta, lease.token())));
        meta.current_sk = version.as_ref().map(Version::sort_key);
        Ok(Publication {
            meta,
            ground: ground.clone(),
            guards: self.settings.guards,
            version,
            request: lease.claim().cloned(),
            token: lease.token().to_owned(),
            now,
        })
    }
}

/// One more than there was; the clock's milliseconds for the first, so that a page whose row was forgotten goes on from there.
pub(crate) fn next_generation(seen: Option<u64>, now: Timestamp) -> u64 {
    match seen {
        Some(generation) => generation.saturating_add(1),
        None => u64::try_from(now.millis()).unwrap_or(0),
    }
}

/// # Errors
/// If a page cannot be fresh for so long.
pub(super) fn check_revalidate(revalidate: Seconds) -> Result<(), Error> {
    if (0..=REVALIDATE_SECONDS_MAX).contains(&revalidate.0) {
        return Ok(());
    }
    Err(Error::Revalidate { seconds: revalidate.0, seconds_max: REVALIDATE_SECONDS_MAX })
}

/// Whether a publish that was refused was never done, and never will be.
///
/// A refusal says that no sending was done before it. If an earlier one was not answered, it may still be on its way, and the
/// lease is no obstacle for ever: a double of the request that took it can take it again. The page and its epoch are, because
/// they never come back to what they were.
fn is_final(
    failure: &TransactionFailure,
    publication: &Publication,
    row: Option<&Row>,
    epoch: Option<&Row>,
) -> bool {
    if !failure.is_after_a_lost_answer()
        || is_refused(failure, place::META)
        || is_refused(failure, place::EPOCH)
    {
        return true;
    }
    let ground = &publication.ground;
    let is_unchanged = Row::replaced(row) == ground.replaces;
    let generation = row.and_then(|row| row.number("generation"));
    let is_over = !is_unchanged || epoch.and_then(|epoch| epoch.number("epoch")) != ground.epoch;
    // The other sending may have been done after the refusal, and replaced before this read: then the generation is beyond ours.
    let was_never =
        is_unchanged || generation.is_some_and(|generation| Some(generation) <= publication.meta.generation);
    is_over && was_never
}

/// Greater for later generations, and different for each attempt.
fn version_id(meta: &Meta, token: &str) -> String {
    let generation = meta.generation.unwrap_or(0);
    format!("{generation:020}-{}", token.get(..8).unwrap_or(token))
}

/// A purge takes the lease too, and a takeover leads to a newer page: the first cause is told.
fn lost_to(failure: &TransactionFailure) -> LostTo {
    if is_refused(failure, place::EPOCH) {
        LostTo::Purge
    } else if is_refused(failure, place::LOCK) {
        LostTo::Lease
    } else if is_refused(failure, place::META) || !is_model_refused(failure, Request::NAME) {
        LostTo::Newer
    } else {
        LostTo::Request
    }
}
