//! How a store on disk behaves: what a commit survives, how much memory it may take, what damage it bears.

/// When a commit returns: how much of a failure its writes survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persist {
    /// The journal's bytes may still be in this process: `kill -9` may lose the last few kilobytes.
    None,
    /// The operating system has the journal's bytes: `kill -9` loses nothing, power loss may.
    Buffer,
    /// The disk has the journal's bytes, and had them before any reader could see the writes.
    Sync,
}

/// What to do when a journal holds an unreadable entry with readable ones behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JournalDamage {
    /// Refuse to open: with [`Persist::Sync`] no crash leaves such a journal, so acknowledged writes are at stake.
    #[default]
    Refuse,
    /// Keep what comes before the entry: without fsync a power loss may write a journal's pages in any order.
    KeepPrefix,
}

/// Bounds and habits of a store on disk. Memory is bounded by these, not by the data or the number of spaces.
#[derive(Clone, Debug)]
pub(crate) struct KvOptions {
    /// Blocks of table files kept in memory.
    pub cache_bytes: u64,
    /// Recent writes of all spaces together kept in memory.
    pub write_buffer_bytes: u64,
    /// Journal files on disk before the spaces that hold them back are flushed; less counts as 64 MiB.
    pub journal_bytes: u64,
    /// What to do with a journal that is damaged in the middle.
    pub journal_damage: JournalDamage,
}

impl Default for KvOptions {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            cache_bytes: 32 * MIB,
            write_buffer_bytes: 64 * MIB,
            journal_bytes: 64 * MIB,
            journal_damage: JournalDamage::Refuse,
        }
    }
}
