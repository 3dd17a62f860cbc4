//! `theory dynamodb`: the embedded engine behind DynamoDB's own protocol, for every client that speaks it.

mod keys;
pub(super) mod stop;

use std::fmt::Display;
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use tabletheory_engine::{Durability, Engine, Settings};
use tabletheory_wire::sigv4::Verifier;
use tabletheory_wire::{Endpoint, server};
use tokio::net::TcpListener;

use crate::runtime;
use keys::Keys;

const INTERVAL_MS: u64 = 100;

/// Serves DynamoDB.
#[derive(Debug, Args)]
pub(crate) struct DynamoDb {
    /// Where to listen. Port 0 takes a free one. Without keys, only loopback addresses are served.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8000", value_parser = address)]
    addr: SocketAddr,
    /// The folder that keeps the tables; it is made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "./theory-data")]
    data: PathBuf,
    /// Keep the tables in memory, and forget them at the end.
    #[arg(long, conflicts_with_all = ["data", "durability"])]
    memory: bool,
    /// What an answered write survives: `sync` kill -9 and power loss; `interval` (or interval:MILLISECONDS) kill -9, and
    /// a power loss takes the last 100 ms; `memory` neither.
    #[arg(long, value_name = "sync|interval|memory", default_value = "sync", value_parser = durability)]
    durability: Durability,
    #[command(flatten)]
    keys: Keys,
    /// Print one line of JSON instead of text.
    #[arg(long)]
    json: bool,
}

impl DynamoDb {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let credentials = self.keys.read()?;
        let is_signed = !credentials.is_empty();
        if !is_signed && !self.addr.ip().is_loopback() {
            bail!(
                "{} can be reached from other machines, and without keys everybody there could read and write; give \
                 --access-key and --secret-key (or --keys FILE), or a loopback address such as 127.0.0.1:{}",
                self.addr,
                self.addr.port()
            );
        }
        // What the server has to tell goes to stderr; stdout is for what was asked for.
        tracing_subscriber::fmt()
            .with_writer(std::io::stderr)
            .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
            .init();
        let engine = self.engine()?;
        let store = Arc::new(engine.clone());
        let endpoint = match is_signed {
            true => Endpoint::signed(store, Verifier::new(credentials)),
            false => Endpoint::unsigned(store),
        };
        let runtime = runtime::of_server()?;
        runtime.block_on(async {
            let listener = TcpListener::bind(self.addr)
                .await
                .with_context(|| format!("cannot listen on {}; give another --addr HOST:PORT", self.addr))?;
            // Signals are listened for before anybody is told that we are here.
            let stop = stop::signal()?;
            self.announce(listener.local_addr().context("the socket has no address")?, is_signed);
            server::serve(listener, endpoint, server::Settings::default(), stop).await;
            anyhow::Ok(())
        })?;
        // The tasks that still hold the engine end with the runtime, so that this is the last hand on it.
        drop(runtime);
        engine.close().context("the last writes may not be on disk")?;
        if !self.json {
            tell(if self.memory { "stopped" } else { "stopped; every answered write is kept" });
        }
        Ok(())
    }

    fn engine(&self) -> anyhow::Result<Engine> {
        if self.memory {
            return Ok(Engine::memory());
        }
        let settings = Settings { durability: self.durability, ..Settings::default() };
        Engine::open(&self.data, settings).with_context(|| format!("cannot open {}", self.data.display()))
    }

    fn announce(&self, address: SocketAddr, is_signed: bool) {
        let endpoint = format!("http://{address}");
        let data = if self.memory { Path::new("memory") } else { &self.data };
        if self.json {
            let durability = if self.memory { Durability::Memory } else { self.durability };
            let told =
                json!({ "endpoint": endpoint, "data": data, "durability": durability, "signed": is_signed });
            tell(told);
            return;
        }
        let promise = match (self.memory, self.durability) {
            (true, _) => "forgotten at the end".to_owned(),
            (_, Durability::Sync) => "a write is answered when it is on disk".to_owned(),
            (_, Durability::Interval(ms)) => format!("a power loss takes at most the last {ms} ms"),
            (_, Durability::Memory) => "a crash may take the last writes".to_owned(),
        };
        let (callers, keys) = match is_signed {
            true => (
                "whoever signs with a key that was given; other requests are refused",
                "AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…",
            ),
            false => (
                "programs on this machine only; signatures are not verified (--access-key, --secret-key)",
                "AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local",
            ),
        };
        tell(format_args!("DynamoDB endpoint  {endpoint}"));
        tell(format_args!("  data     {} ({promise})", data.display()));
        tell(format_args!("  callers  {callers}"));
        tell(format_args!(
            "  try      {keys} aws dynamodb list-tables --endpoint-url {endpoint} --region us-east-1"
        ));
        tell("  stop     Ctrl-C");
    }
}

/// The first address of a host and port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; it is an address or a name of this machine and a port, such as 127.0.0.1:8000")
    })?;
    found.next().ok_or_else(|| "the name has no address".to_owned())
}

/// Prints a line. That nobody reads it any more is no reason to end a server.
fn tell(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn durability(text: &str) -> Result<Durability, String> {
    match text.split_once(':') {
        None if text == "sync" => Ok(Durability::Sync),
        None if text == "interval" => Ok(Durability::Interval(INTERVAL_MS)),
        None if text == "memory" => Ok(Durability::Memory),
        Some(("interval", millis)) => match u64::from_str(millis) {
            Ok(millis) if millis > 0 => Ok(Durability::Interval(millis)),
            _ => Err(format!("interval:{millis} needs a whole number of milliseconds above 0")),
        },
        _ => Err("it is one of sync, interval, interval:MILLISECONDS, memory".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_a_port() {
        assert_eq!(address("127.0.0.1:8000"), Ok(([127, 0, 0, 1], 8000).into()));
        assert!(address("localhost:8000").is_ok_and(|address| address.ip().is_loopback()));
        for wrong in ["", "8000", "127.0.0.1", "127.0.0.1:70000", "localhost"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durability_is_one_of_three() {
        assert_eq!(durability("sync"), Ok(Durability::Sync));
        assert_eq!(durability("interval"), Ok(Durability::Interval(100)));
        assert_eq!(durability("interval:250"), Ok(Durability::Interval(250)));
        assert_eq!(durability("memory"), Ok(Durability::Memory));
        for wrong in ["", "Sync", "interval:", "interval:0", "interval:-1", "interval:1.5", "sync:1"] {
            assert!(durability(wrong).is_err(), "{wrong}");
        }
    }
}
