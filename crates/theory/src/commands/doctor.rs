//! `theory doctor`: looks at everything a gateway needs before, or while, it runs, and says of each thing how it is and what to do.

mod bodies;
mod clock;
mod disk;
mod finding;
mod listener;
mod machine;
mod origin;
mod server;
mod store;
mod tables;

use anyhow::bail;
use clap::Args;
use serde_json::json;
use theory_gateway::config::ConfigError;
use theory_gateway::settings::Settings;

use super::flags::ServeFlags;
use crate::output::{amount, paper};
use crate::runtime;
use finding::Finding;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory doctor                                        theory.toml of this folder, the environment, and defaults
  theory doctor --origin http://127.0.0.1:3000
  theory doctor --config /etc/theory.toml --json";

/// Checks everything a gateway needs.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    flags: ServeFlags,
    /// Print JSON.
    #[arg(long = "json")]
    is_json: bool,
}

impl Doctor {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        runtime::run(async move {
            let findings = match self.flags.settings() {
                Ok(effective) => {
                    let mut findings = vec![valid(effective.file)];
                    findings.extend(examine(&effective.settings).await);
                    findings
                }
                Err(error) => invalid(&error),
            };
            self.print(&findings)
        })
    }

    fn print(&self, findings: &[Finding]) -> anyhow::Result<()> {
        let failed = findings.iter().filter(|finding| finding.is_failure()).count();
        if self.is_json {
            let checks: Vec<_> = findings.iter().map(Finding::json).collect();
            paper::line(json!({ "checks": checks, "ok": failed == 0 }))?;
        } else {
            let width = findings.iter().map(|finding| finding.name.chars().count()).max().unwrap_or_default();
            findings.iter().try_for_each(|finding| finding.print(width))?;
        }
        match failed {
            0 => Ok(()),
            _ => bail!("{} failed", amount::count(u64::try_from(failed)?, "check")),
        }
    }
}

/// Everything there is to look at.
async fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings = machine::examine(settings);
    let admin = listener::admin(settings).await;
    let is_running = admin.is_gateway;
    findings.extend(admin.finding);
    findings.extend(listener::examine(settings, is_running));
    findings.extend(store::examine(settings, is_running).await);
    findings.extend(bodies::examine(settings).await);
    for site in &settings.sites {
        findings.push(origin::examine(site).await);
    }
    findings.push(clock::examine(settings).await);
    findings
}

fn valid(file: Option<std::path::PathBuf>) -> Finding {
    Finding::ok(
        "config",
        match file {
            Some(file) => format!("{} is valid", file.display()),
            None => "there is no file; defaults, environment and flags are valid".to_owned(),
        },
    )
}

/// Everything that is wrong with the configuration. Without one there is nothing else to look at.
fn invalid(error: &ConfigError) -> Vec<Finding> {
    let advice = "correct it; `theory config check` explains every value";
    error.problems().iter().map(|problem| Finding::fail("config", problem.to_string(), advice)).collect()
}
