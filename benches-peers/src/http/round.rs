//! One round of one server.

use std::time::Duration;

use anyhow::Result;

use super::dialog::{Dialog, Filler, Speaker};
use super::load::{self, CONNECTIONS};
use crate::process::Process;
use crate::sample::Sample;
use crate::server::Server;
use crate::workload::Workload;

/// Runs one round.
pub(crate) fn take(server: &Server, workload: Workload, number: u32, time: Duration) -> Result<Sample> {
    let prepared = workload.prepare(number, CONNECTIONS);
    load::run(server.address(), Filler::share(prepared.into_iter(), CONNECTIONS), None)?;
    let speakers = (0..CONNECTIONS).map(|speaker| Speaker::new(workload, number, speaker)).collect();
    watch(server, speakers, time)
}

/// Lets the dialogs speak for a while, and says what they saw and what it cost.
pub(crate) fn watch<D: Dialog>(server: &Server, dialogs: Vec<D>, time: Duration) -> Result<Sample> {
    let cpu = || anyhow::Ok((server.process().family_cpu()?, Process::own().cpu()?));
    let (server_before, own_before) = cpu()?;
    let mut seen = load::run(server.address(), dialogs, Some(time))?;
    let (server_after, own_after) = cpu()?;
    let (server_cpu, own_cpu) = (server_after.since(server_before), own_after.since(own_before));
    seen.latencies_ns.sort_unstable();
    let count = seen.latencies_ns.len();
    let latency = |at: usize| seen.latencies_ns.get(at).copied().unwrap_or_default() as f64 / 1000.0;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / count as f64;
    Ok(Sample {
        per_second: count as f64 / seen.elapsed.as_secs_f64(),
        p50_us: latency(count / 2),
        p99_us: latency(count * 99 / 100),
        server_cpu_us: each(server_cpu.total()),
        server_kernel_us: each(server_cpu.kernel),
        generator_cpu_us: each(own_cpu.total()),
    })
}
