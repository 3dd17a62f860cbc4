//! `theory serve` with one route of pages: on a folder of its own, or one of several gateways on a shared store.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::quota;

/// Where a gateway keeps its pages.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keeps<'a> {
    /// In a folder of its own, as it does if nothing is said.
    Alone,
    /// Rows behind an endpoint, bodies in a folder, both shared.
    Shared { endpoint: SocketAddr, bodies: &'a Path },
}

/// The command that serves an origin's pages, which are fresh for so many seconds, in an empty folder.
pub(crate) fn command(
    theory: &Path,
    home: &Path,
    (address, origin): (SocketAddr, u16),
    fresh_s: u64,
    keeps: Keeps<'_>,
) -> Result<Command> {
    let file = home.join("theory.toml");
    std::fs::write(&file, config(home, (address, origin), fresh_s, keeps))
        .with_context(|| format!("cannot write {}", file.display()))?;
    let mut command = Command::new(theory);
    command.args(["serve", "--config"]).arg(file);
    // The endpoint does not ask who is there, but a client of AWS does not start without a name.
    command.envs([
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
        ("AWS_REGION", "us-east-1"),
    ]);
    Ok(command)
}

fn config(home: &Path, (address, origin): (SocketAddr, u16), fresh_s: u64, keeps: Keeps<'_>) -> String {
    let places = match keeps {
        Keeps::Alone => String::new(),
        Keeps::Shared { endpoint, bodies } => format!(
            "[store]\nkind = \"dynamodb\"\nendpoint = \"http://{endpoint}\"\n\n[bodies]\nkind = \"dir\"\ndir = {bodies:?}\n\n"
        ),
    };
    format!(
        "listen = \"{address}\"
origin = \"http://127.0.0.1:{origin}\"
data = {:?}

[admin]
listen = \"off\"

{places}[[route]]
path = \"/pages/{{bytes}}\"
kind = \"page\"
revalidate = \"{fresh_s}s\"

[[route]]
path = \"{}\"
kind = \"page\"
revalidate = \"{fresh_s}s\"
rate_limits = [{{ name = \"all\", limit = \"{}/day fixed\", by = \"site\" }}]

[limits]
connections_per_address_max = 4000
",
        home.join("data"),
        quota::page().path,
        quota::LIMIT
    )
}
