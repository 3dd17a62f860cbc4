//! One round of one server with one page.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::page::Page;
use super::wrk;
use crate::process::Process;
use crate::sample::Sample;
use crate::server::Server;

/// How many connections a server is measured with where nothing else is said.
pub(crate) const CONNECTIONS: u32 = 64;

/// Runs one round of whole seconds, at least one: wrk knows no others.
pub(crate) fn take(server: &Server, page: &Page, connections: u32, time: Duration) -> Result<Sample> {
    let seconds = time.as_secs().max(1);
    let cpu = || anyhow::Ok((server.process().family_cpu()?, Process::own().ended_children_cpu()?));
    let (server_before, wrk_before) = cpu()?;
    let seen = wrk::start(&page.url(server.address()), connections, seconds)?.finish()?;
    let (server_after, wrk_after) = cpu()?;
    let (server_cpu, wrk_cpu) = (server_after.since(server_before), wrk_after.since(wrk_before));
    ensure!(seen.refused == 0, "{} of {} answers were no success", seen.refused, seen.requests);
    ensure!(seen.requests > 0, "nothing was answered");
    if seen.late > 0 {
        eprintln!("  {} answers took more than two seconds", seen.late);
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / seen.requests as f64;
    Ok(Sample {
        per_second: seen.per_second,
        p50_us: seen.p50_us,
        p99_us: seen.p99_us,
        server_cpu_us: each(server_cpu.total()),
        server_kernel_us: each(server_cpu.kernel),
        generator_cpu_us: each(wrk_cpu.total()),
    })
}
