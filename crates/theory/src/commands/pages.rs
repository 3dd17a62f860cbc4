//! `theory pages`: the pages a running gateway keeps, and what an operator does with them.

mod ls;
mod purge;
mod revalidate;
mod rollback;
mod show;
mod versions;
mod warm;
mod which;

use clap::{Args, Subcommand};

use crate::admin::{Gateway, Place};
use crate::runtime;

/// Pages of a running gateway.
#[derive(Debug, Args)]
pub(crate) struct Pages {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    place: Place,
    /// Print JSON, with the names of the admin API.
    #[arg(long = "json", global = true)]
    is_json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists pages: their state, age and size.
    #[command(after_help = ls::EXAMPLES)]
    Ls(ls::Ls),
    /// Shows one page with all its rows: what is served, who regenerates it, its versions and last events.
    #[command(after_help = show::EXAMPLES)]
    Show(show::Show),
    /// Lists the versions of a page that can be shown again.
    #[command(after_help = versions::EXAMPLES)]
    Versions(versions::Versions),
    /// Shows an earlier version of a page again.
    #[command(after_help = rollback::EXAMPLES)]
    Rollback(rollback::Rollback),
    /// Renders a page now, or marks a group of pages stale.
    #[command(after_help = revalidate::EXAMPLES)]
    Revalidate(revalidate::Revalidate),
    /// Removes pages: the next visitor waits for a new one.
    #[command(after_help = purge::EXAMPLES)]
    Purge(purge::Purge),
    /// Has pages rendered before anybody asks for them.
    #[command(after_help = warm::EXAMPLES)]
    Warm(warm::Warm),
}

impl Pages {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { what, place, is_json } = self;
        runtime::run(async move {
            // What can be refused without a gateway is refused before one is asked.
            if let What::Purge(purge) = &what {
                purge.confirm()?;
            }
            let gateway = Gateway::at(&place)?;
            match what {
                What::Ls(ls) => ls.run(&gateway, is_json).await,
                What::Show(show) => show.run(&gateway, is_json).await,
                What::Versions(versions) => versions.run(&gateway, is_json).await,
                What::Rollback(rollback) => rollback.run(&gateway, is_json).await,
                What::Revalidate(revalidate) => revalidate.run(&gateway, is_json).await,
                What::Purge(purge) => purge.run(&gateway, is_json).await,
                What::Warm(warm) => warm.run(&gateway, is_json).await,
            }
        })
    }
}
