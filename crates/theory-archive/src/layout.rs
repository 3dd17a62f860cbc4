//! Where what lies in an archive: `{prefix}/{YYYY}/{MM}/{DD}/{event}.json`, and beside the years the dead letters and how far
//! streams were read. Names follow from the record alone, so a record that comes again finds its object.

use object_store::path::Path;
use sha2::{Digest as _, Sha256};

use crate::day::Day;

/// The folder of records that could not be archived.
const DEAD_LETTERS: &str = "dead-letters";
/// The folder of how far streams were read.
const CHECKPOINTS: &str = ".checkpoint";
/// What the name of an object ends with.
const END: &str = ".json";
/// A file's name has 255 bytes at most on most systems.
const ID_BYTES_MAX: usize = 128;

/// The places of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    prefix: Path,
}

impl Layout {
    pub(crate) fn new(prefix: Path) -> Self {
        Self { prefix }
    }

    /// What every name begins with.
    pub(crate) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The folder of dead letters, which has days as the archive has.
    pub(crate) fn dead_letters(&self) -> Path {
        self.prefix.clone().join(DEAD_LETTERS)
    }

    /// The object of a record.
    pub(crate) fn object(&self, day: Day, event_id: &str) -> Path {
        day.below(&self.prefix).join(format!("{}{END}", stem(event_id)))
    }

    /// The object of a record whose name is taken by another record with the same identifier.
    pub(crate) fn twin(&self, day: Day, event_id: &str, identity: &Identity) -> Path {
        day.below(&self.prefix).join(format!("{}-{identity}{END}", stem(event_id)))
    }

    /// The dead letter of a record.
    pub(crate) fn dead_letter(&self, day: Day, event_id: &str, identity: &Identity) -> Path {
        day.below(&self.dead_letters()).join(format!("{}-{identity}{END}", stem(event_id)))
    }

    /// How far a stream of a table was read.
    pub(crate) fn checkpoint(&self, table: &str, stream: &str) -> Path {
        let stream = Identity::of([stream.as_bytes()]);
        self.prefix.clone().join(CHECKPOINTS).join(table).join(format!("{stream}{END}"))
    }
}

/// The name of an object without its end; none if it is not the name of one.
pub(crate) fn name_of(file: &str) -> Option<&str> {
    file.strip_suffix(END).filter(|name| !name.is_empty())
}

/// An identifier as the name of a file. Those of DynamoDB and of the engine are one as they are; any other text becomes its
/// digest.
fn stem(event_id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    match !event_id.is_empty() && event_id.len() <= ID_BYTES_MAX && event_id.bytes().all(is_plain) {
        true => event_id.to_owned(),
        false => format!("id-{}", Identity::of([event_id.as_bytes()])),
    }
}

/// What tells things apart that may have the same name: the first half of a digest, 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identity([u8; 16]);

impl Identity {
    /// The identity of these parts, in this order.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            // With its length, or the end of one part could be the beginning of the next.
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        let whole: [u8; 32] = digest.finalize().into();
        let mut half = [0; 16];
        half.copy_from_slice(&whole[..16]);
        Self(half)
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::Timestamp;

    use super::*;

    #[test]
    fn names_are_those_of_upstream_where_they_can_be() {
        let layout = Layout::new(Path::from("ttl-archive"));
        let day = Day::of(Timestamp::from_seconds(1_704_067_260));
        let id = "c4ca4238a0b923820dcc509a6f75849b";
        assert_eq!(layout.object(day, id), Path::from(format!("ttl-archive/2024/01/01/{id}.json")));
    }

    #[test]
    fn no_identifier_leads_out_of_its_folder() {
        let layout = Layout::new(Path::default());
        let day = Day::of(Timestamp::from_seconds(0));
        let long = "x".repeat(129);
        for id in ["", ".", "..", "../../x", "a/b", "a\\b", "a\0b", "é", "a.b", " ", "%2e", &long] {
            let path = layout.object(day, id);
            assert_eq!(path.parts_count(), 4, "{path}");
            assert!(path.as_ref().starts_with("1970/01/01/id-") && path.as_ref().len() == 51, "{path}");
        }
        assert_eq!(layout.object(day, &long[1..]).as_ref().len(), 11 + 128 + 5);
    }

    #[test]
    fn parts_are_not_run_together() {
        assert_ne!(Identity::of([&b"ab"[..], b"c"]), Identity::of([&b"a"[..], b"bc"]));
    }
}
