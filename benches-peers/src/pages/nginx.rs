//! nginx with a page cache: one worker, connections kept to both sides, no access log, one render at a time in one instance, and a
//! stale page while it lasts.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The program.
pub(crate) const PROGRAM: &str = "nginx";

/// How it sends bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    /// By its own defaults: it reads a body and writes it.
    Default,
    /// As one tunes it: the kernel sends the file, and files stay open.
    Sendfile,
}

/// The command that serves an origin's pages in an empty folder.
pub(crate) fn command(home: &Path, address: SocketAddr, origin: u16, sending: Sending) -> Result<Command> {
    let file = home.join("nginx.conf");
    std::fs::write(&file, config(home, address, origin, sending))
        .with_context(|| format!("cannot write {}", file.display()))?;
    let mut command = Command::new(PROGRAM);
    command.arg("-p").arg(home).arg("-c").arg(file).args(["-e", "stderr"]);
    Ok(command)
}

fn config(home: &Path, address: SocketAddr, origin: u16, sending: Sending) -> String {
    let home = home.display();
    let mut places = String::new();
    // By default these lie in folders of the system, which only root may use.
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let _ = writeln!(places, "  {kind}_temp_path {home}/temp-{kind};");
    }
    let sending = match sending {
        Sending::Default => "",
        Sending::Sendfile => "sendfile on; tcp_nopush on; open_file_cache max=1000 inactive=1h;",
    };
    // The worker of a root's nginx is somebody else, who could not enter the folder.
    format!(
        "user root;
daemon off;
pid {home}/nginx.pid;
error_log stderr error;
worker_processes 1;
events {{ worker_connections 4096; }}
http {{
{places}  access_log off;
  {sending}
  keepalive_requests 1000000000;
  proxy_cache_path {home}/cache levels=1:2 keys_zone=pages:200m inactive=1d use_temp_path=off;
  upstream origin {{ server 127.0.0.1:{origin}; keepalive 128; keepalive_requests 1000000; }}
  server {{
    listen {address};
    location / {{
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection \"\";
      proxy_cache pages;
      proxy_cache_lock on;
      proxy_cache_use_stale error timeout updating http_500 http_502 http_503 http_504;
      proxy_cache_background_update on;
    }}
  }}
}}
"
    )
}
