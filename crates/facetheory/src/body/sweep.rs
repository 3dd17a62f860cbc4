//! The sweep: deletes bodies that are old and that nobody names, and leftovers of writes that were cut short. What is young,
//! live or not ours stays.

use futures_util::stream::{BoxStream, StreamExt};
use tabletheory_core::Timestamp;

use super::error::BodyError;
use super::listed::{Kind, Listed};

/// Deletions under way at once.
const DELETED_AT_ONCE: usize = 8;

/// What a sweep saw and did. Everything seen is in exactly one of the other counts.
///
/// ```
/// use bytes::Bytes;
/// use facetheory::body::{Bodies, BodyKey};
/// use tabletheory_core::Timestamp;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), facetheory::body::BodyError> {
/// let bodies = Bodies::memory();
/// let (live, dead) = (BodyKey::new("CACHE#1", "new"), BodyKey::new("CACHE#1", "old"));
/// bodies.put(&live, Bytes::from("new")).await?;
/// bodies.put(&dead, Bytes::from("old")).await?;
///
/// let all_are_old = Timestamp::from_millis(i64::MAX);
/// let sweep = bodies.sweep(all_are_old, &|pointer| pointer == live.as_str()).await?;
/// assert_eq!((sweep.seen, sweep.kept_live, sweep.deleted), (2, 1, 1));
/// assert!(bodies.get(dead.as_str(), None).await?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BodySweep {
    /// Objects or files that were listed.
    pub seen: u64,
    /// Bodies and leftovers written at the given moment or after it.
    pub kept_young: u64,
    /// Bodies somebody names.
    pub kept_live: u64,
    /// What [`BodyKey`](super::BodyKey) does not name: bodies of other stores, or other things.
    pub kept_foreign: u64,
    /// Bodies deleted.
    pub deleted: u64,
    /// Temporary files deleted.
    pub deleted_leftovers: u64,
    /// Bytes of both.
    pub deleted_bytes: u64,
    /// What could not be looked at or deleted; a later sweep tries again.
    pub failed: u64,
}

/// What happened to one thing.
enum Fate {
    Young,
    Live,
    Foreign,
    Deleted { kind: Kind, len: u64 },
    Failed,
}

impl BodySweep {
    fn count(&mut self, fate: &Fate) {
        self.seen += 1;
        match fate {
            Fate::Young => self.kept_young += 1,
            Fate::Live => self.kept_live += 1,
            Fate::Foreign => self.kept_foreign += 1,
            Fate::Failed => self.failed += 1,
            Fate::Deleted { kind, len } => {
                self.deleted_bytes += len;
                match kind {
                    Kind::Leftover => self.deleted_leftovers += 1,
                    Kind::Body | Kind::Foreign => self.deleted += 1,
                }
            }
        }
    }
}

/// Sweeps what is listed. `delete` is asked for one at a time per thing, and only for what may go; with `lists_on` an error in
/// the listing is counted and the listing read on.
pub(super) async fn sweep<Deleting>(
    mut listed: BoxStream<'static, Result<Listed, BodyError>>,
    lists_on: bool,
    older_than: Timestamp,
    live: &(dyn Fn(&str) -> bool + Sync),
    delete: impl Fn(Listed) -> Deleting,
) -> Result<BodySweep, BodyError>
where
    Deleting: Future<Output = Result<(), BodyError>>,
{
    let mut sweep = BodySweep::default();
    let mut deletions = futures_util::stream::FuturesUnordered::new();
    while let Some(listed) = listed.next().await {
        let fate = match listed {
            Err(error) if !lists_on => return Err(error),
            Err(_) => Some(Fate::Failed),
            Ok(listed) => match spared(&listed, older_than, live) {
                Some(fate) => Some(fate),
                None => {
                    let (kind, len, deleting) = (listed.kind(), listed.len, delete(listed));
                    deletions.push(async move {
                        deleting.await.map_or(Fate::Failed, |()| Fate::Deleted { kind, len })
                    });
                    None
                }
            },
        };
        fate.iter().for_each(|fate| sweep.count(fate));
        while deletions.len() >= DELETED_AT_ONCE
            && let Some(fate) = deletions.next().await
        {
            sweep.count(&fate);
        }
    }
    while let Some(fate) = deletions.next().await {
        sweep.count(&fate);
    }
    Ok(sweep)
}

/// Why this one stays, if it does.
fn spared(listed: &Listed, older_than: Timestamp, live: &(dyn Fn(&str) -> bool + Sync)) -> Option<Fate> {
    match listed.kind() {
        Kind::Foreign => Some(Fate::Foreign),
        Kind::Body | Kind::Leftover if listed.modified >= older_than => Some(Fate::Young),
        // Asked last and for the old ones only: the answer may cost a read, and the later it is given the truer it is.
        Kind::Body if live(&listed.pointer) => Some(Fate::Live),
        Kind::Body | Kind::Leftover => None,
    }
}
