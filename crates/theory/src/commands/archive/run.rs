//! `theory archive run`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tabletheory::stream::ReadSettings;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, Timestamp};
use tabletheory_engine::Settings;
use theory_archive::{Error, Follower, Progress};

use super::place::archive_in;
use crate::commands::dynamodb::stop;
use crate::objects::Objects;
use crate::output::tone::Tone;
use crate::output::{amount, paper};
use crate::store::{Choice, Opened};

pub(super) const EXAMPLES: &str = "\
Examples:
  theory archive run --table sessions --to s3://my-archive/sessions --dynamodb
  theory archive run --table sessions --to ./archive --endpoint http://127.0.0.1:8000     of a running `theory dynamodb`
  theory archive run --table sessions --to ./archive --data ./theory-data --once          of a folder that nobody has open

The stream of the table has to carry old images (OLD_IMAGE or NEW_AND_OLD_IMAGES). It is read from its oldest record, or from where
the last run stopped; that is noted in the archive itself. It may be stopped, killed, and run several times at once: each removal
is written once. SIGTERM and Ctrl-C end it after the records that it has read.

It ends with 1 if records went to PLACE/dead-letters, or if the stream may have dropped some before they were read: it keeps them
for a day.";

/// Archives what time to live removes.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The table.
    #[arg(long, value_name = "TABLE")]
    table: String,
    /// Where objects are put: a folder, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "PLACE")]
    to: String,
    /// End when everything that was removed so far is archived.
    #[arg(long = "once")]
    is_once: bool,
    /// How many objects are on their way at once.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=1000))]
    concurrency: u16,
    #[command(flatten)]
    choice: Choice,
}

/// What has come of it so far.
#[derive(Debug, Default)]
struct Tally {
    archived: u64,
    present: u64,
    passed: u64,
    dead: u64,
    gaps: u64,
}

impl Run {
    pub(super) async fn run(self, is_json: bool) -> anyhow::Result<()> {
        let stop = stop::signal()?;
        // What is archived once is removed once, before the stream is read; otherwise items are removed beside it.
        let upkeep_every = Settings::default().upkeep_every.filter(|_| !self.is_once);
        let opened = self.choice.open_with(Settings { upkeep_every, ..Settings::default() }).await?;
        let done = self.follow(&opened, stop, is_json).await;
        // What went wrong first is told, and the store is closed in any case.
        let closed = opened.close();
        done.and(closed)
    }

    async fn follow(
        &self,
        opened: &Opened,
        stop: impl Future<Output = ()>,
        is_json: bool,
    ) -> anyhow::Result<()> {
        let of_table = || format!("{} of {} cannot be archived", self.table, opened.name);
        Follower::look(Arc::clone(&opened.store), &self.table).await.with_context(of_table)?;
        let objects = Objects::open_or_make(&self.to).await?;
        let archive = archive_in(objects, self.concurrency.into());
        let store = Arc::clone(&opened.store);
        let follower = Follower::open(archive, store, &self.table).await;
        let mut follower =
            follower.with_context(|| format!("{} cannot be archived into {}", self.table, self.to))?;
        if follower.ttl_attribute().is_none() {
            warn(&format!(
                "items of {} do not expire now; only earlier removals can be archived",
                self.table
            ));
        }
        if opened.is_here() {
            // An engine gives all that it has, and one answer without a record is the end.
            follower = follower.with_settings(ReadSettings { tip_answers: 1, ..ReadSettings::default() });
        }
        let (bar, mut tally) = (bar(), Tally::default());
        let walked = self.walk(&mut follower, opened, stop, &mut tally, &bar).await;
        if follower.take_gap() {
            tally.add_gap(&bar);
        }
        bar.finish_and_clear();
        // What was archived before something went wrong is told as well.
        self.told(&tally, is_json)?;
        walked.with_context(|| {
            format!("not everything is archived; the next run goes on where {} was left", self.table)
        })?;
        tally.judge(&self.to)
    }

    /// Archives until it is over or somebody asks to stop.
    async fn walk(
        &self,
        follower: &mut Follower,
        opened: &Opened,
        stop: impl Future<Output = ()>,
        tally: &mut Tally,
        bar: &ProgressBar,
    ) -> anyhow::Result<()> {
        let mut stop = std::pin::pin!(stop);
        if self.is_once {
            opened.expire().await?;
        }
        let began = SystemClock.now();
        loop {
            let progress = tokio::select! {
                // A batch that was read is archived to its end before the stop.
                () = &mut stop => {
                    if let Some(progress) = follower.settle().await? {
                        tally.add(&progress, bar);
                    }
                    return Ok(());
                }
                progress = self.next(follower, began) => progress?,
            };
            match progress {
                Some(progress) => tally.add(&progress, bar),
                None if self.is_once => break,
                None => {
                    warn(&format!("the stream of {} was turned off; all of it is archived", self.table));
                    break;
                }
            }
        }
        follower.note().await?;
        Ok(())
    }

    /// The next batch; none when it is over.
    async fn next(&self, follower: &mut Follower, began: Timestamp) -> Result<Option<Progress>, Error> {
        if self.is_once { follower.next_until(began).await } else { follower.next().await }
    }

    fn told(&self, tally: &Tally, is_json: bool) -> anyhow::Result<()> {
        let Tally { archived, present, passed, dead, gaps } = tally;
        if is_json {
            return paper::line(json!({
                "table": self.table, "place": self.to, "archived": archived, "present": present, "passed": passed,
                "dead_letters": dead, "gaps": gaps,
            }));
        }
        let mut text =
            format!("{} of {} archived into {}", amount::count(*archived, "item"), self.table, self.to);
        if *present > 0 {
            text.push_str(&format!("; {} there already", amount::count(*present, "item")));
        }
        if *passed > 0 {
            text.push_str(&format!("; {} passed over", amount::count(*passed, "other change")));
        }
        paper::line(text)
    }
}

impl Tally {
    fn add(&mut self, progress: &Progress, bar: &ProgressBar) {
        let outcome = &progress.outcome;
        self.archived += outcome.archived;
        self.present += outcome.present;
        self.passed += outcome.passed;
        self.dead += outcome.dead;
        if progress.gap {
            self.add_gap(bar);
        }
        if outcome.dead > 0 {
            let letters = amount::count(outcome.dead, "record");
            bar.suspend(|| warn(&format!("{letters} could not be archived and went to the dead letters")));
        }
        bar.set_message(format!(
            "{} archived, up to {}",
            self.archived,
            amount::moment(progress.reached.millis())
        ));
    }

    fn add_gap(&mut self, bar: &ProgressBar) {
        self.gaps += 1;
        bar.suspend(|| {
            warn("the stream may have dropped records before they were read: it keeps them for a day")
        });
    }

    /// What somebody has to look at is a failure of the command.
    fn judge(&self, place: &str) -> anyhow::Result<()> {
        match (self.gaps, self.dead) {
            (0, 0) => Ok(()),
            (0, dead) => bail!(
                "{} in {place} under dead-letters; `theory archive ls --from {place} --dead-letters` lists them",
                amount::count(dead, "record")
            ),
            _ => bail!(
                "items may be missing from {place}: they were removed more than a day before they were read; if nothing was removed then, \
                 nothing is missing"
            ),
        }
    }
}

/// Says what somebody should know, while it goes on.
fn warn(text: &str) {
    paper::aside(format_args!("{} {text}", Tone::Doubtful.paint_aside("warning:")));
}

/// Shown on a terminal, and nowhere else.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is written by hand");
    let bar = ProgressBar::new_spinner().with_style(style).with_message("reading the stream");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
