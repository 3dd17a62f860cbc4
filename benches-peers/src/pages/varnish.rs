//! Varnish with bodies in memory and its built-in rules, to which an origin and a longer memory are added.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The program.
pub(crate) const PROGRAM: &str = "varnishd";

/// The command that serves an origin's pages in an empty folder.
pub(crate) fn command(home: &Path, address: SocketAddr, origin: u16) -> Result<Command> {
    let rules = home.join("rules.vcl");
    let text = format!(
        "vcl 4.1;
backend default {{ .host = \"127.0.0.1\"; .port = \"{origin}\"; }}
sub vcl_backend_response {{ set beresp.keep = 1h; }}
"
    );
    std::fs::write(&rules, text).with_context(|| format!("cannot write {}", rules.display()))?;
    let mut command = Command::new(PROGRAM);
    // Without a jail: the user it would become cannot enter the folder.
    command.args(["-F", "-j", "none", "-s", "malloc,256m", "-a", &address.to_string()]);
    command.arg("-n").arg(home.join("work")).arg("-f").arg(rules);
    Ok(command)
}
