//! `theory pages rollback`.

use clap::Args;
use serde_json::Value;

use super::which::OnePage;
use crate::admin::Gateway;
use crate::commands::answered::told;
use crate::output::amount::read_span;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages versions /news                          which versions there are
  theory pages rollback /news --to 01HX… --hold 2h     shows that one for two hours
  theory pages rollback /news --to 01HX…               shows it until the page's own time of freshness is over";

/// Shows an earlier version again.
#[derive(Debug, Args)]
pub(super) struct Rollback {
    #[command(flatten)]
    page: OnePage,
    /// The version, as `theory pages versions` gives it.
    #[arg(long = "to", value_name = "VERSION", required = true)]
    version: String,
    /// How long it stays before the page is rendered again: 90s, 10m, 2h, 1d.
    #[arg(long = "hold", value_name = "SPAN", value_parser = read_span)]
    hold: Option<u64>,
}

impl Rollback {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let mut body = self.page.members();
        body.insert("version".to_owned(), Value::from(self.version));
        if let Some(hold) = self.hold {
            body.insert("hold_s".to_owned(), Value::from(hold));
        }
        told(&gateway.post("/api/pages/rollback", &Value::Object(body)).await?, is_json)
    }
}
