//! Journals as fjall writes them, read here; and every way to damage one.

use std::fs;

use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use tempfile::TempDir;

use super::{super::*, *};
use crate::kv::journal;

/// The batch of the format's description, built by hand.
fn batch(seqno: u64, entries: &[&[u8]]) -> Vec<u8> {
    let entries: Vec<u8> = entries.concat();
    let mut hasher = Xxh3::new();
    hasher.update(&entries);
    let count = u32::try_from(entries.iter().filter(|byte| **byte == b'#').count()).unwrap();
    [
        &[START][..],
        &count.to_le_bytes(),
        &seqno.to_le_bytes(),
        &entries,
        &[END],
        &hasher.digest().to_le_bytes(),
        &TRAILER,
    ]
    .concat()
}

/// One entry; every key in these tests has one `#`, by which `batch` counts.
fn item(value_type: u8, keyspace: u64, key: &[u8], value: &[u8]) -> Vec<u8> {
    let value_bytes = u32::try_from(value.len()).unwrap().to_le_bytes();
    let key_bytes = u16::try_from(key.len()).unwrap().to_le_bytes();
    [&[ITEM, value_type, 0][..], &keyspace.to_le_bytes(), &key_bytes, &value_bytes, &value_bytes, key, value]
        .concat()
}

/// If this fails after an upgrade of fjall, its journal has another format, and all of `journal` must be read again.
#[test]
fn fjall_writes_the_format_that_is_read_here() {
    let folder = TempDir::new().unwrap();
    let database = Database::builder(&folder).open().unwrap();
    let space = |name| database.keyspace(name, KeyspaceCreateOptions::default).unwrap();
    let (one, two) = (space("one"), space("two"));
    let first_seqno = database.seqno();
    let mut writes = database.batch();
    writes.insert(&one, "#a", "value");
    writes.remove(&two, "#b");
    writes.commit().unwrap();
    database.persist(PersistMode::SyncAll).unwrap();
    let expected = batch(first_seqno, &[&item(0, one.id(), b"#a", b"value"), &item(1, two.id(), b"#b", b"")]);
    let journal = fs::read(folder.path().join("0.jnl")).unwrap();
    assert_eq!(journal[..expected.len()], expected);
    assert_eq!(journal.len(), 64 * 1024 * 1024);
    assert!(journal[expected.len()..].iter().all(|byte| *byte == 0));
}

#[test]
fn every_kind_of_entry_that_fjall_writes_is_readable_here() {
    let folder = TempDir::new().unwrap();
    let database = Database::builder(&folder).open().unwrap();
    let space = database.keyspace("one", KeyspaceCreateOptions::default).unwrap();
    space.insert("plain", "value").unwrap();
    space.insert("compressed", vec![7; 10_000]).unwrap();
    space.insert("long", (0..600_000u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    space.remove("plain").unwrap();
    space.remove_weak("compressed").unwrap();
    space.clear().unwrap();
    let mut writes = database.batch();
    for n in 0..3000u32 {
        writes.insert(&space, n.to_be_bytes(), n.to_be_bytes());
    }
    writes.commit().unwrap();
    let last_seqno = database.seqno() - 1;
    let scan = scan(&folder.path().join("0.jnl"), None).unwrap();
    assert!(matches!(scan.rest, Rest::Zeros));
    assert_eq!(scan.last_seqno, Some(last_seqno));
}

/// A folder with `count` committed batches, batch n putting key n; and where each batch of its journal begins,
/// with the end of the last.
fn folder_with(count: u8) -> (TempDir, PathBuf, Vec<u64>) {
    let folder = TempDir::new().unwrap();
    for _ in 0..2 {
        let kv = Kv::open(folder.path(), &KvOptions::default()).unwrap();
        let space = kv.space("table").unwrap();
        for n in 0..count {
            let mut batch = Batch::default();
            batch.put(&space, [n], vec![n; 300]);
            kv.commit(&mut batch, Persist::Sync).unwrap();
        }
        // The second opening has cut off the preallocated zeros.
    }
    let path = folder.path().join("0.jnl");
    let mut reader = Reader::open(&path, 0, 100).unwrap();
    let mut offsets = vec![0];
    while reader.batch().unwrap().is_some() {
        offsets.push(reader.position);
    }
    let keep = offsets.len() - usize::from(count) - 1;
    (folder, path, offsets.split_off(keep))
}

fn edit(path: &Path, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    edit(&mut bytes);
    fs::write(path, bytes).unwrap();
}

/// Opens the folder; how many of the keys are there.
fn reopened(folder: &TempDir, journal_damage: JournalDamage) -> Result<usize, KvError> {
    let kv = Kv::open(folder.path(), &KvOptions { journal_damage, ..KvOptions::default() })?;
    let space = kv.space("table")?;
    let range = kv.snapshot().range(
        &space,
        (std::ops::Bound::Unbounded, std::ops::Bound::Unbounded),
        Direction::Forward,
    );
    let keys: Result<Vec<_>, _> = range.collect();
    Ok(keys?.len())
}

#[track_caller]
fn assert_damaged(result: Result<usize, KvError>, path: &Path, offset: u64) {
    match result {
        Err(KvError::Corrupt { file, detail }) => {
            assert_eq!(file, path);
            assert!(detail.contains(&format!("offset {offset} ")), "{detail}");
        }
        other => panic!("{other:?}"),
    }
}

fn at(offset: u64) -> usize {
    usize::try_from(offset).unwrap()
}

#[test]
fn an_unreadable_end_is_cut_off() {
    type Tear = fn(&mut Vec<u8>, usize);
    let tears: [(&str, Tear); 7] = [
        ("ends inside", |bytes, last| bytes.truncate(last + 100)),
        ("ends in its start", |bytes, last| bytes.truncate(last + 3)),
        ("ends in its trailer", |bytes, _| bytes.truncate(bytes.len() - 1)),
        ("is half zeros", |bytes, last| bytes[last + 100..].fill(0)),
        ("has a hole", |bytes, last| bytes[last + 100..last + 200].fill(0)),
        ("has lost its start", |bytes, last| bytes[last..last + 30].fill(0)),
        ("is noise", |bytes, last| bytes[last..].fill(1)),
    ];
    for (name, tear) in tears {
        let (folder, path, offsets) = folder_with(5);
        edit(&path, |bytes| tear(bytes, at(offsets[4])));
        for _ in 0..2 {
            // The keys were written by an earlier round too, so five remain whatever is cut off.
            assert_eq!(reopened(&folder, JournalDamage::Refuse).unwrap(), 5, "{name}");
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), offsets[4], "{name}");
    }
}

#[test]
fn zeros_and_noise_behind_the_last_batch_do_no_harm() {
    for tail in [vec![0; 100_000], vec![0xab; 100_000], b"\x01\x01\x00\x00\x00".to_vec()] {
        let (folder, path, _) = folder_with(5);
        edit(&path, |bytes| bytes.extend(tail));
        assert_eq!(reopened(&folder, JournalDamage::Refuse).unwrap(), 5);
    }
}

#[test]
fn an_unreadable_entry_before_readable_ones_is_refused() {
    let (folder, path, offsets) = folder_with(5);
    let (second, third) = (at(offsets[1]), at(offsets[2]));
    // The second batch's start and end, and much of what lies between. Refusing changes nothing, so one folder will do.
    for position in (second..third).step_by(7).chain(second..second + 40).chain(third - 16..third) {
        edit(&path, |bytes| bytes[position] ^= 0x40);
        match reopened(&folder, JournalDamage::Refuse) {
            Err(KvError::Corrupt { file, .. }) => assert_eq!(file, path),
            other => panic!("byte {position}: {other:?}"),
        }
        edit(&path, |bytes| bytes[position] ^= 0x40);
    }
    assert_eq!(reopened(&folder, JournalDamage::Refuse).unwrap(), 5);
}

#[test]
fn damage_names_the_file_and_the_offset_and_changes_nothing() {
    let (folder, path, offsets) = folder_with(5);
    edit(&path, |bytes| bytes[at(offsets[1]) + 50] ^= 1);
    let before = fs::read(&path).unwrap();
    assert_damaged(reopened(&folder, JournalDamage::Refuse), &path, offsets[1]);
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(reopened(&folder, JournalDamage::KeepPrefix).unwrap(), 5);
    assert_eq!(fs::metadata(&path).unwrap().len(), offsets[1]);
}

/// Cuts the journal in two at `offset`, as a rotation would have.
fn rotate(path: &Path, offset: u64) -> PathBuf {
    let bytes = fs::read(path).unwrap();
    let next = path.with_file_name("1.jnl");
    fs::write(&next, &bytes[at(offset)..]).unwrap();
    fs::write(path, &bytes[..at(offset)]).unwrap();
    next
}

#[test]
fn a_rotated_journal_must_be_whole() {
    for journal_damage in [JournalDamage::Refuse, JournalDamage::KeepPrefix] {
        let (folder, path, offsets) = folder_with(5);
        rotate(&path, offsets[3]);
        assert_eq!(reopened(&folder, journal_damage).unwrap(), 5);

        let (folder, path, offsets) = folder_with(5);
        rotate(&path, offsets[3]);
        edit(&path, |bytes| bytes.truncate(at(offsets[3]) - 1));
        assert_damaged(reopened(&folder, journal_damage), &path, offsets[2]);

        let (folder, path, offsets) = folder_with(5);
        let next = rotate(&path, offsets[3]);
        edit(&path, |bytes| bytes[at(offsets[2]) + 50] ^= 1);
        fs::write(next, vec![0; 1000]).unwrap();
        assert_damaged(reopened(&folder, journal_damage), &path, offsets[2]);
    }
}

/// A failed write poisons the store, but a worker may still rotate the journal that the failure has torn.
#[test]
fn a_rotated_journal_may_be_torn_when_nothing_was_written_after_it() {
    let (folder, path, offsets) = folder_with(5);
    rotate(&path, offsets[5]);
    edit(&path, |bytes| bytes.truncate(at(offsets[4]) + 50));
    assert_eq!(reopened(&folder, JournalDamage::Refuse).unwrap(), 5);
}

#[test]
fn a_missing_journal_is_refused() {
    let (folder, path, offsets) = folder_with(5);
    let next = rotate(&path, offsets[3]);
    fs::rename(&next, path.with_file_name("2.jnl")).unwrap();
    match reopened(&folder, JournalDamage::KeepPrefix) {
        Err(KvError::Corrupt { file, .. }) => assert_eq!(file, next),
        other => panic!("{other:?}"),
    }
    fs::remove_file(&path).unwrap();
    fs::remove_file(path.with_file_name("2.jnl")).unwrap();
    assert!(matches!(reopened(&folder, JournalDamage::KeepPrefix), Err(KvError::Corrupt { .. })));
}

/// Zeros are the common case after a crash, noise the worst; both must be fast, and in bounded memory.
#[test]
fn a_long_unreadable_end_is_searched_to_its_end() {
    let (_folder, path, offsets) = folder_with(5);
    edit(&path, |bytes| {
        let last: Vec<u8> = bytes[at(offsets[4])..].to_vec();
        bytes.truncate(at(offsets[4]) + 40);
        let mut noise = 1u32;
        bytes.extend((0..3_000_000u32).map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise.to_le_bytes()[3] & 3
        }));
        bytes.resize(8 * CHUNK_BYTES * 2 - 10, 0);
        bytes.extend(last);
    });
    match journal::check(path.parent().unwrap(), JournalDamage::Refuse) {
        Err(KvError::Corrupt { detail, .. }) => {
            assert!(detail.ends_with(&(16 * CHUNK_BYTES - 10).to_string()))
        }
        other => panic!("{other:?}"),
    }
}
