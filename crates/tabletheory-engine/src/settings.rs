//! How an engine behaves: plain data. The clock and the randomness are components and are passed beside it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::kv::{JournalDamage, KvOptions, Persist};

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// `kill -9` and power loss: concurrent writers share one fsync, and are answered after it.
    #[default]
    Sync,
    /// `kill -9`; a power loss takes at most what was written in the last so many milliseconds.
    Interval(u64),
    /// Neither: a write is answered once it can be read. What is in the folder after a crash is a past state, but
    /// `ItemCount` and `TableSizeBytes` may have missed the last writes before it.
    Memory,
}

impl Durability {
    pub(crate) fn persist(self) -> Persist {
        match self {
            Self::Sync => Persist::Sync,
            Self::Interval(_) => Persist::Buffer,
            Self::Memory => Persist::None,
        }
    }
}

/// Settings of an engine. The memory of one with a folder is bounded by them, not by the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Memory for items that are read often, and for the rows of queries that are asked again; 0 keeps none. What tells whether they
    /// still hold takes half a megabyte beside it.
    pub item_cache_bytes: u64,
    /// Memory for blocks of data files.
    pub block_cache_bytes: u64,
    /// Memory for recent writes that are not in data files yet, over all tables.
    pub write_buffer_bytes: u64,
    /// How often expired items, old stream records and spent tokens are looked for, and new indexes are filled. `None`
    /// leaves that to calls of [`crate::Engine::upkeep`].
    pub upkeep_every: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        const MEGABYTE: u64 = 1024 * 1024;
        Self {
            durability: Durability::Sync,
            item_cache_bytes: 64 * MEGABYTE,
            block_cache_bytes: 32 * MEGABYTE,
            write_buffer_bytes: 64 * MEGABYTE,
            upkeep_every: Some(Duration::from_secs(1)),
        }
    }
}

impl Settings {
    pub(crate) fn kv_options(&self) -> KvOptions {
        KvOptions {
            cache_bytes: self.block_cache_bytes,
            write_buffer_bytes: self.write_buffer_bytes,
            journal_damage: match self.durability {
                Durability::Sync => JournalDamage::Refuse,
                Durability::Interval(_) | Durability::Memory => JournalDamage::KeepPrefix,
            },
            ..KvOptions::default()
        }
    }
}
