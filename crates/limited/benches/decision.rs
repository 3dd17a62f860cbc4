//! How long a decision takes inside this process: `cargo bench -p limited --bench decision`. The embedded engine lies in a folder and
//! does not wait for the disk (durability `memory`).

#![allow(missing_docs, reason = "a bench is a program")]
#![expect(clippy::disallowed_methods, reason = "measuring time is what a bench does")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use limited::{Limit, Limiter, LimiterSettings, Policy, Source};
use tabletheory::Db;
use tabletheory_engine::{Durability, Engine, Settings};

const SAMPLES: usize = 20_000;
/// So many denials from memory are timed together, because a clock is read slower than one is made.
const DENIALS: u32 = 50;
const AMPLE: u64 = 1_000_000_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    println!("| decision | median | p99 |\n|---|---|---|");
    runtime.block_on(async {
        let settings = Settings { durability: Durability::Memory, ..Settings::default() };
        let db = Db::new(Engine::open(folder.path(), settings).expect("an engine"));
        let limiter = Limiter::new(db);
        limiter.create_table().await.expect("a table");
        let hour = Duration::from_secs(3600);
        let ample = Limit::per(AMPLE, hour);
        asked("bucket", &limiter, [ample]).await;
        asked("fixed window", &limiter, [ample.fixed_window()]).await;
        asked("sliding window", &limiter, [ample.sliding_window()]).await;
        asked(
            "bucket and two windows",
            &limiter,
            [ample, ample.sliding_window(), Limit::per(AMPLE, 24 * hour).fixed_window()],
        )
        .await;
        leased(&limiter, ample).await;
        denied(&limiter).await;
    });
}

async fn asked<const N: usize>(name: &str, limiter: &Limiter, limits: [Limit; N]) {
    let policy = Policy::new(&name.replace(' ', "-"), limits).expect("a policy");
    let identifiers: Vec<String> =
        (0..1_000).map(|number| format!("ip:10.0.{}.{}", number / 256, number % 256)).collect();
    let mut samples = Vec::with_capacity(SAMPLES);
    for number in 0..SAMPLES + 2_000 {
        let identifier = &identifiers[number * 7 % identifiers.len()];
        let started = Instant::now();
        let decision = limiter.check(&policy, black_box(identifier), 1).await.expect("a decision");
        samples.push(started.elapsed());
        assert!(decision.is_allowed() && decision.source == Source::Store);
    }
    row(name, samples.split_off(2_000));
}

async fn leased(limiter: &Limiter, limit: Limit) {
    let policy = Policy::new("leased", [limit]).and_then(|policy| policy.leased(50)).expect("a policy");
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let started = Instant::now();
        let decision = limiter.check(&policy, black_box("ip:10.0.0.1"), 1).await.expect("a decision");
        samples.push(started.elapsed());
        assert!(decision.is_allowed());
    }
    row("leased in batches of 50", samples);
}

async fn denied(limiter: &Limiter) {
    let settings = LimiterSettings { deny_cache: Duration::from_secs(600), ..LimiterSettings::default() };
    let limiter = limiter.with_settings(settings).expect("settings");
    let policy = Policy::new("denied", [Limit::per_hour(1)]).expect("a policy");
    let _ = limiter.check(&policy, "ip:10.0.0.1", 1).await.expect("a decision");
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES / 10 {
        let started = Instant::now();
        for _ in 0..DENIALS {
            let decision = limiter.check(&policy, black_box("ip:10.0.0.1"), 1).await.expect("a decision");
            assert!(decision.source == Source::DenyCache);
            let _ = black_box(decision);
        }
        samples.push(started.elapsed() / DENIALS);
    }
    row("denied from memory", samples);
}

fn row(name: &str, mut samples: Vec<Duration>) {
    samples.sort_unstable();
    let at = |part: usize| samples[samples.len() * part / 100].as_nanos();
    println!("| {name} | {} ns | {} ns |", at(50), at(99));
}
