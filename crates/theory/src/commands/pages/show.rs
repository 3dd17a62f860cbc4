//! `theory pages show`.

use clap::Args;
use serde_json::Value;

use super::which::OnePage;
use crate::admin::Gateway;
use crate::commands::answered::told;
use crate::output::record;

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

/// What people look for first.
const FIRST: [&str; 13] = [
    "url",
    "state",
    "status",
    "age_s",
    "fresh_left_s",
    "bytes",
    "tags",
    "tenant",
    "generation",
    "etag",
    "generated_at",
    "fresh_for_s",
    "id",
];
/// What comes below it, in this order.
const SECTIONS: [&str; 4] = ["lock", "versions", "meta", "events"];

impl Show {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let answer = gateway.get("/api/pages/show", &self.page.query()).await?;
        let Some(page) = answer.get("page").and_then(Value::as_object).filter(|_| !is_json) else {
            return told(&answer, is_json);
        };
        record::print_first(page, &FIRST)?;
        for name in SECTIONS {
            match answer.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::Array(list)) if list.is_empty() => {}
                Some(section) => record::print_section(name, section)?,
            }
        }
        Ok(())
    }
}
