//! Merging table files, level by level. fjall's own thread would do it, once after each file that it writes; but as long as a merge goes
//! on, the journal is not gone on from, and with more threads than one another of them turns in circles.

use std::sync::Arc;
use std::time::Duration;

use fjall::{AbstractTree, Keyspace};

use super::error::KvError;
use super::guard::guarded;
use super::trees::Trees;
use super::worker::{IDLE, Worker};

/// Starts the thread that merges. It is to be woken when there are new files.
pub(super) fn start(trees: &Arc<Trees>) -> Result<Worker, KvError> {
    let merged = Arc::clone(trees);
    Worker::start("merge", trees, move || {
        // Between two merges it may be told to end.
        Ok(if merge_each(&merged)? { Duration::ZERO } else { IDLE })
    })
}

/// Merges once in every tree that needs it. Tells whether one did.
fn merge_each(trees: &Trees) -> Result<bool, KvError> {
    let mut any = false;
    for keyspace in trees.keyspaces() {
        trees.refuse_if_poisoned()?;
        any |= merge(trees, &keyspace)?;
    }
    Ok(any)
}

fn merge(trees: &Trees, keyspace: &Keyspace) -> Result<bool, KvError> {
    let before = keyspace.tree.current_version();
    let strategy = keyspace.config.compaction_strategy.clone();
    guarded("merge files of", keyspace.path(), || {
        Ok(keyspace.tree.compact(strategy, trees.unread_before())?)
    })?;
    // A file that was written out meanwhile makes it another, too, and then it is looked for once more.
    let is_changed = keyspace.tree.current_version().id() != before.id();
    if is_changed {
        trees.merged.lock().push(Box::new(before));
    }
    Ok(is_changed)
}
