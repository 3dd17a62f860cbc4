//! AWS's DynamoDB Local as a child process, and the contract put to it.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::Store;
use tabletheory_core::store::contract::{DYNAMODB_LOCAL_2020, World};

use super::{hold, say};
use crate::client::connect;

/// The environment variable with the folder of the jar; `cargo xtask test` sets it.
const FOLDER: &str = "THEORY_DYNAMODB_LOCAL";
const SKIP: &str = "THEORY_SKIP_DYNAMODB_LOCAL";

/// The folder of the jar, or `None` if the test is not wanted on this machine.
///
/// # Panics
/// If nobody said where the jar is, nor that it shall be skipped: a test that is silently absent proves nothing.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return Some(PathBuf::from(folder));
    }
    assert!(
        std::env::var_os(SKIP).is_some_and(|value| value == "1"),
        "{FOLDER} is not set: run `cargo xtask test`, which installs AWS's DynamoDB Local and sets it, or set {SKIP}=1 \
         to do without the contract against it"
    );
    None
}

/// The Java process. It is ended with this value, also when the test fails.
#[derive(Debug)]
struct Local {
    java: Child,
    port: u16,
}

impl Local {
    /// Starts the jar in `folder` on a free port and waits until it listens.
    async fn start(folder: &Path) -> Self {
        // The port is free now; nobody else is asked to take it in the moment until the jar does.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("there is a free port").port();
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
        local.wait().await;
        local
    }

    async fn wait(&mut self) {
        const PATIENCE: u32 = 1200;
        for _ in 0..PATIENCE {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return;
            }
            let ended = self.java.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "DynamoDB Local ended at once: {ended:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("DynamoDB Local does not answer on port {}", self.port);
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.java.kill();
        let _ = self.java.wait();
    }
}

#[tokio::test]
async fn the_contract_holds_for_dynamodb_local_through_the_sdk() {
    let Some(folder) = folder() else {
        say("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so the AWS store does not meet DynamoDB Local");
        return;
    };
    let local = Local::start(&folder).await;
    let store: Arc<dyn Store> = Arc::new(connect(&format!("http://127.0.0.1:{}", local.port)).await);
    // The cases come one after the other, as the jar needs it: table updates that meet fail inside it.
    hold(|| {
        World::new(Arc::clone(&store))
            .with_pause(|span| Box::pin(tokio::time::sleep(span / 25)))
            .with_quirks(DYNAMODB_LOCAL_2020)
            .without_messages()
    })
    .await;
}
