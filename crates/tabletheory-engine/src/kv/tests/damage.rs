//! Damages a small folder in thousands of ways. Opening it and reading everything must then give an error, or a state
//! that the folder once had: never a wrong value, never a panic.

use std::{
    collections::BTreeMap,
    fs,
    ops::Bound::Unbounded,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::kv::{Batch, Direction, Kv, KvError, KvOptions, Persist};

/// A folder whose fsync costs nothing where the system has one: thousands are opened here, and none must last.
fn quick_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

/// Everything a folder holds, by space and key.
type State = BTreeMap<(String, Vec<u8>), Vec<u8>>;

/// A folder with table files of several ages, a journal that is partly written out, and a deleted space; with every
/// state it had after a commit.
fn history(folder: &Path) -> Vec<State> {
    let mut states = vec![State::new()];
    let mut state = State::new();
    for round in 0..4u8 {
        let kv = Kv::open(folder, &KvOptions::default()).unwrap();
        let spaces = ["left", "right"].map(|name| kv.space(name).unwrap());
        let passing = kv.space("passing").unwrap();
        for n in 0..12u8 {
            let mut batch = Batch::default();
            for space in &spaces {
                let key = vec![b'k', n * 7 % 10, round % 2];
                if (n + round) % 5 == 4 {
                    batch.delete(space, key.clone());
                    state.remove(&(space.name().to_owned(), key));
                } else {
                    let value = format!("{} {round} {n} {}", space.name(), "x".repeat(usize::from(n) * 9))
                        .into_bytes();
                    batch.put(space, key.clone(), value.clone());
                    state.insert((space.name().to_owned(), key), value);
                }
            }
            kv.commit(&mut batch, Persist::Sync).unwrap();
            states.push(state.clone());
            if n == 5 && round < 3 {
                kv.flush().unwrap();
            }
        }
        let mut batch = Batch::default();
        batch.put(&passing, "a", "b");
        kv.commit(&mut batch, Persist::Sync).unwrap();
        kv.delete_space(passing).unwrap();
    }
    // The last opening has cut off the journal's preallocated zeros.
    drop(Kv::open(folder, &KvOptions::default()).unwrap());
    states
}

/// Opens a folder and reads all of it, in every way there is to read.
fn read_all(folder: &Path) -> Result<State, KvError> {
    let kv = Kv::open(folder, &KvOptions::default())?;
    let mut state = State::new();
    for name in kv.space_names() {
        let space = kv.space(&name)?;
        let snapshot = kv.snapshot();
        let walk = |direction| {
            snapshot.range(&space, (Unbounded, Unbounded), direction).collect::<Result<Vec<_>, _>>()
        };
        let forward = walk(Direction::Forward)?;
        let mut backward = walk(Direction::Backward)?;
        backward.reverse();
        assert_eq!(forward, backward);
        for (key, value) in forward {
            assert_eq!(kv.get(&space, &key)?.as_ref(), Some(&value));
            state.insert((name.clone(), key.to_vec()), value.to_vec());
        }
    }
    Ok(state)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

pub(super) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// How much of every file is damaged, one byte after the other: `THEORY_DAMAGE_STEP=1` for every byte of it.
fn step() -> usize {
    std::env::var("THEORY_DAMAGE_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(97)
}

#[test]
fn a_damaged_file_gives_an_error_or_an_older_state() {
    let folder = quick_folder();
    let states = history(folder.path());
    assert_eq!(read_all(folder.path()).unwrap(), states[states.len() - 1]);
    type Damage = fn(&mut Vec<u8>, usize);
    let damages: [(&str, Damage); 4] = [
        ("flip", |bytes, position| bytes[position] ^= 0x10),
        ("high", |bytes, position| bytes[position] = 0xff),
        ("cut", |bytes, position| bytes.truncate(position)),
        ("noise", |bytes, position| bytes.iter_mut().skip(position).take(40).for_each(|byte| *byte ^= 0xa5)),
    ];
    let (mut refused, mut older, mut unharmed) = (0, 0, 0);
    for file in files(folder.path()) {
        let whole = fs::read(&file).unwrap();
        let name = file.strip_prefix(folder.path()).unwrap();
        for position in (0..whole.len()).step_by(step()) {
            for (damage_name, damage) in damages {
                let damaged = quick_folder();
                copy(folder.path(), damaged.path());
                let mut bytes = whole.clone();
                damage(&mut bytes, position);
                fs::write(damaged.path().join(name), bytes).unwrap();
                match read_all(damaged.path()) {
                    Err(KvError::Corrupt { .. } | KvError::Format { .. }) => refused += 1,
                    Err(other) => panic!("{damage_name} at {position} of {}: {other}", name.display()),
                    Ok(state) if state == states[states.len() - 1] => unharmed += 1,
                    Ok(state) => {
                        assert!(states.contains(&state), "{damage_name} at {position} of {}", name.display());
                        assert!(name.ends_with("0.jnl"), "{damage_name} at {position} of {}", name.display());
                        older += 1;
                    }
                }
            }
        }
    }
    println!("{refused} refused, {older} older, {unharmed} unharmed");
    let folders = refused + older + unharmed;
    println!("counted: damage folders={folders} refused={refused} read={}", older + unharmed);
    assert!(refused > 0 && unharmed > 0);
}

#[test]
fn a_missing_file_gives_an_error_or_an_older_state() {
    let folder = quick_folder();
    let states = history(folder.path());
    for file in files(folder.path()) {
        let name = file.strip_prefix(folder.path()).unwrap();
        let damaged = quick_folder();
        copy(folder.path(), damaged.path());
        fs::remove_file(damaged.path().join(name)).unwrap();
        match read_all(damaged.path()) {
            Err(KvError::Corrupt { .. }) => {}
            Err(other) => panic!("{}: {other}", name.display()),
            // Only the lock is not missed.
            Ok(state) => {
                assert_eq!(name, Path::new("lock"));
                assert_eq!(state, states[states.len() - 1]);
            }
        }
    }
}
