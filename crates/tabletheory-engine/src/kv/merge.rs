//! Merging table files, level by level. fjall's own thread would do it once for each file that it writes, and another of its threads
//! turns in circles meanwhile.

use std::sync::Arc;
use std::time::Duration;

use fjall::{AbstractTree, Keyspace};

use super::error::KvError;
use super::guard::guarded;
use super::trees::{LEVEL0_TABLES_MAX, Trees};
use super::worker::{IDLE, Worker};

/// Starts the thread that merges whatever needs it.
pub(super) fn start(trees: &Arc<Trees>) -> Result<Worker, KvError> {
    let mut turn = Merger { trees: Arc::clone(trees), next: 0 };
    Worker::start("merge", trees, |trees| &trees.merging, move |_| turn.merge_one())
}

struct Merger {
    trees: Arc<Trees>,
    /// Whose turn it is, so that one tree does not keep the others from theirs.
    next: usize,
}

impl Merger {
    /// Merges once in one tree that needs it. Tells when to look again: at once, if there was one. Between two merges the thread may be
    /// told to end.
    fn merge_one(&mut self) -> Result<Duration, KvError> {
        self.trees.refuse_if_poisoned()?;
        let mut keyspaces = self.trees.keyspaces();
        let count = keyspaces.len();
        keyspaces.rotate_left(self.next % count);
        // Writers wait for a tree that has too many files.
        let urgent = keyspaces.iter().position(|keyspace| keyspace.l0_table_count() > LEVEL0_TABLES_MAX / 2);
        keyspaces[..=urgent.unwrap_or(0)].rotate_right(1);
        for (at, keyspace) in keyspaces.iter().enumerate() {
            if merge(&self.trees, keyspace)? {
                self.next = (self.next + at + 1) % count;
                return Ok(Duration::ZERO);
            }
        }
        Ok(IDLE)
    }
}

/// Merges once, if the tree needs it. Tells whether it did.
fn merge(trees: &Trees, keyspace: &Keyspace) -> Result<bool, KvError> {
    let strategy = keyspace.config.compaction_strategy.clone();
    guarded("merge files of", keyspace.path(), || {
        let before = keyspace.tree.current_version();
        keyspace.tree.compact(strategy, trees.published.unread_before())?;
        // A file that was written out meanwhile makes it another, too, and then it is looked for once more.
        let is_changed = keyspace.tree.current_version().id() != before.id();
        if is_changed {
            trees.merged.lock().push(Box::new(before));
            trees.flushing.ring();
        }
        Ok(is_changed)
    })
}
