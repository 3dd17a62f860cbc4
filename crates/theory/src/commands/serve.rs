//! `theory serve`: the gateway in front of an application, until it is told to stop. SIGHUP reads the settings again.

use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde_json::json;
use theory_gateway::config::Effective;
use theory_gateway::run::Running;
use theory_gateway::settings::{RouteKind, Settings};
use tokio::signal::unix::{SignalKind, signal};

use super::dynamodb::stop;
use super::flags::ServeFlags;
use crate::output::paper;
use crate::runtime;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory serve --origin http://127.0.0.1:3000      pages are kept for a minute and regenerated, in ./theory-data
  theory serve                                     as theory.toml says; `theory config example` prints one
  kill -HUP PID                                    reads theory.toml again; no request is dropped";

/// How long the end waits for what nobody waits for any more.
const LEFT_BEHIND: Duration = Duration::from_secs(1);

/// Puts the gateway in front of an application.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: ServeFlags,
    /// How the log is written, to stderr.
    #[arg(long, value_name = "FORM", default_value = "text", env = "THEORY_LOG_FORMAT")]
    log_format: LogFormat,
    /// What is worth a line of the log: error, warn, info, or debug, which has one for each request.
    #[arg(long, value_name = "LEVEL", default_value = "info", env = "THEORY_LOG")]
    log: tracing_subscriber::filter::LevelFilter,
    /// Print one line of JSON instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    /// For people.
    Text,
    /// For programs: one object on each line.
    Json,
}

impl Serve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let effective = self.flags.settings()?;
        self.begin_log();
        let runtime = runtime::of_server()?;
        let ended = runtime.block_on(async {
            // Signals are listened for before anybody is told that we are here.
            let stop = stop::signal()?;
            let mut hangups = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
            let mut stop = std::pin::pin!(stop);
            let running = tokio::select! {
                // What was begun is dropped: nothing was promised to anybody yet.
                () = &mut stop => return Ok(()),
                running = Running::start(effective.settings.clone()) => running?,
            };
            self.announce(&effective, &running);
            loop {
                tokio::select! {
                    () = &mut stop => break,
                    _ = hangups.recv() => self.reload(&running),
                }
            }
            running.stop().await.context("the last writes may not be on disk")
        });
        // What is left has been given up: a name that is looked up, a file on a disk that is gone. Nobody listens for signals any more.
        runtime.shutdown_timeout(LEFT_BEHIND);
        ended?;
        if !self.json {
            paper::line("stopped; every answered write is kept")?;
        }
        Ok(())
    }

    fn begin_log(&self) {
        let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(self.log);
        match self.log_format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().init(),
        }
    }

    fn reload(&self, running: &Running) {
        let told = self.flags.settings().map_err(anyhow::Error::from);
        match told.and_then(|effective| Ok(running.reload(effective.settings)?)) {
            Ok(rest) if rest.is_empty() => tracing::info!("the settings were read again"),
            Ok(rest) => {
                tracing::warn!(
                    needs_restart = rest.join(", "),
                    "the settings were read again; some need a restart"
                );
            }
            Err(error) => tracing::error!("everything stays as it was: {error:#}"),
        }
    }

    fn announce(&self, effective: &Effective, running: &Running) {
        let addresses: Vec<String> = running
            .addresses()
            .iter()
            .zip(&effective.settings.listen)
            .map(|(address, listen)| {
                format!("{}://{address}", if listen.certificate.is_some() { "https" } else { "http" })
            })
            .collect();
        let admin = running.admin().map(|(address, _)| format!("http://{address}"));
        if self.json {
            let told = json!({ "listen": addresses, "admin": admin, "file": effective.file });
            let _ = paper::line(told);
            return;
        }
        for line in told(&effective.settings, &addresses, admin.as_deref()) {
            // That nobody reads it is no reason to end a server.
            let _ = paper::line(line);
        }
    }
}

fn told(settings: &Settings, addresses: &[String], admin: Option<&str>) -> Vec<String> {
    let mut lines = vec![format!("Gateway  {}", addresses.join("  "))];
    for site in &settings.sites {
        let count = |is: fn(&RouteKind) -> bool| site.routes.iter().filter(|route| is(&route.kind)).count();
        let pages = count(|kind| matches!(kind, RouteKind::Page(_)));
        let caches = count(|kind| matches!(kind, RouteKind::HttpCache(_)));
        let passes = count(|kind| matches!(kind, RouteKind::Pass(_)));
        lines.push(format!(
            "  site     {} -> {} ({pages} page, {caches} http-cache, {passes} pass routes)",
            site.name, site.origin.uri
        ));
    }
    if let Some(admin) = admin {
        lines.push(format!("  admin    {admin} (dashboard, API, /metrics; `theory pages ls` uses it)"));
    }
    lines.push(
        "  stop     Ctrl-C     settings: theory config check     read them again: kill -HUP".to_owned(),
    );
    lines
}
