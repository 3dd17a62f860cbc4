//! `theory leases`: who regenerates which page now, and which pages wait after failures.

use clap::Args;
use serde_json::Value;

use crate::admin::{Gateway, Listing, Place, Range, listing};
use crate::output::paper;
use crate::output::record::words;
use crate::output::table::{Cell, Side, Table};
use crate::output::tone::Tone;
use crate::runtime;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory leases             who renders what now
  theory leases --json";

/// Regenerations that are under way.
#[derive(Debug, Args)]
pub(crate) struct Leases {
    #[command(flatten)]
    range: Range,
    #[command(flatten)]
    place: Place,
    /// Print JSON, with the names of the admin API.
    #[arg(long = "json")]
    is_json: bool,
}

impl Leases {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        runtime::run(async move {
            let gateway = Gateway::at(&self.place)?;
            let wanted =
                Listing { path: "/api/leases", member: "leases", query: Vec::new(), range: &self.range };
            let mut table = Table::new(&[
                ("STATE", Side::Left),
                ("EXPIRES IN", Side::Right),
                ("FAILURES", Side::Right),
                ("NEXT ATTEMPT IN", Side::Right),
                ("PAGE", Side::Left),
            ]);
            let mut is_empty = true;
            listing(&gateway, wanted, self.is_json, |leases| {
                for lease in leases {
                    is_empty = false;
                    table.row(row(lease));
                }
                table.print()
            })
            .await?;
            if is_empty && !self.is_json {
                paper::aside("no page is being regenerated");
            }
            Ok(())
        })
    }
}

fn row(lease: &Value) -> Vec<Cell> {
    let of = |name: &str| words(name, lease.get(name).unwrap_or(&Value::Null));
    let state = match lease.get("is_held").and_then(Value::as_bool) {
        Some(true) => Cell::toned("rendering", Tone::Good),
        // After a failure a page waits; after its lease is over anybody may take it.
        _ => Cell::toned("waiting", Tone::Doubtful),
    };
    let page = if lease.get("url").is_some_and(Value::is_string) { of("url") } else { of("id") };
    let cells = ["expires_in_s", "failures", "next_attempt_in_s"].map(|name| Cell::from(of(name)));
    std::iter::once(state).chain(cells).chain([page.into()]).collect()
}
