//! `kill -9` at any time, again and again on the same folder, for each durability; and a second process on a folder.

use std::time::Duration;

use tabletheory_core::{Entropy, SeededEntropy};
use tabletheory_engine::{Durability, Engine, Settings};
use tempfile::TempDir;

use super::child::{Run, Said, make_tables, pause, wait};
use super::{laws, quick_folder, seed};

/// Small enough for recent writes to go to data files, and for those to be compacted, within a run.
fn settings(durability: Durability) -> Settings {
    Settings {
        durability,
        write_buffer_bytes: 128 * 1024,
        upkeep_every: Some(Duration::from_millis(20)),
        ..Settings::default()
    }
}

/// Kills a writing process over and over, and gives what was acknowledged in all.
fn kill_again_and_again(folder: &TempDir, durability: Durability, rounds: u32) -> u64 {
    let dice = SeededEntropy::new(seed());
    let elsewhere = quick_folder();
    let mut run = Run::new(folder.path(), &elsewhere.path().join("said"));
    run.settings = settings(durability);
    let mut acknowledged = 0;
    for round in 0..rounds {
        let mut child = run.command().spawn().unwrap();
        // Mostly while it writes; sometimes while it opens.
        if !dice.bits().is_multiple_of(4) {
            wait_for_writes(&run);
        }
        pause(Duration::from_millis(u64::try_from(dice.bits() % 150).unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        let said = run.said();
        let story = format!("{durability:?}, round {round}");
        assert_eq!(said.words("refused ").chain(said.words("failed ")).next(), None, "{story}");
        let done = check(&run, &said, &story);
        acknowledged += done.iter().zip(&run.done).map(|(after, before)| after - before).sum::<u64>();
        run.done = done;
    }
    println!("{durability:?}: {rounds} rounds, {acknowledged} operations, {:?}", run.done);
    println!("counted: kills kills={rounds} acknowledged-writes={acknowledged}");
    acknowledged
}

/// Waits until enough is acknowledged for the kill to meet something, however slow the disk is.
fn wait_for_writes(run: &Run) {
    for _ in 0..30_000 {
        if run.said().words("acknowledged ").nth(19).is_some() {
            return;
        }
        pause(Duration::from_millis(2));
    }
    panic!("the process does not write: {:?}", run.said());
}

/// Opens the folder and checks it. Gives how many operations of each writer are there.
fn check(run: &Run, said: &Said, story: &str) -> Vec<u64> {
    let engine = Engine::open(&run.folder, run.settings.clone());
    let engine = engine.unwrap_or_else(|error| panic!("{story}: {error}"));
    make_tables(&engine, |table| {
        let was_created = said.words("created ").any(|created| created == table);
        let may_be_lost = run.settings.durability == Durability::Memory && run.done == [0; 3];
        assert!(!was_created || may_be_lost, "{story}: table {table} is lost");
    })
    .unwrap();
    match run.settings.durability {
        Durability::Memory => laws::check_but_counts(&engine, run.script(), &run.allowed_past(said), story),
        Durability::Sync | Durability::Interval(_) => {
            laws::check(&engine, run.script(), &run.allowed(said), story)
        }
    }
}

#[test]
fn kill_9_loses_no_acknowledged_write() {
    // On a real disk, so that writers wait for their fsync together.
    let acknowledged = kill_again_and_again(&TempDir::new().unwrap(), Durability::Sync, 32);
    assert!(acknowledged > 200, "{acknowledged} operations are too few to mean anything");
}

#[test]
fn kill_9_loses_no_acknowledged_write_when_fsync_waits() {
    kill_again_and_again(&quick_folder(), Durability::Interval(15), 12);
}

#[test]
fn kill_9_leaves_a_past_state_when_nothing_is_waited_for() {
    kill_again_and_again(&quick_folder(), Durability::Memory, 12);
}

#[test]
fn a_folder_that_is_open_in_another_process_is_refused_by_name() {
    let folder = quick_folder();
    let elsewhere = quick_folder();
    let engine = Engine::open(folder.path(), Settings::default()).unwrap();
    let run = Run { steps: 1, ..Run::new(folder.path(), &elsewhere.path().join("said")) };
    wait(&mut run.command().spawn().unwrap(), "a folder open here");
    let name = folder.path().display().to_string();
    let refused: Vec<String> = run.said().words("refused ").map(ToOwned::to_owned).collect();
    assert!(
        matches!(refused.as_slice(), [why] if why.contains(&name) && why.contains("already open")),
        "{refused:?}"
    );
    // And it is not refused for ever.
    drop(engine);
    wait(&mut run.command().spawn().unwrap(), "a folder closed here");
    assert_eq!(run.said().words("closed").count(), 1, "{:?}", run.said());
    assert_eq!(check(&run, &run.said(), "after the second process"), [1, 1, 1]);
}
