//! `theory tables`: tables of a store, without a gateway.

mod create;
mod describe;
mod export;
mod import;
mod ls;
mod migrate;

use clap::{Args, Subcommand};

use crate::runtime;
use crate::store::Choice;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory tables create                                          what a gateway needs, in ./theory-data
  theory tables ls --endpoint http://127.0.0.1:8000             tables of `theory dynamodb` or DynamoDB Local
  theory tables migrate facetheory-cache --kind cache           what it lacks; --apply adds it
  theory tables export facetheory-cache --out pages.jsonl
  theory tables import facetheory-cache pages.jsonl --dynamodb  into DynamoDB itself";

/// Tables of a store.
#[derive(Debug, Args)]
pub(crate) struct Tables {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    choice: Choice,
    /// Print JSON.
    #[arg(long = "json", global = true)]
    is_json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Makes the tables that a gateway needs: pages, limits, requests. Those that are there stay as they are.
    #[command(after_help = create::EXAMPLES)]
    Create(create::Create),
    /// Lists tables with their keys and sizes.
    #[command(
        after_help = "Examples:\n  theory tables ls --data ./theory-data\n  theory tables ls --dynamodb --region eu-west-1 --json"
    )]
    Ls,
    /// Describes a table: keys, indexes, time to live, counts, stream.
    #[command(
        after_help = "Examples:\n  theory tables describe facetheory-cache\n  theory tables describe rate-limits --json"
    )]
    Describe(describe::Describe),
    /// Adds what a table lacks: indexes, time to live, attributes. Says what it would do, until it is told to do it.
    #[command(after_help = migrate::EXAMPLES)]
    Migrate(migrate::Migrate),
    /// Writes the items of a table as JSON lines, in the form of DynamoDB's export to S3.
    #[command(after_help = export::EXAMPLES)]
    Export(export::Export),
    /// Puts items into a table, from JSON lines in the form of DynamoDB's export to S3.
    #[command(after_help = import::EXAMPLES)]
    Import(import::Import),
}

impl Tables {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { what, choice, is_json } = self;
        runtime::run(async move {
            // What is wrong with a file is said before a store is opened.
            let source = match &what {
                What::Import(import) => Some(import.source()?),
                _ => None,
            };
            let opened = match &what {
                What::Create(_) => choice.open_or_make().await?,
                _ => choice.open().await?,
            };
            let done = match (what, source) {
                (What::Create(create), _) => create.run(&opened, is_json).await,
                (What::Ls, _) => ls::run(&opened, is_json).await,
                (What::Describe(describe), _) => describe.run(&opened, is_json).await,
                (What::Migrate(migrate), _) => migrate.run(&opened, is_json).await,
                (What::Export(export), _) => export.run(&opened, is_json).await,
                (What::Import(import), source) => {
                    import.run(&opened, source.expect("it was opened above"), is_json).await
                }
            };
            // What went wrong first is told, and the store is closed in any case.
            let closed = opened.close();
            done.and(closed)
        })
    }
}
