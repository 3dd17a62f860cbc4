//! `theory synth`: CloudFormation for what the product needs on AWS, and a check of templates that others wrote.

mod archive;
mod check;
mod choice;
pub(super) mod models;
mod paper_flags;
mod simple;
mod site;

use clap::{Args, Subcommand};

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory synth isr-site --out site.yaml                 function, table, bucket, permissions and alarms of a site
  theory synth rate-limited-function --json             the same for a function with rate limits, as JSON
  theory synth tables models.yaml                       the tables of models, from documents that every toolkit reads
  theory synth --check template.yaml                    whether the runtime can work with the tables of a template
  theory synth --check template.yaml --table Pages=cache";

/// Templates of CloudFormation.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct Synth {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    check: check::Check,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The table of rendered pages.
    #[command(after_help = simple::CACHE_EXAMPLES)]
    CacheTable(Box<simple::CacheTable>),
    /// A function whose callers are limited, with the table of limits.
    #[command(after_help = simple::LIMITED_EXAMPLES)]
    RateLimitedFunction(Box<simple::RateLimitedFunction>),
    /// A function whose requests happen once, with the table of requests.
    #[command(after_help = simple::IDEMPOTENT_EXAMPLES)]
    IdempotentFunction(Box<simple::IdempotentFunction>),
    /// A site that is rendered and kept: a function with its address, the table of pages, the bucket of their bodies.
    #[command(after_help = site::EXAMPLES)]
    IsrSite(Box<site::IsrSite>),
    /// The archive of what time to live removes: a function that reads a table's stream, and a bucket.
    #[command(after_help = archive::EXAMPLES)]
    TtlArchive(Box<archive::TtlArchive>),
    /// The tables of models, from documents that every toolkit reads.
    #[command(after_help = simple::TABLES_EXAMPLES)]
    Tables(Box<simple::Tables>),
}

impl Synth {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.what {
            Some(What::CacheTable(stack)) => stack.run(),
            Some(What::RateLimitedFunction(stack)) => stack.run(),
            Some(What::IdempotentFunction(stack)) => stack.run(),
            Some(What::IsrSite(stack)) => stack.run(),
            Some(What::TtlArchive(stack)) => stack.run(),
            Some(What::Tables(stack)) => stack.run(),
            None => self.check.run(),
        }
    }
}
