//! `theory limits`: who has used how much of which limit.

use anyhow::bail;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::admin::{Gateway, Place};
use crate::commands::answered::told;
use crate::output::paper;
use crate::output::record::words;
use crate::output::table::{Cell, Side, Table};
use crate::runtime;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory limits top                        who asks most
  theory limits show per-address 203.0.113.7
  theory limits reset per-address 203.0.113.7";

/// Rate limits.
#[derive(Debug, Args)]
pub(crate) struct Limits {
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
    /// Lists the callers who used most, as the gateway that is asked has seen them.
    #[command(after_help = "Examples:\n  theory limits top\n  theory limits top --limit 5 --json")]
    Top {
        /// How many.
        #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=500))]
        limit: u64,
    },
    /// Shows how a caller stands with a policy.
    #[command(
        after_help = "Examples:\n  theory limits show per-address 203.0.113.7\n  theory limits show api-key ID --json"
    )]
    Show(Whose),
    /// Forgets what was counted for a caller.
    #[command(after_help = "Examples:\n  theory limits reset per-address 203.0.113.7")]
    Reset(Whose),
}

#[derive(Debug, Args)]
struct Whose {
    /// The policy, by its name in the configuration.
    #[arg(value_name = "POLICY")]
    policy: String,
    /// The caller, as `theory limits top` gives it.
    #[arg(value_name = "ID")]
    id: String,
}

impl Limits {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { what, place, is_json } = self;
        runtime::run(async move {
            let gateway = Gateway::at(&place)?;
            match what {
                What::Top { limit } => top(&gateway, limit, is_json).await,
                What::Show(Whose { policy, id }) => {
                    let query = [("policy", Some(policy.as_str())), ("id", Some(id.as_str()))];
                    told(&gateway.get("/api/limits/show", &query).await?, is_json)
                }
                What::Reset(Whose { policy, id }) => told(
                    &gateway.post("/api/limits/reset", &json!({ "policy": policy, "id": id })).await?,
                    is_json,
                ),
            }
        })
    }
}

async fn top(gateway: &Gateway, limit: u64, is_json: bool) -> anyhow::Result<()> {
    let limit = limit.to_string();
    let answer = gateway.get("/api/limits/top", &[("limit", Some(&limit))]).await?;
    if is_json {
        return paper::line(&answer);
    }
    let Some(top) = answer.get("consumers").and_then(Value::as_array) else {
        bail!("the gateway's answer has no list `consumers`; is it of another version?");
    };
    if top.is_empty() {
        paper::aside("no limits have been used");
        return Ok(());
    }
    let mut table = Table::new(&[
        ("POLICY", Side::Left),
        ("ASKED", Side::Right),
        ("DENIED", Side::Right),
        ("ID", Side::Left),
    ]);
    for caller in top {
        let names = ["policy", "asked", "denied", "id"];
        table.row(names.map(|name| Cell::from(words(name, caller.get(name).unwrap_or(&Value::Null)))).into());
    }
    table.print()
}
