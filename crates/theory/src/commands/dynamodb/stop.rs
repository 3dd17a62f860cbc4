//! When to stop: at the first SIGINT or SIGTERM cleanly, at the second at once.

use std::future::Future;

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal as listen};

/// The moment of the first signal. From then on a second one ends the process.
pub(crate) fn signal() -> anyhow::Result<impl Future<Output = ()>> {
    let mut interrupt = listen(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut terminate = listen(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    Ok(async move {
        either(&mut interrupt, &mut terminate).await;
        tokio::spawn(async move {
            either(&mut interrupt, &mut terminate).await;
            eprintln!("theory: stopped at once by a second signal; running requests were not answered");
            std::process::exit(130);
        });
    })
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
