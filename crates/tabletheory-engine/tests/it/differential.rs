//! The engine against AWS's DynamoDB Local: the same random requests to both, and every difference must be one that the
//! table in [`known`] explains. A difference of a write is followed by a copy of Local's items, so that none follows from
//! another.
//!
//! `THEORY_SEED` chooses another run, `THEORY_OPERATIONS` sets its length, `THEORY_SHOW=1` prints the explained differences too.

mod answer;
mod duel;
mod generate;
mod known;
mod local;
mod ours;
mod random;
mod tables;

use std::io::Write as _;

use tabletheory_core::store::contract::DynamoDbLocal;

use duel::Duel;
use generate::Operation;
use local::Local;
use random::Random;

const OPERATIONS: u64 = 6_000;
/// The same on every machine, so that a change fails here by its own fault; another one explores.
const SEED: u64 = 41;

#[test]
fn the_engine_answers_as_dynamodb_local_does() {
    let Some(folder) = DynamoDbLocal::folder("the differential test") else {
        say("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so the engine is not compared with DynamoDB Local");
        return;
    };
    let seed = setting("THEORY_SEED").unwrap_or(SEED);
    let operations = setting("THEORY_OPERATIONS").unwrap_or(OPERATIONS);
    say(&format!("the engine beside DynamoDB Local: THEORY_SEED={seed}, {operations} operations"));
    let mut duel = Duel::new(Local::start(&folder));
    let mut random = Random::new(seed);
    for _ in 0..operations {
        duel.perform(&Operation::random(&mut random));
    }
    eprintln!("{}", duel.report());
    assert!(duel.unexplained() == 0, "THEORY_SEED={seed}: {} unexplained differences", duel.unexplained());
    // A generator that makes errors only, or none, would compare little.
    let (done, refused) = duel.counts();
    println!("counted: differential operations={operations} done={done} refused={refused}");
    assert!(
        done > operations / 3 && refused > operations / 10,
        "{done} done and {refused} refused are no mixture"
    );
}

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

/// Says something even if the test passes: what a passing test prints is not shown, except past the runner.
fn say(text: &str) {
    // Nobody listening is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{text}");
}
