//! What the system has of a file in memory, read without ever waiting for the disk. Only Linux can be asked for that.

use std::fs::File;

/// The first `length` bytes, if all of them are in memory.
#[cfg(target_os = "linux")]
pub(super) fn read(file: &File, length: usize) -> Option<Vec<u8>> {
    use std::io::IoSliceMut;

    use rustix::io::{ReadWriteFlags, preadv2};

    let mut bytes = vec![0; length];
    // File systems that cannot tell refuse, and what is there in part is read again by who may wait.
    let read = preadv2(file, &mut [IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT).ok()?;
    (read == length).then_some(bytes)
}

/// Nothing: what is in memory cannot be told from what is not.
#[cfg(not(target_os = "linux"))]
pub(super) fn read(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_just_written_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "page").unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(read(&file, 4).as_deref(), Some(&b"page"[..]));
        assert_eq!(read(&file, 4).as_deref(), Some(&b"page"[..]), "it begins at the beginning each time");
        assert_eq!(read(&file, 3).as_deref(), Some(&b"pag"[..]));
        assert_eq!(read(&file, 5), None, "a file that shrank is not read in part");
    }
}
