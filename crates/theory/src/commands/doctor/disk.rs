//! A folder that is written to, or will be: a probe is written, read and removed, and the free space is counted.

use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use tempfile::Builder;

use super::finding::Finding;
use crate::output::amount;

const PROBE: &[u8] = b"theory doctor was here";
/// Below this there is no room to work.
const FREE_MIN: u64 = 64 << 20;
/// Below this somebody should make room.
const FREE_GOOD: u64 = 1 << 30;

/// Looks at a folder, or at the one in which it will be made.
pub(super) fn examine(name: &str, folder: &Path) -> Finding {
    let Some(place) = nearest(folder) else {
        return Finding::fail(
            name,
            format!("{} cannot be made: nothing above it exists", folder.display()),
            "give another folder",
        );
    };
    let will = if place == folder { "" } else { " (it will be made)" };
    let free = match probe(place).and_then(|()| free(place)) {
        Ok(free) => free,
        Err(error) => {
            return Finding::fail(
                name,
                format!("{} cannot be written: {error}", place.display()),
                "let the user that runs the gateway write there, or give another folder",
            );
        }
    };
    judge(name, &format!("{}{will} can be written", folder.display()), free)
}

fn judge(name: &str, text: &str, free: u64) -> Finding {
    let text = format!("{text}, {} are free", amount::size(free));
    let advice = "make room: pages are rendered and cannot be kept on a full disk";
    match free {
        0..FREE_MIN => Finding::fail(name, text, advice),
        FREE_MIN..FREE_GOOD => Finding::warn(name, text, advice),
        _ => Finding::ok(name, text),
    }
}

/// The folder itself, or the first above it that is there.
fn nearest(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above })
        .find(|above| above.is_dir())
}

/// The probe is removed with its value, also when something fails.
fn probe(folder: &Path) -> std::io::Result<()> {
    let mut file = Builder::new().prefix(".theory-doctor-").tempfile_in(folder)?;
    file.write_all(PROBE)?;
    file.as_file().sync_all()?;
    file.rewind()?;
    let mut read = Vec::new();
    file.read_to_end(&mut read)?;
    match read == PROBE {
        true => file.close(),
        false => Err(std::io::Error::other("what was written is not what is read")),
    }
}

fn free(folder: &Path) -> std::io::Result<u64> {
    let room = rustix::fs::statvfs(folder)?;
    Ok(room.f_bavail.saturating_mul(room.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_probed_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!examine("bodies", folder.path()).is_failure());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let below = examine("bodies", &folder.path().join("a/b"));
        assert!(below.json()["text"].as_str().is_some_and(|text| text.contains("it will be made")));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_folder_cannot_be_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // The folder above it can be written; what lies below a file can not be made, and the store says so when it is opened.
        assert!(!examine("bodies", file.path().parent().unwrap()).is_failure());
    }

    #[test]
    fn a_full_disk_is_told() {
        let verdict = |free| judge("bodies", "x", free).json()["verdict"].clone();
        assert_eq!([verdict(0), verdict(100 << 20), verdict(2 << 30)], ["fail", "warn", "ok"]);
    }
}
