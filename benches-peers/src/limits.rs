//! Rate limits in this process: ours on the embedded engine in a folder with `memory` durability, and governor, which keeps its
//! buckets in memory and shares them with nobody: the floor. Contenders take turns inside each round.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use limited::{Limit, Limiter, LimiterSettings, Policy, Source};
use serde::{Deserialize, Serialize};
use tabletheory::Db;
use tabletheory_engine::{Durability, Engine, Settings};

use crate::args::Plan;
use crate::contender::{Answer, Contender as _, Operation};
use crate::markdown::{line, mark};
use crate::ours::Ours;
use crate::part::Part;
use crate::record::{Key, Record};
use crate::workload::COUNT;

/// So many decisions are timed together where one takes less than reading the clock.
const TOGETHER: u32 = 50;
const IDENTIFIERS: usize = 1_000;
/// A limit that nobody reaches.
const AMPLE: Limit = Limit::per(1_000_000_000, Duration::from_secs(3600));

const BUCKET: &str = "bucket, one call of the store";
const BUCKETS: &str = "bucket, 1,000 identifiers in turn";
const FIXED: &str = "fixed window";
const SLIDING: &str = "sliding window";
const THREE: &str = "a bucket and two windows in one call";
const LEASED: &str = "leased in batches of 50";
const DENIED: &str = "denied from memory";
const GOVERNOR: &str = "governor, a bucket in memory";
const UPDATE: &str = "the engine's UpdateItem alone, a conditional counter";
pub(crate) const KINDS: [&str; 9] =
    [BUCKET, UPDATE, BUCKETS, FIXED, SLIDING, THREE, LEASED, DENIED, GOVERNOR];

/// How long decisions of one kind take.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Decisions {
    kind: String,
    p50_ns: u64,
    p99_ns: u64,
    /// The median is to be at most this.
    at_most_ns: Option<u64>,
}

type Decide = Box<dyn FnMut(&str) -> Result<()>>;

/// A kind of decision, and what makes one.
struct Contender {
    kind: &'static str,
    at_most_ns: Option<u64>,
    together: u32,
    decide: Decide,
    /// Whether it is always the same identifier that asks.
    is_one: bool,
    samples: Vec<u64>,
}

pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Decisions>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let settings = Settings { durability: Durability::Memory, ..Settings::default() };
    let limiter = Limiter::new(Db::new(Engine::open(folder.join("limits"), settings)?));
    runtime.block_on(limiter.create_table())?;
    let identifiers: Vec<String> =
        (0..IDENTIFIERS).map(|number| format!("ip:10.0.{}.{}", number / 256, number % 256)).collect();
    let mut contenders = contenders(&limiter)?;
    contenders.push(update(&folder.join("limits-floor"))?);
    contenders.retain(|contender| plan.wants(Part::Limits, contender.kind));
    contenders.sort_by_key(|contender| KINDS.iter().position(|kind| *kind == contender.kind));
    for _ in 0..plan.rounds {
        for contender in &mut contenders {
            contender.round(&identifiers, plan.round_time / 4)?;
        }
    }
    Ok(contenders.into_iter().map(Contender::figures).collect())
}

fn contenders(limiter: &Limiter) -> Result<Vec<Contender>> {
    let three = [
        AMPLE,
        AMPLE.sliding_window(),
        Limit::per(AMPLE.amount(), Duration::from_secs(86_400)).fixed_window(),
    ];
    Ok(vec![
        asked(BUCKET, limiter, Policy::new("bucket", [AMPLE])?, Some(6_000)).of_one(),
        asked(BUCKETS, limiter, Policy::new("buckets", [AMPLE])?, None),
        asked(FIXED, limiter, Policy::new("fixed", [AMPLE.fixed_window()])?, None),
        asked(SLIDING, limiter, Policy::new("sliding", [AMPLE.sliding_window()])?, None),
        asked(THREE, limiter, Policy::new("three", three)?, None),
        leased(limiter)?,
        denied(limiter)?,
        governor_bucket(),
    ])
}

fn asked(kind: &'static str, limiter: &Limiter, policy: Policy, at_most_ns: Option<u64>) -> Contender {
    let limiter = limiter.clone();
    let decide = Box::new(move |identifier: &str| {
        let decision = at_once(limiter.check(&policy, identifier, 1))??;
        ensure!(decision.is_allowed() && decision.source == Source::Store, "{kind}: {decision:?}");
        Ok(())
    });
    Contender { kind, at_most_ns, together: 1, decide, is_one: false, samples: Vec::new() }
}

/// What a decision cannot cost less than on this engine: its one write, without the limiter's work.
fn update(folder: &Path) -> Result<Contender> {
    let (engine, key) = (Ours::memory(folder)?, Key::of_writer(COUNT, 0, 0, 0));
    engine.load(&mut std::iter::once(Record::new(key.clone())))?;
    let mut hits = 0;
    let decide = Box::new(move |_: &str| {
        hits += 1;
        let answer = engine.call(Operation::Count { key: key.clone(), becomes: hits })?;
        ensure!(answer == Answer::Counted { right: true }, "a counter: {answer:?}");
        Ok(())
    });
    Ok(Contender { kind: UPDATE, at_most_ns: None, together: 1, decide, is_one: true, samples: Vec::new() })
}

fn leased(limiter: &Limiter) -> Result<Contender> {
    let (limiter, policy) = (limiter.clone(), Policy::new("leased", [AMPLE])?.leased(50)?);
    let decide = Box::new(move |_: &str| {
        let decision = at_once(limiter.check(&policy, "ip:10.0.0.1", 1))??;
        ensure!(decision.is_allowed(), "leased: {decision:?}");
        Ok(())
    });
    Ok(Contender {
        kind: LEASED,
        at_most_ns: None,
        together: TOGETHER,
        decide,
        is_one: false,
        samples: Vec::new(),
    })
}

fn denied(limiter: &Limiter) -> Result<Contender> {
    let settings = LimiterSettings { deny_cache: Duration::from_secs(600), ..LimiterSettings::default() };
    let (limiter, policy) = (limiter.with_settings(settings)?, Policy::new("denied", [Limit::per_hour(1)])?);
    let _first = at_once(limiter.check(&policy, "ip:10.0.0.1", 1))??;
    let decide = Box::new(move |_: &str| {
        let decision = at_once(limiter.check(&policy, "ip:10.0.0.1", 1))??;
        ensure!(decision.source == Source::DenyCache, "denied: {decision:?}");
        Ok(())
    });
    Ok(Contender {
        kind: DENIED,
        at_most_ns: Some(500),
        together: TOGETHER,
        decide,
        is_one: false,
        samples: Vec::new(),
    })
}

fn governor_bucket() -> Contender {
    let quota = Quota::per_second(NonZeroU32::new(1_000_000_000).unwrap_or(NonZeroU32::MIN));
    let limiter: DefaultKeyedRateLimiter<String> = RateLimiter::keyed(quota);
    let decide = Box::new(move |identifier: &str| {
        // Its keys are owned, as a layer has them.
        ensure!(black_box(limiter.check_key(&identifier.to_owned())).is_ok(), "governor denied");
        Ok(())
    });
    Contender {
        kind: GOVERNOR,
        at_most_ns: None,
        together: TOGETHER,
        decide,
        is_one: false,
        samples: Vec::new(),
    }
}

/// The answer of something that has it at once, as the embedded engine does.
fn at_once<T>(future: impl Future<Output = T>) -> Result<T> {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(answer) => Ok(answer),
        std::task::Poll::Pending => anyhow::bail!("an answer was waited for"),
    }
}

impl Contender {
    /// With one identifier.
    fn of_one(mut self) -> Self {
        self.is_one = true;
        self
    }

    fn round(&mut self, identifiers: &[String], length: Duration) -> Result<()> {
        let identifiers = if self.is_one { &identifiers[..1] } else { identifiers };
        // The first decisions of a round find cold caches, which is not what is compared.
        for identifier in identifiers {
            (self.decide)(identifier)?;
        }
        let began = Instant::now();
        let mut turn = 0;
        while began.elapsed() < length {
            let started = Instant::now();
            for _ in 0..self.together {
                turn += 7;
                (self.decide)(black_box(&identifiers[turn % identifiers.len()]))?;
            }
            let spent_ns = started.elapsed().as_nanos() / u128::from(self.together);
            self.samples.push(u64::try_from(spent_ns).context("a decision took centuries")?);
        }
        Ok(())
    }

    fn figures(mut self) -> Decisions {
        self.samples.sort_unstable();
        let at = |part: usize| self.samples.get(self.samples.len() * part / 100).copied().unwrap_or(0);
        Decisions { kind: self.kind.to_owned(), p50_ns: at(50), p99_ns: at(99), at_most_ns: self.at_most_ns }
    }
}

/// The table.
pub(crate) fn markdown(decisions: &[Decisions]) -> String {
    let mut text = String::from("| decision | p50 ns | p99 ns | p50 at most | |\n|---|--:|--:|--:|---|\n");
    for Decisions { kind, p50_ns, p99_ns, at_most_ns } in decisions {
        let bound = at_most_ns.map(|bound| bound.to_string()).unwrap_or_default();
        let reached = mark(at_most_ns.map(|bound| *p50_ns <= bound));
        line(&mut text, &[kind, &p50_ns.to_string(), &p99_ns.to_string(), &bound, reached]);
    }
    text.push('\n');
    text
}
