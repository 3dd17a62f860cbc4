//! `theory archive restore`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Item, Seconds};
use tabletheory_engine::Settings;
use theory_archive::{Day, Days, Error, Restore as Restoring, RestoreSettings, Restored, Told, Ttl};

use super::place::archive_in;
use crate::objects::Objects;
use crate::output::shown::shown;
use crate::output::tone::Tone;
use crate::output::{amount, paper};
use crate::store::{Choice, Opened};

pub(super) const EXAMPLES: &str = "\
Examples:
  theory archive restore --from ./archive --table sessions --ttl-in 30d --dry-run     says what would come back
  theory archive restore --from s3://my-archive/sessions --table sessions --without-ttl --dynamodb
  theory archive restore --from ./archive --table sessions --ttl-in 7d --key '{\"id\": {\"S\": \"u-17\"}}'
  theory archive restore --from ./archive --of sessions --table sessions-2026 --keep-ttl --since 2026-01-01 --until 2026-01-31

An item is put back where no item has its key; what is there by now is newer, and stays unless --overwrite is said. Of an item that
was archived several times the newest comes back. The time to live of archived items is over, so a table that uses it would remove
them again: say --ttl-in, --without-ttl, or --keep-ttl.";

/// So many refused objects are told one by one.
const TOLD_MAX: u64 = 20;

/// Puts archived items back.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// Where the archive is: a folder, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "PLACE")]
    from: String,
    /// The table that items are put into, which has to be there.
    #[arg(long, value_name = "TABLE")]
    table: String,
    /// The table that they were removed from, if it had another name.
    #[arg(long, value_name = "TABLE")]
    of: Option<String>,
    /// Only what was removed on this day or later, such as 2026-01-31. Days are those of UTC.
    #[arg(long, value_name = "DAY")]
    since: Option<Day>,
    /// Only what was removed on this day or earlier.
    #[arg(long, value_name = "DAY")]
    until: Option<Day>,
    /// Only the item with this key, in DynamoDB's JSON: {"id": {"S": "u-17"}}.
    #[arg(long, value_name = "JSON", value_parser = read_key)]
    key: Option<Item>,
    #[command(flatten)]
    expiry: Expiry,
    /// Replace items that are there by now.
    #[arg(long = "overwrite")]
    is_overwriting: bool,
    /// Only say what would be done.
    #[arg(long = "dry-run")]
    is_dry: bool,
    /// How many items are on their way at once.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=1000))]
    concurrency: u16,
    #[command(flatten)]
    choice: Choice,
}

/// What becomes of the time to live.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Expiry {
    /// Items expire so long after now: 90s, 12h, 30d.
    #[arg(long, value_name = "TIME", value_parser = read_span)]
    ttl_in: Option<Seconds>,
    /// Items do not expire any more.
    #[arg(long)]
    without_ttl: bool,
    /// The time to live stays as it was, which is over: the table may remove the items again at once.
    #[arg(long)]
    keep_ttl: bool,
}

impl Restore {
    pub(super) async fn run(self, is_json: bool) -> anyhow::Result<()> {
        let objects = Objects::open(&self.from).await?;
        // Nothing expires meanwhile: what comes back as it was would be removed beside it, and what is told would not be so.
        let settings = Settings { upkeep_every: None, ..Settings::default() };
        let opened = self.choice.open_with(settings).await?;
        let done = self.restore(objects, &opened, is_json).await;
        // What went wrong first is told, and the store is closed in any case.
        let closed = opened.close();
        done.and(closed)
    }

    async fn restore(&self, objects: Objects, opened: &Opened, is_json: bool) -> anyhow::Result<()> {
        let archive = archive_in(objects, self.concurrency.into());
        let store = Arc::clone(&opened.store);
        let restoring = Restoring::open(archive, store, self.settings(), &SystemClock).await;
        let restoring = restoring.map_err(|error| self.advised(error, &opened.name))?;
        let (bar, mut refused) = (bar(), 0);
        let mut tell = |told: Told<'_>| match told {
            Told::Day(day) => bar.set_message(format!("looking at {day}")),
            Told::Progress(so_far) => bar.set_message(format!("{} restored", so_far.restored)),
            Told::Refused { place, reason } => {
                refused += 1;
                let text = match refused {
                    number if number <= TOLD_MAX => format!("{}: {}", shown(place), shown(reason)),
                    number if number == TOLD_MAX + 1 => "further objects are refused as well".to_owned(),
                    _ => return,
                };
                bar.suspend(|| {
                    paper::aside(format_args!("{} {text}", Tone::Doubtful.paint_aside("refused")))
                });
            }
            _ => {}
        };
        let restored = restoring.run(&mut tell).await;
        bar.finish_and_clear();
        let restored = restored.map_err(|error| self.advised(error, &opened.name))?;
        self.told(&restored, is_json)?;
        match restored.refused {
            0 => Ok(()),
            refused => bail!("{} refused", amount::count(refused, "object")),
        }
    }

    fn settings(&self) -> RestoreSettings {
        RestoreSettings {
            source: self.of.clone(),
            days: Days { since: self.since, until: self.until },
            key: self.key.clone(),
            ttl: self.expiry.ttl(),
            is_overwriting: self.is_overwriting,
            is_dry: self.is_dry,
            ..RestoreSettings::new(&self.table)
        }
    }

    /// The error with the flags that help.
    fn advised(&self, error: Error, store: &str) -> anyhow::Error {
        let advice = match &error {
            Error::WouldExpire { .. } => "--ttl-in 30d, --without-ttl or --keep-ttl says it",
            Error::OtherTables { .. } => "--of TABLE restores them into another table",
            _ => {
                return anyhow::Error::new(error)
                    .context(format!("{} cannot be restored into {store}", self.from));
            }
        };
        anyhow::anyhow!("{error}; {advice}")
    }

    fn told(&self, restored: &Restored, is_json: bool) -> anyhow::Result<()> {
        let Restored { restored: items, present, newer, superseded, refused, of_others, .. } = restored;
        if is_json {
            return paper::line(json!({
                "table": self.table, "place": self.from, "restored": items, "present": present, "newer": newer,
                "superseded": superseded, "of_other_tables": of_others, "refused": refused, "dry_run": self.is_dry,
            }));
        }
        let words = if self.is_dry { "would be restored into" } else { "restored into" };
        let mut text = format!("{} {words} {}", amount::count(*items, "item"), self.table);
        let rest = [
            (present, "there already"),
            (newer, "newer in the table, left alone"),
            (superseded, "archived again later"),
            (of_others, "of other tables"),
        ];
        for (count, words) in rest.into_iter().filter(|(count, _)| **count > 0) {
            text.push_str(&format!("; {count} {words}"));
        }
        paper::line(text)
    }
}

impl Expiry {
    fn ttl(&self) -> Option<Ttl> {
        match self {
            Self { ttl_in: Some(span), .. } => Some(Ttl::After(*span)),
            Self { without_ttl: true, .. } => Some(Ttl::Remove),
            Self { keep_ttl: true, .. } => Some(Ttl::Keep),
            _ => None,
        }
    }
}

fn read_key(text: &str) -> Result<Item, String> {
    let key = serde_json::from_str::<Item>(text);
    key.ok()
        .filter(|key| !key.is_empty())
        .ok_or_else(|| "a key is such as {\"id\": {\"S\": \"u-17\"}}".to_owned())
}

fn read_span(text: &str) -> Result<Seconds, String> {
    let seconds =
        i64::try_from(amount::read_span(text)?).ok().filter(|seconds| (1..=3_153_600_000).contains(seconds));
    seconds.map(Seconds).ok_or_else(|| "it is a span of at least a second and at most a century".to_owned())
}

/// Shown on a terminal, and nowhere else.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is written by hand");
    let bar = ProgressBar::new_spinner().with_style(style).with_message("looking at the archive");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
