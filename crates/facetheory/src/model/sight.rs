//! What a model must have seen to have shown anything. Sights are counted beside the states, because states that remembered
//! them would be many more.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Something that happened in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// A publish was done.
    Published,
    /// A lease that had ended was taken from whoever had it.
    TakenOver,
    /// A publish was refused because the lease was another's or had ended.
    LeaseLost,
    /// A publish was refused because a purge had come between.
    PurgeMetRender,
    /// A purge had to be sent anew, because META had come between.
    PurgeMetPublish,
    /// A publish whose answer was lost was found done by reading META.
    Settled,
    /// A publish that was sent again was recognised by its token.
    Recognised,
    /// A worker could not know.
    Unknown,
    /// The second look found a page that was fresh already.
    SecondLook,
    /// An acquire that was sent twice was granted twice.
    GrantedAgain,
    /// A double of an acquire took the lease after its worker had gone on.
    Ghost,
    /// A lease was made longer.
    Renewed,
    /// An acquire was refused because a failure asked for patience.
    Patience,
    /// A body that nothing names was deleted.
    Swept,
    /// A body that is old was spared, because a row names it.
    Spared,
    /// An intent was completed.
    Completed,
    /// An intent was taken over from a worker that was gone.
    IntentTaken,
    /// An intent that failed was begun again.
    IntentAgain,
    /// An intent was refused because of its hash.
    HashRefused,
    /// A publish was refused because its intent was no longer there or no longer its own.
    IntentLost,
    /// The table forgot a lease.
    LockForgotten,
    /// The table forgot an intent that was started.
    IntentForgotten,
    /// A version was shown again.
    Shown,
}

const COUNT: usize = Sight::Shown as usize + 1;

/// How often each was seen.
#[derive(Debug, Default)]
pub(super) struct Sights([AtomicUsize; COUNT]);

impl Sights {
    pub(super) fn see(&self, sight: Sight) {
        self.0[sight as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count(&self, sight: Sight) -> usize {
        self.0[sight as usize].load(Ordering::Relaxed)
    }
}
