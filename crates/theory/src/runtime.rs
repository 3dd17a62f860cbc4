//! The threads of a command: one on which it waits for others, or those on which a server answers.

use std::future::Future;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// A thread of a server has room for 256 tasks that wait for it. If more connections have something to say, those that wait for the longest
/// time are moved to a queue that all threads share, of which tokio takes one task in some sixty turns: with a thousand
/// connections they waited for a tenth of a second while others were answered twenty times. So every second turn is theirs.
const TURNS_OF_THE_SHARED_QUEUE: u32 = 2;

/// Runs a command to its end.
pub(crate) fn run(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the thread that waits for answers")?
        .block_on(command)
}

/// The threads of a server, one for each processor.
pub(crate) fn of_server() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .global_queue_interval(TURNS_OF_THE_SHARED_QUEUE)
        .build()
        .context("cannot start the threads that answer requests")
}
