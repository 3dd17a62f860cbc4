//! `theory bench`: how many answers a server gives, and how long they take.

mod connection;
mod latency;
mod load;
mod report;
mod schedule;
mod state;
mod tally;
mod target;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use http::Version;
use indicatif::{ProgressBar, ProgressStyle};

use super::dynamodb::stop;
use crate::http::Silence;
use connection::Dialler;
use load::Plan;
use report::Asked;
use target::Target;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory bench http://127.0.0.1:8080/news                           10 connections for 10 seconds, as fast as they can
  theory bench http://127.0.0.1:8080/news --rate 500                500 requests a second: how long do visitors wait?
  theory bench http://127.0.0.1:8080 --path-file paths.txt          one path in each line, in turn
  theory bench https://shop.example/ --http2 --header 'accept-encoding: br' --seconds 60 --json

Reading the result:
  Without --rate each connection asks again when it has its answer: a server that stalls is asked less, and the stall is
  counted once for each connection. That shows how much it can do. With --rate requests begin by a clock that waits for
  nobody, and the latency is measured from when a request should have begun, whether a connection was free or not: what
  visitors would have waited (no coordinated omission). A rate that the server cannot keep shows as latency that grows, and
  as requests that are `behind`. Latencies are those of answers; requests without one are counted as errors, by kind.
  What answers say in `x-facetheory-isr` or `Cache-Status` is counted as `from the cache`.
  It loads whatever it is pointed at: point it at your own.";

/// Asks a server again and again, and measures.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The address: http:// or https://, host, port and path.
    #[arg(value_name = "URL")]
    url: String,
    /// How many connections, each with one request at a time.
    #[arg(long, short = 'c', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    connections: u16,
    /// For how many seconds. Ctrl-C ends it earlier, and the result is printed all the same.
    #[arg(long, short = 's', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// How many requests a second over all connections; latency counts from when each should have begun. Without it, as many as can
    /// be.
    #[arg(long, short = 'r', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// A header of every request, `name: value`. Can be said more than once.
    #[arg(long = "header", short = 'H', value_name = "LINE")]
    headers: Vec<String>,
    /// A file with one path in each line, asked for in turn; empty lines and those that begin with # are skipped.
    #[arg(long, value_name = "FILE")]
    path_file: Option<PathBuf>,
    /// Speak HTTP/2; without TLS, the server must understand it without being asked.
    #[arg(long = "http2")]
    is_http2: bool,
    /// How many seconds an answer may take.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,
    /// Print one line of JSON.
    #[arg(long = "json")]
    is_json: bool,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let target = Target::new(&self.url, &self.headers, self.path_file.as_deref())?;
        let version = if self.is_http2 { Version::HTTP_2 } else { Version::HTTP_11 };
        let plan = Plan {
            dialler: Dialler::new(&target, version)?,
            target: Arc::new(target),
            connections: usize::from(self.connections),
            span: Duration::from_secs(u64::from(self.seconds)),
            rate: self.rate,
            patience: Duration::from_secs(u64::from(self.timeout)),
        };
        // Making load takes more than the one thread of other commands.
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        runtime.context("cannot start the threads that ask")?.block_on(self.measure(plan, version))
    }

    async fn measure(self, plan: Plan, version: Version) -> anyhow::Result<()> {
        let stop = stop::signal()?;
        let mut stop = std::pin::pin!(stop);
        tokio::select! {
            () = &mut stop => bail!("it was stopped before the first answer"),
            knocked = plan.knock() => self.check(knocked)?,
        }
        let bar = bar(plan.span);
        let outcome = plan.run(stop, &bar).await;
        bar.finish_and_clear();
        let connections = usize::from(self.connections);
        let asked = Asked { url: self.url, connections, rate: self.rate, version };
        report::print(&asked, &outcome, self.is_json)?;
        if outcome.tally.answered == 0 {
            bail!("nothing was answered");
        }
        Ok(())
    }

    /// Whether the first request, which is not counted, was answered. If nobody is there, more of them show nothing.
    fn check(&self, knocked: Result<(), Silence>) -> anyhow::Result<()> {
        let url = &self.url;
        let hint = if self.is_http2 { "; does it speak HTTP/2? Try without --http2" } else { "" };
        match knocked {
            Ok(()) => Ok(()),
            Err(Silence::NoConnection(reason)) => bail!("no connection to {url}: {reason}; does it run?"),
            Err(Silence::Slow(patience)) => {
                bail!("{url} did not answer within {} s; --timeout N waits longer", patience.as_secs())
            }
            Err(Silence::Broken(reason)) => bail!("{url} gives no answer of HTTP: {reason}{hint}"),
        }
    }
}

/// A bar on stderr, hidden where that is no terminal.
fn bar(span: Duration) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
    let style = ProgressStyle::with_template("{bar:30} {elapsed}  {msg}");
    bar.set_style(style.expect("the template is written by hand"));
    bar
}
