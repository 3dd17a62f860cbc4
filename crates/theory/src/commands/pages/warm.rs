//! `theory pages warm`: pages are rendered before anybody asks for them, from a list or a sitemap, with a bar that shows how far
//! it is.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::admin::Gateway;
use crate::output::amount::count;
use crate::output::paper;
use crate::output::shown::shown;
use crate::output::tone::Tone;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages warm /news /blog/first
  theory pages warm --file urls.txt            one address in each line; - reads them from stdin
  theory pages warm --sitemap /sitemap.xml     what the application's own sitemap names";

/// How many bytes of addresses are sent in one request; a gateway takes twice as many.
const PIECE_BYTES_MAX: usize = 32 * 1024;
/// A list longer than this is a mistake.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// How far a list is.
const BAR: &str = "{bar:30} {pos}/{len}  {eta}  {msg}";

/// Renders pages ahead.
#[derive(Debug, Args)]
#[group(id = "source", required = true, multiple = false)]
pub(super) struct Warm {
    /// Addresses: http(s)://host/path, or /path when the gateway has one site.
    #[arg(value_name = "URL", group = "source")]
    urls: Vec<String>,
    /// A file with one address in each line; empty lines and those that begin with # are skipped.
    #[arg(long, value_name = "FILE", group = "source")]
    file: Option<PathBuf>,
    /// A sitemap of the application, whose addresses are warmed.
    #[arg(long, value_name = "URL", group = "source")]
    sitemap: Option<String>,
}

/// What has come of it so far.
#[derive(Debug, Default)]
struct Tally {
    outcomes: BTreeMap<String, u64>,
    failed: u64,
}

impl Warm {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let mut tally = Tally::default();
        if let Some(sitemap) = &self.sitemap {
            let bar = spinner();
            warm(gateway, &json!({ "sitemap": sitemap }), &bar, &mut tally, is_json).await?;
            return tally.told(&bar, is_json);
        }
        let urls = match &self.file {
            Some(file) => read(file)?,
            None => self.urls,
        };
        let bar = bar(urls.len());
        for piece in pieces(&urls) {
            warm(gateway, &json!({ "urls": piece }), &bar, &mut tally, is_json).await?;
        }
        tally.told(&bar, is_json)
    }
}

async fn warm(
    gateway: &Gateway,
    body: &Value,
    bar: &ProgressBar,
    tally: &mut Tally,
    is_json: bool,
) -> anyhow::Result<()> {
    let mut lines = gateway.lines("/api/pages/warm", body).await?;
    while let Some(line) = lines.next().await? {
        if is_json {
            paper::line(&line)?;
        }
        // How many a sitemap names is known with its first page; a list was counted before.
        if let (None, Some(total)) = (bar.length(), line.get("total").and_then(Value::as_u64)) {
            bar.set_length(total);
            bar.set_style(style(BAR));
        }
        if line.get("url").is_some() {
            tally.add(&line, bar);
        }
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, line: &Value, bar: &ProgressBar) {
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let (url, outcome) = (text("url").unwrap_or("-"), text("outcome").unwrap_or("done"));
        bar.inc(1);
        bar.set_message(shown(url));
        *self.outcomes.entry(shown(outcome)).or_default() += 1;
        let why = text("why");
        if why.is_some() || outcome == "failed" {
            self.failed += 1;
            let reason = why.map(|why| format!(": {}", shown(why))).unwrap_or_default();
            let told = format!("{} {}{reason}", Tone::Bad.paint_aside(&shown(outcome)), shown(url));
            bar.suspend(|| paper::aside(told));
        }
    }

    /// The summary. That some pages failed is told with the exit code as well.
    fn told(self, bar: &ProgressBar, is_json: bool) -> anyhow::Result<()> {
        let took = bar.elapsed();
        bar.finish_and_clear();
        let total: u64 = self.outcomes.values().sum();
        let outcomes: Vec<String> =
            self.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        if !is_json {
            let list = if outcomes.is_empty() { "there were none".to_owned() } else { outcomes.join(", ") };
            paper::line(format_args!("{} in {:.1} s: {list}", count(total, "page"), took.as_secs_f64()))?;
        }
        if self.failed > 0 {
            bail!("{} could not be warmed", count(self.failed, "page"));
        }
        Ok(())
    }
}

/// The addresses, in pieces that fit into a request.
fn pieces(urls: &[String]) -> Vec<&[String]> {
    let (mut pieces, mut from, mut bytes) = (Vec::new(), 0, 0);
    for (at, url) in urls.iter().enumerate() {
        // In JSON an address has quotes and a comma, and may have escapes.
        let own = Value::from(url.as_str()).to_string().len() + 1;
        if bytes + own > PIECE_BYTES_MAX && at > from {
            pieces.push(&urls[from..at]);
            (from, bytes) = (at, 0);
        }
        bytes += own;
    }
    pieces.push(&urls[from..]);
    pieces
}

fn read(file: &Path) -> anyhow::Result<Vec<String>> {
    let mut text = String::new();
    let is_stdin = file == Path::new("-");
    let read = match is_stdin {
        true => std::io::stdin().take(LIST_BYTES_MAX + 1).read_to_string(&mut text),
        false => {
            std::fs::File::open(file).and_then(|file| file.take(LIST_BYTES_MAX + 1).read_to_string(&mut text))
        }
    };
    let name = if is_stdin { "stdin".into() } else { file.display().to_string() };
    let bytes = read.with_context(|| format!("cannot read addresses from {name}"))?;
    if u64::try_from(bytes).unwrap_or(u64::MAX) > LIST_BYTES_MAX {
        bail!("{name} is larger than 64 MB; cut the list into several");
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let urls: Vec<String> = lines.map(str::to_owned).collect();
    if urls.is_empty() {
        bail!("{name} holds no addresses; it has one in each line");
    }
    Ok(urls)
}

/// A bar on stderr, hidden where that is no terminal.
fn bar(total: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX));
    bar.set_style(style(BAR));
    bar
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(style("{spinner} {pos} pages  {elapsed}  {msg}"));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is written by hand")
}
