//! The conditions that keep the laws. The transactions are guarded by these, and the model of the protocol checks these.

use tabletheory::field::Filter;
use tabletheory_core::Timestamp;

use crate::record::{Epoch, Lock, Meta, Request, RequestStatus, Version};

/// Which guards a publish has against writers that are late, besides those it always has: the lease token, the epoch and
/// the generation.
///
/// ```
/// use facetheory::meta::Guards;
///
/// let guards = Guards::default();
/// assert!(guards.expiry && !guards.version && !guards.monotonic);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guards {
    /// The lease must not have ended. On by default, as in every store that shares the table. The token alone is enough for
    /// safety; without this guard a publish that comes late is done if nobody has taken the lease since.
    pub expiry: bool,
    /// `version` of the metadata must be what it was when the lease was won.
    pub version: bool,
    /// `generated_at` must grow. Off by default: one clock that runs ahead makes lawful publishes fail until time catches up.
    pub monotonic: bool,
}

impl Default for Guards {
    fn default() -> Self {
        Self { expiry: true, version: false, monotonic: false }
    }
}

/// What a render stands on: what was read between winning the lease and asking the origin.
///
/// ```
/// use facetheory::meta::Ground;
///
/// let nothing = Ground::default();
/// assert!(nothing.generation.is_none() && nothing.epoch.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ground {
    /// The page's epoch.
    pub epoch: Option<u64>,
    /// The number of the site's last purge.
    pub site_epoch: Option<u64>,
    /// The generation that was current.
    pub generation: Option<u64>,
    /// The version of the metadata.
    pub version: Option<u64>,
    /// The page that was there, and that a publish replaces.
    pub replaces: Replaced,
}

/// The page that was there when a render began. Bodies have keys of their own, so the key tells one page from every other.
///
/// ```
/// use facetheory::meta::Replaced;
///
/// assert_eq!(Replaced::default(), Replaced::Nothing);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Replaced {
    /// None.
    #[default]
    Nothing,
    /// The one whose body has this key.
    Body(String),
    /// A row that names its body in a way nobody reads. Whatever it is, it is replaced.
    Unreadable,
}

/// The lease can be taken: nobody has it and no failure asks for patience, or it is ours already because the answer to the
/// same request was lost. The bound on our own keeps a double that comes late from shortening it.
pub(crate) fn may_acquire(token: &str, now: Timestamp, expires_at: i64) -> Filter<Lock> {
    // A comparison with what is missing or of another type is false, so a row that is wrong holds nothing and blocks nobody.
    let free = !Lock::LEASE_EXPIRES_AT.gt(now.seconds());
    let welcome = !Lock::NEXT_ATTEMPT_MS.gt(now.millis());
    let ours = is_ours(token).and(Lock::LEASE_EXPIRES_AT.le(expires_at));
    free.and(welcome).or(ours)
}

/// The lease can be made longer: it is ours, and nobody needs to have waited for it to end. It never gets shorter.
pub(crate) fn may_refresh(token: &str, expires_at: i64) -> Filter<Lock> {
    is_ours(token).and(Lock::LEASE_EXPIRES_AT.le(expires_at))
}

/// The lease is ours. The token is the fence: it is random, and it is in the row only until another takes the lease.
pub(crate) fn is_ours(token: &str) -> Filter<Lock> {
    Lock::LEASE_TOKEN.eq(token)
}

/// The holder publishes: the lease is ours and, if that is guarded too, has not ended.
pub(crate) fn may_publish(token: &str, now: Timestamp, guards: Guards) -> Filter<Lock> {
    let ours = is_ours(token);
    if guards.expiry { ours.and(Lock::LEASE_EXPIRES_AT.gt(now.seconds())) } else { ours }
}

/// No purge came between: the epoch is what it was before the origin was asked.
pub(crate) fn not_purged_since(epoch: Option<u64>) -> Filter<Epoch> {
    match epoch {
        None => Epoch::PK.not_exists(),
        Some(epoch) => Epoch::EPOCH.eq(epoch),
    }
}

/// The metadata goes forward. A row without a generation is another store's, or missing.
pub(crate) fn goes_forward(meta: &Meta, ground: &Ground, guards: Guards) -> Filter<Meta> {
    // Not "less than": a generation that is missing or no number must not keep a page from being published for ever.
    let mut filter = match meta.generation {
        None => Meta::GENERATION.not_exists(),
        Some(generation) => !Meta::GENERATION.ge(generation),
    };
    // A double of the request that took the lease may take it once more when others have published and gone. Their pages are
    // not what this render stands on, and another store's have no generation that would say so.
    if let Some(unchanged) = is_still_there(&ground.replaces) {
        filter = filter.and(unchanged);
    }
    if guards.version {
        filter = filter.and(match ground.version {
            None => Meta::VERSION.not_exists(),
            Some(version) => Meta::VERSION.eq(version),
        });
    }
    if guards.monotonic {
        // On a missing row a bare comparison is false, and there would never be a first publish.
        let grows = Meta::GENERATED_AT.not_exists().or(Meta::GENERATED_AT.lt(meta.generated_at));
        filter = filter.and(grows);
    }
    filter
}

/// The page is the one that was there.
pub(crate) fn is_still_there(replaced: &Replaced) -> Option<Filter<Meta>> {
    match replaced {
        Replaced::Nothing => Some(Meta::S3_KEY.not_exists()),
        Replaced::Body(s3_key) => Some(Meta::S3_KEY.eq(s3_key.as_str())),
        Replaced::Unreadable => None,
    }
}

/// There is a page, and it is this one.
pub(crate) fn is_there(page: &Replaced) -> Filter<Meta> {
    match is_still_there(page) {
        Some(unchanged) => Meta::PK.exists().and(unchanged),
        None => Meta::PK.exists(),
    }
}

/// An intent can be begun: it is new, or its hash is ours and it failed, or its worker is gone, or it is ours already because
/// the answer to the same request was lost.
pub(crate) fn may_begin(request_hash: &str, owner: &str, now: Timestamp) -> Filter<Request> {
    let gone = !Request::LOCKED_UNTIL.gt(now.seconds());
    let abandoned = Request::STATUS.eq(RequestStatus::Started).and(gone);
    let again = Request::STATUS.eq(RequestStatus::Failed).or(abandoned).or(is_begun_by(owner));
    Request::PK.not_exists().or(Request::REQUEST_HASH.eq(request_hash).and(again))
}

/// The intent is still ours to end. A row that time removed is not: ending it would make it again without its hash.
pub(crate) fn is_begun_by(owner: &str) -> Filter<Request> {
    Request::OWNER.eq(owner.to_owned()).and(Request::STATUS.eq(RequestStatus::Started))
}

/// A version that is shown is not forgotten.
pub(crate) fn is_not_shown(version: &Version) -> Filter<Meta> {
    Meta::CURRENT_SK.not_exists().or(Meta::CURRENT_SK.ne(version.sort_key()))
}
