//! AWS's DynamoDB Local as a child process, for tests that meet it: where its jar is, on which port it listens, and its end.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const FOLDER: &str = "THEORY_DYNAMODB_LOCAL";
const SKIP: &str = "THEORY_SKIP_DYNAMODB_LOCAL";
/// Below the ports that Linux gives to clients: a client that asks for a port nobody listens on yet could otherwise be
/// given that same port, and would be connected to itself.
const PORTS: std::ops::Range<u16> = 18_000..32_000;
/// Java on a busy machine needs its time.
const PATIENCE: Duration = Duration::from_secs(120);
const STEP: Duration = Duration::from_millis(100);

/// A running DynamoDB Local, empty and in memory. It ends with this value, also when a test fails.
#[derive(Debug)]
pub struct DynamoDbLocal {
    java: Child,
    port: u16,
}

impl DynamoDbLocal {
    /// The folder of the jar, which `cargo xtask test` puts into `THEORY_DYNAMODB_LOCAL`, or `None` if the environment asks
    /// with `THEORY_SKIP_DYNAMODB_LOCAL=1` to do without `what`.
    ///
    /// # Panics
    /// If nobody said where the jar is, nor that it shall be skipped: a test that is silently absent proves nothing.
    #[must_use]
    pub fn folder(what: &str) -> Option<PathBuf> {
        if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
            return None;
        }
        let folder = std::env::var_os(FOLDER).unwrap_or_else(|| {
            panic!(
                "{FOLDER} is not set: run `cargo xtask test`, which installs AWS's DynamoDB Local and sets it, or set \
                 {SKIP}=1 to do without {what}"
            )
        });
        Some(PathBuf::from(folder))
    }

    /// Starts the jar in `folder` on a free port and waits until it listens.
    ///
    /// # Panics
    /// If it does not.
    #[must_use]
    pub fn start(folder: &Path) -> Self {
        let port = free_port();
        let java = Command::new("java")
            .current_dir(folder)
            .arg(format!("-Djava.library.path={}", folder.join("DynamoDBLocal_lib").display()))
            .args(["-Xmx512m", "-jar", "DynamoDBLocal.jar", "-inMemory", "-port", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let java =
            java.unwrap_or_else(|error| panic!("java does not start in {}: {error}", folder.display()));
        let mut local = Self { java, port };
        local.wait();
        local
    }

    /// Where it listens, on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    fn wait(&mut self) {
        for _ in 0..PATIENCE.as_millis() / STEP.as_millis() {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return;
            }
            let ended = self.java.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "DynamoDB Local ended at once: {ended:?}");
            #[expect(clippy::disallowed_methods, reason = "a Java process needs real time to start")]
            std::thread::sleep(STEP);
        }
        panic!("DynamoDB Local does not answer on port {}", self.port);
    }
}

impl Drop for DynamoDbLocal {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.java.kill();
        let _ = self.java.wait();
    }
}

/// A port that nobody listens on. Two processes that look at the same time begin at different places.
fn free_port() -> u16 {
    let count = PORTS.end - PORTS.start;
    let begin = std::process::id().wrapping_mul(31) % u32::from(count);
    let begin = PORTS.start + u16::try_from(begin).expect("a remainder is smaller than its divisor");
    let mut ports = (begin..PORTS.end).chain(PORTS.start..begin);
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a port is free")
}

#[cfg(test)]
mod tests {
    use super::{PORTS, free_port};

    #[test]
    fn a_free_port_lies_below_the_ports_of_clients() {
        assert!(PORTS.contains(&free_port()));
    }
}
