//! `theory pages purge`.

use std::io::{IsTerminal as _, Write as _};

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use super::which::SomePages;
use crate::admin::Gateway;
use crate::commands::answered::told;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages purge /news                 the next visitor waits for a new page
  theory pages purge --tag news --soft     old pages are shown until the new ones are there
  theory pages purge --all --yes           everything, without asking";

/// Removes pages, and what routes of the kind http-cache keep in the gateway that is asked.
#[derive(Debug, Args)]
pub(super) struct Purge {
    #[command(flatten)]
    pages: SomePages,
    /// Only mark them stale: visitors see the old page while the new one is rendered.
    #[arg(long = "soft")]
    is_soft: bool,
    /// Do not ask before every page is purged.
    #[arg(long = "yes", short = 'y')]
    is_sure: bool,
}

impl Purge {
    /// Asks whether every page is meant: the application behind the gateway would have to render them all again at once.
    pub(super) fn confirm(&self) -> anyhow::Result<()> {
        if !self.pages.is_all || self.is_sure {
            return Ok(());
        }
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            bail!("--all purges every page; say that it is meant with --yes");
        }
        eprint!("Purge every page? The application will have to render all of them again. [y/N] ");
        let _ = std::io::stderr().flush();
        let mut said = String::new();
        std::io::stdin().read_line(&mut said)?;
        match said.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => bail!("nothing was purged"),
        }
    }

    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let mut body = self.pages.members();
        body.insert("hard".to_owned(), Value::Bool(!self.is_soft));
        told(&gateway.post("/api/pages/purge", &Value::Object(body)).await?, is_json)
    }
}
