//! `theory tables create`.

use anyhow::Context;
use clap::Args;
use facetheory::record::Meta;
use idempotent::record::IdempotencyRecord;
use limited::RateLimitRecord;
use serde_json::json;
use tabletheory::Model;
use tabletheory::table::Ensured;

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
    /// What the table of pages is called.
    #[arg(
        long,
        value_name = "NAME",
        env = "FACETHEORY_CACHE_TABLE_NAME",
        default_value = "facetheory-cache"
    )]
    cache: String,
    /// What the table of rate limits is called.
    #[arg(long, value_name = "NAME", env = "RATE_LIMIT_TABLE_NAME", default_value = "rate-limits")]
    limits: String,
    /// What the table of idempotent requests is called.
    #[arg(long, value_name = "NAME", env = "IDEMPOTENCY_TABLE_NAME", default_value = "idempotency")]
    requests: String,
}

impl Create {
    pub(super) async fn run(self, opened: &Opened, is_json: bool) -> anyhow::Result<()> {
        let made = [
            ("pages", ensure::<Meta>(opened, &self.cache).await?, self.cache),
            ("limits", ensure::<RateLimitRecord>(opened, &self.limits).await?, self.limits),
            ("requests", ensure::<IdempotencyRecord>(opened, &self.requests).await?, self.requests),
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

async fn ensure<M: Model>(opened: &Opened, name: &str) -> anyhow::Result<Ensured> {
    let ensured = opened.db().table::<M>().named(name).ensure().await;
    ensured.with_context(|| format!("the table {name} in {} cannot be made", opened.name))
}
