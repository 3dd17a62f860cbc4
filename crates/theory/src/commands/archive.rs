//! `theory archive`: what time to live removed from a table, kept as objects in a folder or a bucket.

mod ls;
mod place;
mod restore;
mod run;

use crate::runtime;
use clap::{Args, Subcommand};

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory archive run --table sessions --to s3://my-archive/sessions --dynamodb     archives for ever, from the oldest record
  theory archive run --table sessions --to ./archive --once                        what has expired in ./theory-data by now
  theory archive ls --from ./archive --since 2026-01-01
  theory archive restore --from ./archive --table sessions --ttl-in 30d --dry-run  what would come back

Each removal is one object, PLACE/2026/01/31/EVENT.json, however often its record is read. Removals by a request are not archived.";

/// What time to live removed from a table.
#[derive(Debug, Args)]
pub(crate) struct Archive {
    #[command(subcommand)]
    what: What,
    /// Print JSON.
    #[arg(long = "json", global = true)]
    is_json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Reads the stream of a table, and archives what time to live removes.
    #[command(after_help = run::EXAMPLES)]
    Run(run::Run),
    /// Lists what is archived, by the day of its removal.
    #[command(after_help = ls::EXAMPLES)]
    Ls(ls::Ls),
    /// Puts archived items back into a table, where no item is by now.
    #[command(after_help = restore::EXAMPLES)]
    Restore(restore::Restore),
}

impl Archive {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { what, is_json } = self;
        runtime::run(async move {
            match what {
                What::Run(run) => run.run(is_json).await,
                What::Ls(ls) => ls.run(is_json).await,
                What::Restore(restore) => restore.run(is_json).await,
            }
        })
    }
}
