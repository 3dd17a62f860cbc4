//! A server as a process of its own: started, waited for until it answers, and ended with the value together with what it
//! started itself, also on failure.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::process::Process;
use crate::response;

/// Java on a busy machine needs its time.
const START_PATIENCE: Duration = Duration::from_secs(120);
const START_POLL: Duration = Duration::from_micros(500);
/// Below the ports that Linux gives to clients: a client that asks for a port nobody listens on could otherwise be given
/// that same port, and would be connected to itself.
const PORTS: std::ops::Range<u16> = 18_000..32_000;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    /// From the start of the process to its first answer.
    start_time: Duration,
}

impl Server {
    /// Starts the command that `command` makes for an address, and sends it a first request. What it prints goes to a file
    /// in `home`.
    pub(crate) fn start(
        home: &Path,
        first: &str,
        command: impl FnOnce(SocketAddr) -> Result<Command>,
    ) -> Result<Self> {
        let address = free_address()?;
        let mut command = command(address)?;
        let log_path = home.join("server.log");
        let log = File::create(&log_path).with_context(|| format!("cannot make {}", log_path.display()))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let start = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Self { child, address, start_time: Duration::ZERO };
        server.wait(start, first, &log_path).with_context(|| format!("{command:?}"))?;
        server.start_time = start.elapsed();
        Ok(server)
    }

    fn wait(&mut self, start: Instant, first: &str, log_path: &Path) -> Result<()> {
        while start.elapsed() < START_PATIENCE {
            if let Ok(stream) = TcpStream::connect(self.address) {
                return converse(stream, first).map(drop).with_context(|| said(log_path));
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended with {status}: {}", said(log_path));
            }
            std::thread::sleep(START_POLL);
        }
        bail!("no answer in {} seconds", START_PATIENCE.as_secs())
    }

    /// Sends one request, expects that it succeeds, and gives the body of the answer.
    pub(crate) fn call(&self, request: &str) -> Result<Vec<u8>> {
        converse(TcpStream::connect(self.address)?, request)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn start_time(&self) -> Duration {
        self.start_time
    }

    /// The process, to ask Linux about.
    pub(crate) fn process(&self) -> Process {
        Process(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Workers of a server that is killed would outlive it. It may have ended by itself; then there is nothing to do.
        let family = self.process().family().unwrap_or_default();
        let _ = self.child.kill();
        let _ = self.child.wait();
        family.into_iter().for_each(Process::kill);
    }
}

/// What a server printed.
fn said(log_path: &Path) -> String {
    std::fs::read_to_string(log_path).unwrap_or_default()
}

/// Sends one request, expects that it succeeds, and gives the body of the answer.
pub(crate) fn converse(mut stream: TcpStream, request: &str) -> Result<Vec<u8>> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(START_PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut input = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece)?;
        ensure!(read > 0, "the server closed a connection");
        input.extend_from_slice(&piece[..read]);
        if let Some(answer) = response::parse(&input)? {
            let body = answer.body.into_owned();
            ensure!(answer.status == 200, "status {}: {}", answer.status, String::from_utf8_lossy(&body));
            return Ok(body);
        }
    }
}

/// An address that nobody listens on. Two runs at the same time begin at different places.
fn free_address() -> Result<SocketAddr> {
    let count = u32::from(PORTS.end - PORTS.start);
    let begin = std::process::id().wrapping_mul(31) % count;
    for offset in 0..count {
        let port = PORTS.start + u16::try_from((begin + offset) % count)?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    bail!("no port from {} to {} is free", PORTS.start, PORTS.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_ends_at_once_is_quoted() {
        let home = tempfile::tempdir().expect("a folder");
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo there is no such command >&2; exit 2"]);
        let error = Server::start(home.path(), "", |_| Ok(shell)).expect_err("nobody listens");
        let text = format!("{error:#}");
        assert!(text.contains("there is no such command") && text.contains("exit status: 2"), "{text}");
    }

    #[test]
    fn what_a_server_started_ends_with_it() {
        let address = free_address().expect("one is free");
        let child = Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().expect("there is a shell");
        let server = Server { child, address, start_time: Duration::ZERO };
        let worker = loop {
            match server.process().family().expect("Linux tells")[..] {
                [_, worker] => break worker,
                _ => std::thread::yield_now(),
            }
        };
        drop(server);
        let has_ended = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", worker.0)).unwrap_or_default();
            status.is_empty() || status.contains("\nState:\tZ")
        };
        // A signal arrives soon, not at once.
        let tries = (0..1000).take_while(|_| {
            std::thread::sleep(Duration::from_millis(1));
            !has_ended()
        });
        assert!(tries.count() < 1000, "{worker:?} still runs");
    }

    #[test]
    fn a_free_address_lies_below_the_ports_of_clients() {
        let port = free_address().expect("one is free").port();
        assert!(PORTS.contains(&port), "{port}");
    }
}
