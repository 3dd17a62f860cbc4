//! Bytes that change behind the engine's back. Opening a damaged folder and reading everything gives an error that names
//! a file, or the right data: never a panic, never anything else.

use std::fs;
use std::path::{Path, PathBuf};

use tabletheory_core::{Entropy, SeededEntropy};
use tabletheory_engine::{Engine, Settings};
use tempfile::TempDir;

use super::child::{Run, wait};
use super::laws::Found;
use super::{laws, quick_folder, seed, times};
use crate::faults::copy_folder;

/// How many operations of each writer the folder holds.
const STEPS: u64 = 14;
/// So little memory for recent writes that they soon go to data files.
const SMALL_BYTES: u64 = 24 * 1024;

fn settings() -> Settings {
    Settings { upkeep_every: None, ..Settings::default() }
}

/// A folder that writers used, and closed, or left without a word. With a small buffer, some of what is in the journal
/// is in data files too.
fn used_folder(vanish: bool, write_buffer_bytes: u64) -> (TempDir, Run) {
    let (folder, elsewhere) = (quick_folder(), quick_folder());
    let mut run = Run {
        settings: Settings { write_buffer_bytes, ..settings() },
        long_bytes: 400,
        steps: STEPS / 2,
        ..Run::new(folder.path(), &elsewhere.path().join("said"))
    };
    wait(&mut run.command().spawn().unwrap(), "a folder to damage");
    run = Run { done: vec![STEPS / 2; 3], vanish, ..run };
    wait(&mut run.command().spawn().unwrap(), "a folder to damage");
    assert_eq!(run.said().acknowledged(0), Some(STEPS), "{:?}", run.said());
    (folder, run)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// One way to damage a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Flip,
    High,
    Cut,
    Noise,
    Garbage,
    Remove,
}

impl Damage {
    const ALL: [Self; 6] = [Self::Flip, Self::High, Self::Cut, Self::Noise, Self::Garbage, Self::Remove];

    fn apply(self, file: &Path, position: usize, dice: &SeededEntropy) {
        let mut bytes = fs::read(file).unwrap();
        let garbage = |bytes: &mut [u8]| {
            bytes
                .chunks_mut(16)
                .for_each(|chunk| chunk.copy_from_slice(&dice.bits().to_le_bytes()[..chunk.len()]));
        };
        match self {
            Self::Flip => bytes[position] ^= 1 << (dice.bits() % 8),
            Self::High => bytes[position] = 0xff,
            Self::Cut => bytes.truncate(position),
            Self::Noise => {
                let end = bytes.len().min(position + 40);
                garbage(&mut bytes[position..end]);
            }
            Self::Garbage => garbage(&mut bytes[position..]),
            Self::Remove => return fs::remove_file(file).unwrap(),
        }
        fs::write(file, bytes).unwrap();
    }
}

/// Damages each file in some places, and hands what can be read then to `check`.
fn damage_everything(folder: &Path, count: usize, check: impl Fn(&Path, Engine, Found, &str)) {
    let dice = SeededEntropy::new(seed());
    let (mut refused, mut read) = (0, 0);
    for file in files(folder) {
        let name = file.strip_prefix(folder).unwrap();
        let bytes = usize::try_from(fs::metadata(&file).unwrap().len()).unwrap();
        for time in 0..count {
            let damage = Damage::ALL[time % Damage::ALL.len()];
            if bytes == 0 && !matches!(damage, Damage::Remove) {
                continue;
            }
            let position = usize::try_from(dice.bits() % bytes.max(1) as u128).unwrap();
            let story = format!("{damage:?} at {position} of {} bytes of {}", bytes, name.display());
            let damaged = quick_folder();
            copy_folder(folder, damaged.path());
            damage.apply(&damaged.path().join(name), position, &dice);
            let found = Engine::open(damaged.path(), settings())
                .map_err(|error| error.to_string())
                .and_then(|engine| Ok((Found::read(&engine).map_err(|error| error.to_string())?, engine)));
            match found {
                Ok((found, engine)) => {
                    read += 1;
                    check(name, engine, found, &story);
                }
                Err(error) => {
                    refused += 1;
                    let is_named = error.contains(&*damaged.path().to_string_lossy());
                    assert!(is_named, "{story}: no file is named: {error}");
                }
            }
        }
    }
    println!("{refused} refused, {read} read");
    println!("counted: damage folders={} refused={refused} read={read}", refused + read);
    assert!(refused > 0 && read > 0);
}

#[test]
fn a_damaged_file_gives_an_error_that_names_it_or_the_right_data() {
    let (folder, _) = used_folder(false, SMALL_BYTES);
    // Opening it cuts off the journal's preallocated zeros; few of the places would be anywhere else.
    let engine = Engine::open(folder.path(), settings()).unwrap();
    let whole = Found::read(&engine).unwrap();
    drop(engine);
    damage_everything(folder.path(), 6 * usize::try_from(times()).unwrap(), |_, _, found, story| {
        assert!(found == whole, "{story}: other data")
    });
}

/// The end of a journal that was not closed cannot be told from what a crash leaves: there, a past state is right too.
#[test]
fn a_damaged_journal_gives_an_error_or_a_past_state() {
    let (folder, run) = used_folder(true, settings().write_buffer_bytes);
    cut_zeros(&folder.path().join("0.jnl"));
    let is_journal = |name: &Path| name.extension().is_some_and(|extension| extension == "jnl");
    damage_everything(folder.path(), 2, |name, engine, _, story| {
        let allowed = if is_journal(name) { 0..=STEPS } else { STEPS..=STEPS };
        laws::check(&engine, run.script(), &vec![allowed; 3], story);
    });
    let (refused, read) = damage_journal(folder.path(), &run);
    assert!(refused > 0 && read > 0);
}

/// The last batch was damaged, and taken for a torn write. But spaces that had been written out had their part of it in
/// data files: one half of a transaction was there without the other.
#[test]
fn a_damaged_journal_leaves_no_half_transaction_where_data_files_know_more() {
    let (folder, run) = used_folder(true, SMALL_BYTES);
    cut_zeros(&folder.path().join("0.jnl"));
    let (refused, _) = damage_journal(folder.path(), &run);
    assert!(refused > 0);
}

/// Many places of the journal itself.
fn damage_journal(folder: &Path, run: &Run) -> (u64, u64) {
    let dice = SeededEntropy::new(seed());
    let journal = fs::read(folder.join("0.jnl")).unwrap();
    let (mut refused, mut read) = (0, 0);
    for time in 0..60 * times() {
        let damage = Damage::ALL[usize::try_from(time % 5).unwrap()];
        // Most of the places near the end, where a crash could have left them.
        let back = journal.len() >> (time % 4 * 2);
        let position = journal.len() - 1 - usize::try_from(dice.bits() % back as u128).unwrap();
        let story = format!("{damage:?} at {position} of {} bytes of the journal", journal.len());
        let damaged = quick_folder();
        copy_folder(folder, damaged.path());
        damage.apply(&damaged.path().join("0.jnl"), position, &dice);
        match Engine::open(damaged.path(), settings()) {
            Ok(engine) => {
                read += 1;
                laws::check(&engine, run.script(), &vec![0..=STEPS; 3], &story);
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("0.jnl"), "{story}: {error}");
            }
        }
    }
    println!("journal: {refused} refused, {read} read");
    println!("counted: damage folders={} refused={refused} read={read}", refused + read);
    (refused, read)
}

fn cut_zeros(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    fs::write(file, bytes).unwrap();
}
