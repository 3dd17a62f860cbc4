//! A fleet of worker processes at one endpoint: killed, stopped for longer than their leases, with clocks that are wrong by a
//! minute and a half either way. The laws are held against the table's stream and against what a reader finds meanwhile.

mod crew;
pub(crate) mod faketime;
mod orders;
mod process;
mod worker;

use std::time::Duration;

use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Entropy, SeededEntropy};

use crew::Crew;
use orders::PAGES;

/// So often something goes wrong.
const ROUNDS: usize = 16;

/// How long the fleet may take for what should be a lease and a render: machines are busy.
const PATIENCE: Duration = Duration::from_secs(90);

fn seed() -> u64 {
    let told = std::env::var("THEORY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = told.unwrap_or_else(|| u64::try_from(SystemEntropy.bits() >> 96).unwrap_or(0));
    eprintln!("THEORY_SEED={seed} repeats who is killed and stopped, though not the moment");
    seed
}

#[tokio::test(flavor = "multi_thread")]
async fn no_law_breaks_by_kills_stops_and_wrong_clocks_and_every_page_is_fresh_again() {
    let Some(faketime) = faketime::find() else { return };
    let entropy = SeededEntropy::new(seed());
    let mut crew = Crew::start(faketime).await;
    crew.until_everybody_serves(1, PATIENCE).await;
    for round in 0..ROUNDS {
        crew.replace_the_dead();
        match round % 4 {
            0 => crew.kill(draw(&entropy)),
            1 => crew.stop(draw(&entropy)),
            2 => crew.purge(&PAGES[draw(&entropy) % PAGES.len()], round % 8 == 2).await,
            _ => {
                crew.edit();
            }
        }
        crew.look_for(Duration::from_millis(1200 + draw(&entropy) as u64 % 1500)).await;
    }
    crew.calm().await;
    let newest = crew.edit();
    crew.until_everybody_serves(newest, PATIENCE).await;
    crew.end().await;
}

fn draw(entropy: &SeededEntropy) -> usize {
    usize::try_from(entropy.bits() >> 100).expect("28 bits")
}
