//! Next.js in production, serving pages of its own that it regenerates at most once an hour. The application is in the folder
//! `next` beside this crate's `src`; `cargo xtask bench` builds it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use super::page::Page;

const PROGRAM: &str = "node_modules/next/dist/bin/next";

/// The page of so many bytes. What Next.js writes around a text is more than one kilobyte by itself.
pub(crate) fn page(bytes: usize) -> Page {
    Page { bytes, path: format!("/{bytes}") }
}

/// The command.
pub(crate) fn command(folder: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new("node");
    command.current_dir(folder).envs([("NODE_ENV", "production"), ("NEXT_TELEMETRY_DISABLED", "1")]);
    command.args([PROGRAM, "start", "-H", &address.ip().to_string(), "-p", &address.port().to_string()]);
    command
}
