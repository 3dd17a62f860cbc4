//! Scenes: the cache's behaviour as conversations that anyone can read. A script is played with a clock that stands still
//! until everybody waits, so that each run is the same. What can be said in a script is in `play`.

mod answer;
mod link;
mod objects;
mod origin;
mod play;
mod rows;
mod tally;
mod time;
mod words;
mod worker;
mod world;

use std::time::Duration;

use world::World;

pub(crate) use origin::Origin;
pub(crate) use tally::Tally;
pub(crate) use worker::{Fleet, Worker};

/// No command takes longer, as the scene tells time.
const COMMAND_MAX: Duration = Duration::from_secs(100 * 86_400);

/// Plays a script; panics with the line that is not true. It is played on a store that answers at once, and on one that
/// takes its time, so that visitors overtake each other; a script that says `exact` counts milliseconds, and is played once.
///
/// | command | what happens |
/// |---|---|
/// | `policy revalidate=60 mode=blocking …` · `settings meta_cache=1s keys=raw …` | the fields of `Policy`, and of the fleet |
/// | `origin /news "v{n}" slow=5s status=404 header="a: b" tag=t fail` | what the origin answers from now on |
/// | `get /news x 20 as b method=HEAD tenant=t query=a=b intent=r-1 => 200 "v1" hit` | visitors, all at once, and what they get |
/// | `start get …` · `answers => …` · `leave x 1` | visitors who are not waited for yet; some go away |
/// | `advance 61s` · `clock b +90s` · `settle` | time passes; a clock is off; everything under way ends |
/// | `kill b` · `freeze b` · `thaw b` · `cut b` · `mend b` · `later drop` | what befalls a worker and the work it was given |
/// | `trouble UpdateItem lost-answer x 3` · `trouble body-put slow=20s` | what befalls the next calls |
/// | `purge /news gone` · `purge tag t` · `rollback /news back=1` · `sweep => 1` | what operators do |
/// | `row LOCK /news set a=1` · `row META /news => a="b"` · `body damage /news` | what others do to rows and bodies |
/// | `count => renders=2 store<=4 seconds<=3 objects=1` · `reset` | counters: events, states, calls, bodies |
pub(crate) fn play(name: &str, script: &str) {
    play_at(name, script, Duration::ZERO);
    if !script.lines().any(|line| line == "exact") {
        play_at(name, script, Duration::from_millis(4));
    }
}

fn play_at(name: &str, script: &str, latency: Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let mut world = World::new(latency).await;
        for command in words::commands(script) {
            let place = format!("{name}.scene:{}: {} (latency {latency:?})", command.line, command.source);
            let played = tokio::time::timeout(COMMAND_MAX, world.play(&command)).await;
            match played {
                Ok(Ok(())) => {}
                Ok(Err(why)) => panic!("{place}\n  {why}"),
                Err(_) => panic!("{place}\n  this never ends"),
            }
        }
    });
}
