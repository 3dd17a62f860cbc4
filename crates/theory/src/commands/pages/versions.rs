//! `theory pages versions`.

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use super::which::OnePage;
use crate::admin::Gateway;
use crate::output::paper;
use crate::output::record::words;
use crate::output::table::{Cell, Side, Table};
use crate::output::tone::Tone;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages versions /news
  theory pages versions https://shop.example/ --json

The version that is shown is marked with *. Another one is shown again with
  theory pages rollback /news VERSION";

/// Lists versions of a page.
#[derive(Debug, Args)]
pub(super) struct Versions {
    #[command(flatten)]
    page: OnePage,
}

impl Versions {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let answer = gateway.get("/api/pages/versions", &self.page.query()).await?;
        if is_json {
            return paper::line(&answer);
        }
        let Some(versions) = answer.get("versions").and_then(Value::as_array) else {
            bail!("the gateway's answer has no list `versions`; is it of another version?");
        };
        if versions.is_empty() {
            paper::aside(format_args!(
                "{} has no versions; they are kept when its route says so",
                self.page.name()
            ));
            return Ok(());
        }
        let mut table = Table::new(&[
            ("", Side::Left),
            ("VERSION", Side::Left),
            ("GENERATED", Side::Right),
            ("STATUS", Side::Right),
            ("SIZE", Side::Right),
            ("ETAG", Side::Left),
        ]);
        for version in versions {
            let of = |name: &str| words(name, version.get(name).unwrap_or(&Value::Null));
            let mark = match version.get("is_shown").and_then(Value::as_bool) {
                Some(true) => Cell::toned("*", Tone::Good),
                _ => Cell::from(" "),
            };
            let cells = ["id", "generated_at", "status", "bytes", "etag"].map(|name| Cell::from(of(name)));
            table.row(std::iter::once(mark).chain(cells).collect());
        }
        table.print()
    }
}
