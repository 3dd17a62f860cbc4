//! `theory tables create`.

use anyhow::Context;
use clap::Args;
use facetheory::record::Meta;
use idempotent::record::IdempotencyRecord;
use limited::RateLimitRecord;
use serde_json::json;
use tabletheory::Model;
use tabletheory::table::Ensured;
use theory_gateway::settings::Tables;
use theory_synth::Kind;

use crate::output::paper;
use crate::output::table::{Cell, Side, Table};
use crate::output::tone::Tone;
use crate::store::Opened;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory tables create                                    in ./theory-data, where `theory serve` looks for them
  theory tables create --dynamodb --region eu-west-1      in DynamoDB, paid by request
  theory tables create --cache pages --limits limits      with names of your own";

/// Makes what a gateway needs.
#[derive(Debug, Args)]
pub(super) struct Create {
    /// What the table of pages is called; else what FACETHEORY_CACHE_TABLE_NAME or APPTHEORY_CACHE_TABLE_NAME says, else
    /// facetheory-cache.
    #[arg(long, value_name = "NAME")]
    cache: Option<String>,
    /// What the table of rate limits is called; else what RATE_LIMIT_TABLE_NAME says, else rate-limits.
    #[arg(long, value_name = "NAME")]
    limits: Option<String>,
    /// What the table of idempotent requests is called; else what IDEMPOTENCY_TABLE_NAME says, else idempotency.
    #[arg(long, value_name = "NAME")]
    requests: Option<String>,
}

impl Create {
    pub(super) async fn run(self, opened: &Opened, is_json: bool) -> anyhow::Result<()> {
        let usual = Tables::default();
        let cache = name(self.cache, Kind::Cache, usual.cache);
        let limits = name(self.limits, Kind::Limits, usual.limits);
        let requests = name(self.requests, Kind::Requests, usual.requests);
        let made = [
            ("pages", ensure::<Meta>(opened, &cache).await?, cache),
            ("limits", ensure::<RateLimitRecord>(opened, &limits).await?, limits),
            ("requests", ensure::<IdempotencyRecord>(opened, &requests).await?, requests),
        ];
        if is_json {
            let tables = made.map(|(role, ensured, name)| {
                json!({ "name": name, "role": role, "created": ensured == Ensured::Created })
            });
            return paper::line(json!({ "tables": tables }));
        }
        let mut table = Table::new(&[("TABLE", Side::Left), ("FOR", Side::Left), ("OUTCOME", Side::Left)]);
        for (role, ensured, name) in made {
            let outcome = match ensured {
                Ensured::Created => Cell::toned("made", Tone::Good),
                Ensured::Existed => Cell::toned("is there", Tone::Quiet),
            };
            table.row(vec![name.into(), role.into(), outcome]);
        }
        table.print()
    }
}

/// What is said on the command line, in the first variable that says something, or nowhere: as a gateway and a function read it.
fn name(flag: Option<String>, kind: Kind, usual: String) -> String {
    let variable = |variable: &&str| std::env::var(variable).ok().filter(|name| !name.is_empty());
    flag.or_else(|| kind.variables().iter().find_map(variable)).unwrap_or(usual)
}

async fn ensure<M: Model>(opened: &Opened, name: &str) -> anyhow::Result<Ensured> {
    let ensured = opened.db().table::<M>().named(name).ensure().await;
    ensured.with_context(|| format!("the table {name} in {} cannot be made", opened.name))
}
