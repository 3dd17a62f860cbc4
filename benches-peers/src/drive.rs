//! Runs a script against a contender for a while and measures: in one thread, or with many writers, which are tasks on
//! two tokio workers for an async contender and threads for a blocking one. Putting the operation into a contender's own
//! types is part of the measured time, as it is for an application; inventing its content is not.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::workload::{Script, Workload};

const TOKIO_WORKERS: usize = 2;

/// What one round gave.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
    /// Processor time that other threads of the process took for each call, with one caller: what a store does later.
    pub(crate) background_us: Option<f64>,
}

/// Runs one round.
pub(crate) fn round(
    contender: &Arc<dyn Contender>,
    workload: Workload,
    number: u32,
    writers: u64,
    time: Duration,
) -> Result<Sample> {
    contender.load(&mut workload.prepare(number, writers).into_iter())?;
    let mut scripts: Vec<Script> = (0..writers).map(|writer| Script::new(workload, number, writer)).collect();
    let start = Instant::now();
    let latencies = if writers == 1 {
        // Alone, only the calls count; among many, inventing content and waiting for an answer overlap.
        let before = others_cpu();
        let latencies = alone(&**contender, scripts.remove(0), time)?;
        let background = others_cpu().saturating_sub(before);
        let calls = Duration::from_nanos(latencies.iter().sum());
        let background_us = background.as_secs_f64() * 1e6 / latencies.len() as f64;
        return Ok(Sample { background_us: Some(background_us), ..sample(latencies, calls) });
    } else if contender.async_face().is_some() {
        tasks(contender, scripts, time)?
    } else {
        threads(contender, scripts, time)?
    };
    Ok(sample(latencies.concat(), start.elapsed()))
}

fn alone(contender: &dyn Contender, mut script: Script, time: Duration) -> Result<Vec<u64>> {
    let mut watch = Watch::start(time);
    while watch.is_running() {
        let operation = script.next();
        watch.begin();
        let answer = contender.call(operation)?;
        watch.lap();
        script.check(answer)?;
    }
    Ok(watch.latencies_ns)
}

fn threads(contender: &Arc<dyn Contender>, scripts: Vec<Script>, time: Duration) -> Result<Vec<Vec<u64>>> {
    let barrier = Barrier::new(scripts.len());
    let work = |script| {
        barrier.wait();
        alone(&**contender, script, time)
    };
    std::thread::scope(|scope| {
        let work = &work;
        let writers: Vec<_> = scripts.into_iter().map(|script| scope.spawn(move || work(script))).collect();
        writers.into_iter().map(|writer| writer.join().map_err(|_| anyhow!("a writer panicked"))?).collect()
    })
}

fn tasks(contender: &Arc<dyn Contender>, scripts: Vec<Script>, time: Duration) -> Result<Vec<Vec<u64>>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(TOKIO_WORKERS).build()?;
    let writers: Vec<_> =
        scripts.into_iter().map(|script| runtime.spawn(task(Arc::clone(contender), script, time))).collect();
    runtime.block_on(async {
        let mut latencies = Vec::new();
        for writer in writers {
            latencies.push(writer.await.context("a writer panicked")??);
        }
        Ok(latencies)
    })
}

async fn task(contender: Arc<dyn Contender>, mut script: Script, time: Duration) -> Result<Vec<u64>> {
    let face = contender.async_face().context("the contender is async")?;
    let mut watch = Watch::start(time);
    while watch.is_running() {
        let operation = script.next();
        watch.begin();
        let answer = face.submit(operation).await?;
        watch.lap();
        script.check(answer)?;
    }
    Ok(watch.latencies_ns)
}

/// Processor time of all threads of this process but the one that asks.
fn others_cpu() -> Duration {
    let read = |clock| Duration::try_from(clock_gettime(clock)).unwrap_or_default();
    read(ClockId::ProcessCPUTime).saturating_sub(read(ClockId::ThreadCPUTime))
}

/// Takes the time of each operation.
struct Watch {
    end: Instant,
    last: Instant,
    latencies_ns: Vec<u64>,
}

impl Watch {
    fn start(time: Duration) -> Self {
        let now = Instant::now();
        Self { end: now + time, last: now, latencies_ns: Vec::with_capacity(4096) }
    }

    fn is_running(&self) -> bool {
        self.last < self.end
    }

    fn begin(&mut self) {
        self.last = Instant::now();
    }

    fn lap(&mut self) {
        let now = Instant::now();
        self.latencies_ns.push(u64::try_from((now - self.last).as_nanos()).unwrap_or(u64::MAX));
        self.last = now;
    }
}

fn sample(mut latencies_ns: Vec<u64>, elapsed: Duration) -> Sample {
    latencies_ns.sort_unstable();
    let p50_ns = latencies_ns.get(latencies_ns.len() / 2).copied().unwrap_or_default();
    Sample {
        per_second: latencies_ns.len() as f64 / elapsed.as_secs_f64(),
        p50_us: p50_ns as f64 / 1000.0,
        background_us: None,
    }
}
