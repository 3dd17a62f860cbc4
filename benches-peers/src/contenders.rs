//! Who takes part, by name, and how each is opened.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};

use crate::contender::Contender;
use crate::dynoxide::Dynoxide;
use crate::ours::Ours;
use crate::raw_fjall::RawFjall;
use crate::raw_fjall_memory::RawFjallMemory;

/// A contender, and what it promises about its writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    OursMemory,
    OursSync,
    DynoxideMemory,
    DynoxideFile,
    RawFjall,
    RawFjallMemory,
}

impl Entry {
    const ALL: [Self; 6] = [
        Self::OursMemory,
        Self::OursSync,
        Self::DynoxideMemory,
        Self::DynoxideFile,
        Self::RawFjall,
        Self::RawFjallMemory,
    ];

    /// As it stands in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OursMemory => "ours, memory",
            Self::OursSync => "ours, sync",
            Self::DynoxideMemory => "dynoxide, memory",
            Self::DynoxideFile => "dynoxide, file",
            Self::RawFjall => "raw fjall, group commit",
            Self::RawFjallMemory => "raw fjall, memory",
        }
    }

    /// The entry with this name.
    pub(crate) fn from_name(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|entry| entry.name() == name) {
            Some(entry) => Ok(entry),
            None => bail!("there is no contender `{name}`"),
        }
    }

    /// Opens it in a folder of its own.
    pub(crate) fn open(self, folder: &Path) -> Result<Arc<dyn Contender>> {
        Ok(match self {
            Self::OursMemory => Arc::new(Ours::memory(folder)?),
            Self::OursSync => Arc::new(Ours::sync(folder)?),
            Self::DynoxideMemory => Arc::new(Dynoxide::memory()?),
            Self::DynoxideFile => Arc::new(Dynoxide::open(folder)?),
            Self::RawFjall => Arc::new(RawFjall::open(folder)?),
            Self::RawFjallMemory => Arc::new(RawFjallMemory::open(folder)?),
        })
    }
}
