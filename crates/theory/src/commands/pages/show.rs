//! `theory pages show`.

use clap::Args;

use super::which::OnePage;
use crate::admin::Gateway;
use crate::commands::answered::told;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages show /news
  theory pages show https://shop.example/ --json
  theory pages show --id 'CACHE#8f43…'";

/// Shows one page.
#[derive(Debug, Args)]
pub(super) struct Show {
    #[command(flatten)]
    page: OnePage,
}

impl Show {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        told(&gateway.get("/api/pages/show", &self.page.query()).await?, is_json)
    }
}
