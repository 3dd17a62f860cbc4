//! The one thread on which a command waits for others.

use std::future::Future;

use anyhow::Context;

/// Runs a command to its end.
pub(crate) fn run(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the thread that waits for answers")?
        .block_on(command)
}
