//! What readers of a store on disk see: every commit that has returned, and nothing of one that has not.
//!
//! fjall's own latest view is not enough: a background flush moves it past a batch that is still waiting for its fsync, and
//! a reader would then see that batch arrive piece by piece. And fjall writes down each view that is held, so that nothing is
//! removed which it can still read; to have that done for every commit is a visible part of what a small one costs. So one view
//! is held for many commits: what keeps an earlier moment readable keeps the later ones readable, too.

use std::sync::{Arc, Weak};

use fjall::{Database, SeqNo, Snapshot};
use parking_lot::{Mutex, RwLock};

/// Commits for which one view is held.
const COMMITS_HELD: u32 = 256;
/// Bytes of commits for which one view is held. fjall keeps what was written since, memtables that are long in files too: more would
/// be memory without a bound.
const BYTES_HELD: u64 = 1024 * 1024;

/// The moment up to which readers see.
pub(super) struct Published {
    latest: RwLock<Latest>,
    /// What was held so far. All readers have one of these, or a moment after it.
    held: Mutex<Vec<Weak<Snapshot>>>,
}

struct Latest {
    view: View,
    /// Commits, and their bytes, since its moment was held.
    commits: u32,
    bytes: u64,
}

/// The store at one moment. It stays readable while this is kept.
#[derive(Clone)]
pub(super) struct View {
    moment: SeqNo,
    /// The same moment or an earlier one.
    held: Arc<Snapshot>,
}

impl Published {
    /// Everything that is there now.
    pub(super) fn new(database: &Database) -> Self {
        let latest = Latest::hold(database);
        let held = Mutex::new(vec![Arc::downgrade(&latest.view.held)]);
        Self { latest: RwLock::new(latest), held }
    }

    /// What is published.
    pub(super) fn view(&self) -> View {
        self.latest.read().view.clone()
    }

    /// Publishes everything that is there now, after a commit of so many bytes. No batch may be under way.
    pub(super) fn advance(&self, database: &Database, bytes: u64) {
        let mut latest = self.latest.write();
        latest.commits += 1;
        latest.bytes += bytes;
        if latest.commits < COMMITS_HELD && latest.bytes < BYTES_HELD {
            latest.view.moment = database.visible_seqno();
            return;
        }
        drop(latest);
        self.renew(database);
    }

    /// Publishes everything that is there now, and lets go of everything before it. No batch may be under way.
    pub(super) fn renew(&self, database: &Database) {
        let latest = Latest::hold(database);
        {
            let mut held = self.held.lock();
            held.retain(|held| held.strong_count() > 0);
            held.push(Arc::downgrade(&latest.view.held));
        }
        // fjall has some work with a view that is given up: it is dropped when readers can go on.
        let _before = std::mem::replace(&mut *self.latest.write(), latest);
    }

    /// What was overwritten before this number is read by nobody any more. fjall knows one, too, but looks for it only now and then,
    /// and what is written out meanwhile would keep every version of a row that is written all the time.
    pub(super) fn unread_before(&self) -> SeqNo {
        let held = self.held.lock();
        let oldest = held.iter().filter_map(Weak::upgrade).map(|held| held.seqno()).min();
        oldest.expect("the latest view is held").saturating_sub(1)
    }
}

impl Latest {
    fn hold(database: &Database) -> Self {
        let held = database.snapshot();
        Self { view: View { moment: held.seqno(), held: Arc::new(held) }, commits: 0, bytes: 0 }
    }
}

impl View {
    /// Which moment it is, for fjall's trees.
    pub(super) fn moment(&self) -> SeqNo {
        self.moment
    }
}
