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

/// A server that took no time for so long has nothing left to do.
const AT_REST: Duration = Duration::from_millis(100);
/// Nobody is waited for longer.
const REST_POLLS_MAX: u32 = 30;

/// Runs one round of whole seconds, at least one: wrk knows no others. It ends when the server is at rest, so that the next one does
/// not share the machine with what this one left to be done.
pub(crate) fn take(server: &Server, page: &Page, connections: u32, time: Duration) -> Result<Sample> {
    let seconds = time.as_secs().max(1);
    let cpu = || anyhow::Ok((server.process().family_cpu()?, Process::own().ended_children_cpu()?));
    let (server_before, wrk_before) = cpu()?;
    let seen = wrk::start(&page.url(server.address()), connections, seconds)?.finish()?;
    let (server_after, wrk_after) = cpu()?;
    wait_for_rest(server)?;
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

/// Requests that wrk no longer waits for are answered all the same, and memory is cleaned up behind them.
fn wait_for_rest(server: &Server) -> Result<()> {
    let mut before = server.process().family_cpu()?;
    for _ in 0..REST_POLLS_MAX {
        std::thread::sleep(AT_REST);
        let now = server.process().family_cpu()?;
        if now.since(before).total().is_zero() {
            break;
        }
        before = now;
    }
    Ok(())
}
