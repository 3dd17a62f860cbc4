//! `theory pages revalidate`.

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use super::which::SomePages;
use crate::admin::Gateway;
use crate::commands::answered::told;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages revalidate /news            renders the page now and says what came of it
  theory pages revalidate --tag news       marks every page with the tag stale: each is rendered when it is next asked for
  theory pages revalidate --tenant acme";

/// Renders a page now, or marks a group stale.
#[derive(Debug, Args)]
pub(super) struct Revalidate {
    #[command(flatten)]
    pages: SomePages,
}

impl Revalidate {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let body = Value::Object(self.pages.members());
        let answer = gateway.post("/api/pages/revalidate", &body).await?;
        told(&answer, is_json)?;
        match answer.get("outcome").and_then(Value::as_str) {
            Some("failed") => bail!(
                "the application did not render the page; its log tells why, and visitors see the old one"
            ),
            Some("store-failed") => bail!(
                "the page was rendered and could not be kept: the store failed; `theory doctor` looks at it"
            ),
            _ => Ok(()),
        }
    }
}
