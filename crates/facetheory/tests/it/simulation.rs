//! Several workers on one store and one object store, and one seed for everything that can go wrong: laws are checked after
//! each step. A failing seed is printed; `FACETHEORY_SEED=<seed>` runs it alone.

mod finale;
mod origin;
mod play;
mod stage;
mod visitor;
mod warehouse;
mod wire;
mod witness;
mod worker;

use std::ops::Range;

use play::Play;
use stage::Tally;

/// What a run came to.
struct Ran {
    log: Vec<String>,
    tally: Tally,
    ended: Result<(), String>,
}

/// Runs one seed, in time that passes only when nobody has anything to do.
fn run(seed: u64) -> Ran {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let mut play = Play::new(seed).await;
        let mut ended = play.chaos().await;
        if ended.is_ok() {
            ended = play.finale().await;
        }
        Ran { log: play.stage.log(), tally: play.stage.tally(), ended }
    })
}

/// Runs these seeds, or the one that the environment names, and says how often each thing happened.
#[track_caller]
fn lawful(seeds: Range<u64>) -> Tally {
    let seeds = match std::env::var("FACETHEORY_SEED").map(|seed| seed.parse::<u64>()) {
        Ok(Ok(seed)) => seed..seed + 1,
        _ => seeds,
    };
    let (mut total, mut broken) = (Tally::new(), Vec::new());
    for seed in seeds.clone() {
        let Ran { log, tally, ended } = run(seed);
        if let Err(law) = ended {
            if broken.is_empty() {
                println!("{}", log[log.len().saturating_sub(150)..].join("\n"));
            }
            broken.push(format!("seed {seed}: {law}"));
        }
        tally.into_iter().for_each(|(what, times)| *total.entry(what).or_default() += times);
    }
    println!("seeds {seeds:?}");
    total.iter().for_each(|(what, times)| println!("{times:>8} {what}"));
    let again = "FACETHEORY_SEED=<seed> cargo test -p facetheory --test it simulation";
    assert!(broken.is_empty(), "{}\nto repeat one: {again}", broken.join("\n"));
    total
}

#[test]
fn no_law_is_broken_in_the_first_runs() {
    lawful(0..55);
}
