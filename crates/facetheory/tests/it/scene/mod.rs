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

/// No command takes longer, as the scene tells time.
const COMMAND_MAX: Duration = Duration::from_secs(100 * 86_400);

/// Plays a script; panics with the line that is not true.
pub(crate) fn play(name: &str, script: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let mut world = World::new().await;
        for command in words::commands(script) {
            let place = format!("{name}.scene:{}: {}", command.line, command.source);
            let played = tokio::time::timeout(COMMAND_MAX, world.play(&command)).await;
            match played {
                Ok(Ok(())) => {}
                Ok(Err(why)) => panic!("{place}\n  {why}"),
                Err(_) => panic!("{place}\n  this never ends"),
            }
        }
    });
}
