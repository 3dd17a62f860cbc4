//! Journals that fjall goes on from.

use tempfile::TempDir;

use super::super::{Kv, KvOptions, journal, journals};
use super::damage::copy;
use super::{get, put};

const MIB: u64 = 1024 * 1024;

/// A folder was refused as damaged whose only journal was empty, because all before it was in data files, if it had once been
/// closed cleanly: the note of that time was held against a later journal.
#[test]
fn a_journal_that_nothing_was_written_to_yet_is_no_loss() {
    let folder = TempDir::new().unwrap();
    // Nothing is written out before the flush.
    let options =
        KvOptions { write_buffer_bytes: 2048 * MIB, journal_bytes: 64 * MIB, ..KvOptions::default() };
    for value in ["x".to_owned(), "x".repeat(1 << 20)] {
        let kv = Kv::open(folder.path(), &options).unwrap();
        let space = kv.space("table").unwrap();
        for n in 0..66 {
            put(&kv, &space, &n.to_string(), &value);
        }
        kv.flush().unwrap();
        if value.len() == 1 {
            continue;
        }
        wait_for_one_journal(&folder);
        let left = TempDir::new().unwrap();
        copy(folder.path(), left.path());
        let journals = journals::journals(left.path()).unwrap();
        assert_eq!(journals.len(), 1);
        assert!(
            journals::number_of(&journals[0]) > 0 && journal::is_blank(&journals[0]).unwrap(),
            "{journals:?}"
        );
        let kv = Kv::open(left.path(), &options).unwrap();
        assert_eq!(get(&kv, &kv.late_space("table"), "65"), Some(value));
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing tells when fjall's threads are done")]
fn wait_for_one_journal(folder: &TempDir) {
    for _ in 0..6_000 {
        if journals::journals(folder.path()).is_ok_and(|journals| journals.len() == 1) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("fjall keeps its journals");
}
