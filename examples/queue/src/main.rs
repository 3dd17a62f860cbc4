//! Three workers share ten jobs, on the embedded engine in memory. One of the jobs always fails.

use std::time::Duration;

use queue::{Queue, Verdict};
use tabletheory::Db;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let queue = Queue::open(Db::memory(), "mail", Duration::from_millis(50)).await?;
    for n in 0..10 {
        queue.put(&format!("mail-{n}"), if n == 7 { "no address" } else { "hello" }).await?;
    }
    let workers = (1..=3).map(|worker| tokio::spawn(work(worker, queue.clone())));
    for worker in workers.collect::<Vec<_>>() {
        worker.await??;
    }
    println!("left in the queue: {}", queue.len().await?);
    Ok(())
}

async fn work(worker: u32, queue: Queue) -> anyhow::Result<()> {
    while !queue.is_empty().await? {
        let Some(job) = queue.take().await? else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        if job.payload == "no address" {
            let verdict = queue.give_back(&job, "there is no address").await?;
            println!("worker {worker}: {} failed: {verdict:?}", job.id);
            anyhow::ensure!(verdict != Verdict::Lost, "a worker that is quick does not lose its job");
        } else if queue.finish(&job, "sent").await?.is_some() {
            println!("worker {worker}: {} sent", job.id);
        }
    }
    Ok(())
}
