//! What the system has of a file in memory, found and read without ever waiting for the disk. Only Linux can be asked for that.

use std::path::Path;

/// The file's bytes, if it is a plain file of this length behind no link, and its name and all of its bytes are in memory.
/// Nothing says nothing: who may wait has to look.
#[cfg(target_os = "linux")]
pub(super) fn read(path: &Path, length: usize) -> Option<Vec<u8>> {
    use std::io::IoSliceMut;

    use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
    use rustix::io::{ReadWriteFlags, preadv2};

    // A pipe would wait for its writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let resolve = ResolveFlags::CACHED | ResolveFlags::NO_SYMLINKS;
    let file = openat2(CWD, path, flags, Mode::empty(), resolve).ok()?;
    let found = fstat(&file).ok()?;
    let is_it =
        FileType::from_raw_mode(found.st_mode).is_file() && usize::try_from(found.st_size) == Ok(length);
    if !is_it {
        return None;
    }
    let mut bytes = vec![0; length];
    // File systems that cannot tell refuse, and what is there in part is read again by who may wait.
    let read = preadv2(&file, &mut [IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT).ok()?;
    (read == length).then_some(bytes)
}

/// Nothing: what is in memory cannot be told from what is not.
#[cfg(not(target_os = "linux"))]
pub(super) fn read(_: &Path, _: usize) -> Option<Vec<u8>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What `statfs` calls ext4.
    const EXT4: rustix::fs::FsWord = 0xEF53;

    #[test]
    fn only_a_plain_file_of_the_right_length_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let path = folder.join("file");
        fs::write(&path, "page").unwrap();
        // Other file systems may not be able to tell what is in memory.
        if rustix::fs::statfs(&folder).unwrap().f_type == EXT4 {
            assert_eq!(read(&path, 4).as_deref(), Some(&b"page"[..]));
        }
        assert!(read(&path, 4).is_none_or(|bytes| bytes == b"page"));
        assert_eq!(read(&path, 3), None);
        assert_eq!(read(&path, 5), None);
        assert_eq!(read(&folder, 4), None);
        assert_eq!(read(&folder.join("missing"), 4), None);
        symlink(&path, folder.join("link")).unwrap();
        assert_eq!(read(&folder.join("link"), 4), None);
        symlink(&folder, folder.join("directory")).unwrap();
        assert_eq!(read(&folder.join("directory/file"), 4), None);
    }
}
