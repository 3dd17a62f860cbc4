//! `theory requests`: idempotent requests that a gateway remembers. Neither bodies nor keys of callers are shown.

use clap::{Args, Subcommand};
use serde_json::Value;

use crate::admin::{Gateway, Listing, Place, Range, listing};
use crate::commands::answered::told;
use crate::output::paper;
use crate::output::record::{tone_of_state, words};
use crate::output::table::{Cell, Side, Table};
use crate::runtime;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory requests ls                  what is remembered
  theory requests show ID             one of them
  theory requests forget ID           lets the same request be made again";

/// Idempotent requests.
#[derive(Debug, Args)]
pub(crate) struct Requests {
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
    /// Lists the requests that are remembered.
    #[command(after_help = "Examples:\n  theory requests ls\n  theory requests ls --all --json")]
    Ls {
        #[command(flatten)]
        range: Range,
    },
    /// Shows one request: its route, its state and what it was answered with; never bodies.
    #[command(after_help = "Examples:\n  theory requests show ID\n  theory requests show ID --json")]
    Show {
        /// The request, as `theory requests ls` gives it.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Forgets a request, so that the same one is carried out again when it comes.
    #[command(
        after_help = "Examples:\n  theory requests forget ID\n  theory requests forget ID --force     although somebody works on it"
    )]
    Forget {
        /// The request, as `theory requests ls` gives it.
        #[arg(value_name = "ID")]
        id: String,
        /// Forget it although somebody works on it; what it does may then happen twice.
        #[arg(long = "force")]
        is_forced: bool,
    },
}

impl Requests {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { what, place, is_json } = self;
        runtime::run(async move {
            let gateway = Gateway::at(&place)?;
            match what {
                What::Ls { range } => ls(&gateway, &range, is_json).await,
                What::Show { id } => {
                    told(&gateway.get("/api/requests/show", &[("id", Some(&id))]).await?, is_json)
                }
                What::Forget { id, is_forced } => {
                    let query = [("id", Some(id.as_str())), ("force", is_forced.then_some("true"))];
                    told(&gateway.delete("/api/requests", &query).await?, is_json)
                }
            }
        })
    }
}

async fn ls(gateway: &Gateway, range: &Range, is_json: bool) -> anyhow::Result<()> {
    let wanted = Listing { path: "/api/requests", member: "requests", query: Vec::new(), range };
    let mut table = Table::new(&[
        ("STATE", Side::Left),
        ("AGE", Side::Right),
        ("CODE", Side::Right),
        ("ROUTE", Side::Left),
        ("ID", Side::Left),
    ]);
    let mut is_empty = true;
    listing(gateway, wanted, is_json, |requests| {
        for request in requests {
            is_empty = false;
            let of = |name: &str| words(name, request.get(name).unwrap_or(&Value::Null));
            let state = of("status");
            let tone = tone_of_state(&state.to_ascii_lowercase());
            let cells = ["age_s", "code", "route", "id"].map(|name| Cell::from(of(name)));
            table.row(std::iter::once(Cell::toned(state, tone)).chain(cells).collect());
        }
        table.print()
    })
    .await?;
    if is_empty && !is_json {
        paper::aside("no requests are remembered");
    }
    Ok(())
}
