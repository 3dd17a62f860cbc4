//! Journals that are torn, foreign, of another copy, or in use.

use super::*;

fn entry() -> Entry {
    Entry {
        pair: Pair { from: "users".into(), to: "people".into() },
        from_id: "1".into(),
        to_id: None,
        is_made: false,
        has_own: false,
        stage: Stage::Waiting,
        checkpoint: None,
    }
}

#[test]
fn a_journal_is_read_as_it_was_saved_and_goes_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.journal");
    let mut journal = Journal::begin(&path, "a", "b").unwrap();
    journal.state.tables.push(entry());
    journal.save().unwrap();
    drop(journal);
    let again = Journal::resume(&path, "a", "b").unwrap();
    assert_eq!(again.state.tables, [entry()]);
    assert_eq!(again.pairs(), [entry().pair]);
    again.finish().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    assert!(matches!(Journal::resume(&path, "a", "b"), Err(Error::NoJournal { .. })));
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.journal");
    let journal = Journal::begin(&path, "a", "b").unwrap();
    journal.save().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_journal_that_is_cut_off_changed_or_none_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.journal");
    drop(Journal::begin(&path, "a", "b").unwrap());
    let whole = std::fs::read(&path).unwrap();
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let mut others: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
    others.extend([changed, b"{\"form\": 1}".to_vec(), vec![0xff; 10], [&whole[..], b" "].concat()]);
    for bytes in others {
        std::fs::write(&path, &bytes).unwrap();
        let refused = Journal::resume(&path, "a", "b").unwrap_err();
        assert!(matches!(refused, Error::NotAJournal { .. }), "{refused}");
        assert!(refused.to_string().contains("copy.journal"), "{refused}");
        assert!(
            matches!(Journal::begin(&path, "a", "b"), Err(Error::NotAJournal { .. })),
            "it is not overwritten"
        );
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn the_journal_of_another_copy_or_process_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.journal");
    let journal = Journal::begin(&path, "a", "b").unwrap();
    assert!(matches!(Journal::resume(&path, "a", "b"), Err(Error::InUse { .. })));
    drop(journal);
    let other = Journal::resume(&path, "a", "c").unwrap_err();
    assert!(other.to_string().ends_with("another copy: from a to b, not from a to c"), "{other}");
    assert!(matches!(Journal::begin(&path, "a", "b"), Err(Error::Unfinished { .. })));
}
