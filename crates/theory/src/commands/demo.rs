//! `theory demo`: a slow shop, the gateway in front of it, visitors, and the dashboard, on the embedded engine in a temporary folder.

mod html;
mod shop;
mod visitors;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use theory_gateway::config::{self, Document, Flags};
use theory_gateway::run::Running;
use theory_gateway::settings::Settings;
use tokio::net::TcpListener;

use super::dynamodb::stop;
use crate::output::paper;
use crate::runtime;
use shop::Ledger;
use visitors::Seen;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory demo                       until Ctrl-C; look at the shop and at the dashboard
  theory demo --seconds 20          ends by itself, with a summary
  theory demo --data ./demo-data    keeps the folder: pages are there again at the next start";

/// What the gateway is told, as a file would say it.
const SETTINGS: &str = include_str!("demo/theory.toml");

/// Shows everything at work.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// End after so many seconds.
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Keep the data in this folder instead of a temporary one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where the gateway listens. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Where the dashboard is. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9090")]
    admin_listen: String,
    /// Let nobody visit but you.
    #[arg(long)]
    no_visitors: bool,
    /// Print lines of JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// What the demo came to.
struct Summary {
    visits: u64,
    from_cache: u64,
    errors: u64,
    renders: u64,
    failures: u64,
    orders: u64,
}

impl Demo {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let temporary =
            tempfile::tempdir().context("cannot make a temporary folder; give one with --data DIR")?;
        let folder = self.data.clone().unwrap_or_else(|| temporary.path().to_owned());
        tracing_subscriber::fmt()
            .with_writer(std::io::stderr)
            .with_max_level(tracing_subscriber::filter::LevelFilter::ERROR)
            .init();
        let runtime = runtime::of_server()?;
        runtime.block_on(self.show(&folder))
    }

    async fn show(self, folder: &Path) -> anyhow::Result<()> {
        let mut stop = std::pin::pin!(stop::signal()?);
        let shop =
            TcpListener::bind("127.0.0.1:0").await.context("the shop cannot listen on this machine")?;
        let shop_address = shop.local_addr().context("the socket has no address")?;
        let running = tokio::select! {
            () = &mut stop => return Ok(()),
            running = Running::start(self.settings(shop_address, folder)?) => running?,
        };
        let (ledger, seen) = (Arc::new(Ledger::default()), Arc::new(Seen::default()));
        tokio::spawn(shop::serve(shop, Arc::clone(&ledger)));
        let gateway = *running.addresses().first().context("the gateway listens on no address")?;
        self.announce(&running, gateway, shop_address, folder)?;
        if !self.no_visitors {
            visitors::invite(gateway, &seen);
        }
        match self.seconds {
            Some(seconds) => tokio::select! {
                () = &mut stop => {}
                () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
            },
            None => stop.await,
        }
        let summary = Summary {
            visits: seen.pages.load(Ordering::Relaxed),
            from_cache: seen.from_cache.load(Ordering::Relaxed),
            errors: seen.errors.load(Ordering::Relaxed),
            renders: ledger.renders.load(Ordering::Relaxed),
            failures: ledger.failures.load(Ordering::Relaxed),
            orders: ledger.orders.load(Ordering::Relaxed),
        };
        running.stop().await.context("the last writes may not be on disk")?;
        self.sum_up(&summary)
    }

    fn settings(&self, shop: SocketAddr, folder: &Path) -> anyhow::Result<Settings> {
        let folder =
            folder.to_str().context("the folder's name is not UTF-8; give another with --data DIR")?;
        let flags = Flags::default()
            .with("--origin", [format!("http://{shop}")])
            .with("--listen", [self.listen.clone()])
            .with("--admin-listen", [self.admin_listen.clone()])
            .with("--data", [folder]);
        let document = Document::new("the demo's settings", "", SETTINGS);
        Ok(config::read(&document, &flags, &|_| None)?.settings)
    }

    fn announce(
        &self,
        running: &Running,
        gateway: SocketAddr,
        shop: SocketAddr,
        folder: &Path,
    ) -> anyhow::Result<()> {
        let (admin, token) = running.admin().context("the demo has a dashboard")?;
        // The token is in the fragment, which browsers send to nobody.
        let dashboard = format!("http://{admin}/#token={}", token.reveal());
        if self.json {
            return paper::line(json!({
                "gateway": format!("http://{gateway}"),
                "dashboard": dashboard,
                "admin": format!("http://{admin}"),
                "shop": format!("http://{shop}"),
                "data": folder,
            }));
        }
        paper::line(format_args!(
            "TableTheory demo: a slow shop, and the gateway in front of it.\n\n  \
             the shop through the gateway  http://{gateway}/\n  \
             the dashboard                 {dashboard}\n  \
             the shop itself, slow         http://{shop}/\n  \
             data                          {}\n\n\
             Try:\n  \
             curl -si http://{gateway}/news | grep -iE 'cache-status|isr|age'    (twice; then after five seconds)\n  \
             curl -s -o /dev/null -w '%{{http_code}}\\n' http://{gateway}/api/hello     (more than five in a second)\n  \
             curl -s http://{gateway}/api/orders -H 'idempotency-key: one' -d '{{}}'  (twice: one order)\n  \
             theory pages ls --data {}\n",
            folder.display(),
            folder.display(),
        ))?;
        match self.seconds {
            Some(seconds) => paper::line(format_args!("It ends after {seconds} seconds, or with Ctrl-C.")),
            None => paper::line("It ends with Ctrl-C."),
        }
    }

    fn sum_up(&self, summary: &Summary) -> anyhow::Result<()> {
        let Summary { visits, from_cache, errors, renders, failures, orders } = summary;
        if self.json {
            return paper::line(json!({
                "visits": visits,
                "from_cache": from_cache,
                "errors": errors,
                "renders": renders,
                "failed_renders": failures,
                "orders": orders,
            }));
        }
        paper::line(format_args!(
            "\n{visits} pages were served, {from_cache} of them from the cache; {errors} visitors got an error. The shop rendered \
             {renders} times; {failures} of these failed on purpose. {orders} orders were taken.\n\
             Next: `theory serve --origin http://127.0.0.1:3000` in front of an application of your own; \
             `theory config example` shows what can be said."
        ))
    }
}
