//! Whether there is room for a copy, as far as that can be known before it is begun.

use std::path::Path;

use anyhow::bail;

use crate::output::amount;

/// A store needs so much beside what it holds.
const SPARE: u64 = 64 << 20;

/// Refuses to begin where there is less room than this. What cannot be asked is found out later.
pub(super) fn check(folder: &Path, bytes: u64) -> anyhow::Result<()> {
    match free(folder) {
        Some(free) => judge(folder, bytes, free),
        None => Ok(()),
    }
}

fn judge(folder: &Path, bytes: u64, free: u64) -> anyhow::Result<()> {
    let needed = bytes.saturating_add(SPARE);
    if free >= needed {
        return Ok(());
    }
    bail!(
        "{} has room for {}, and the copy needs about {}; nothing was changed: make room, or give another folder",
        folder.display(),
        amount::size(free),
        amount::size(needed)
    )
}

fn free(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|above| above.is_dir())?;
    let room = rustix::fs::statvfs(there).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_what_is_needed() {
        let folder = Path::new("/data");
        assert!(judge(folder, 1 << 30, 2 << 30).is_ok());
        let refused = judge(folder, 1 << 30, 1 << 30).unwrap_err().to_string();
        assert!(
            refused.starts_with("/data has room for 1.0 GB, and the copy needs about 1.0 GB"),
            "{refused}"
        );
        assert!(judge(folder, u64::MAX, 1 << 30).is_err());
        assert!(free(Path::new("/")).is_some());
    }
}
