//! A DynamoDB on loopback: the embedded engine in memory behind its protocol.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tabletheory::Db;
use tabletheory_engine::Engine;
use tabletheory_wire::{Endpoint, server};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A DynamoDB on loopback, empty at first. It ends with its value.
#[derive(Debug)]
pub struct DynamoDb {
    address: SocketAddr,
    engine: Engine,
    serving: Mutex<Option<JoinHandle<()>>>,
}

impl DynamoDb {
    /// Starts one.
    ///
    /// # Errors
    /// If loopback cannot be listened on.
    pub async fn start() -> io::Result<Self> {
        let engine = Engine::memory();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let serving = Mutex::new(Some(serve(listener, &engine)));
        Ok(Self { address, engine, serving })
    }

    /// The same tables, past the network.
    #[must_use]
    pub fn db(&self) -> Db {
        Db::new(self.engine.clone())
    }

    /// What a function needs to reach it.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://{}", self.address);
        let variables = [
            ("AWS_ENDPOINT_URL_DYNAMODB", endpoint.as_str()),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
        ];
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    /// It is gone: nobody answers at its address.
    pub fn stop(&self) {
        if let Some(serving) = self.serving.lock().take() {
            serving.abort();
        }
    }

    /// It is back, with its tables.
    ///
    /// # Errors
    /// If somebody else has its address now.
    pub async fn resume(&self) -> io::Result<()> {
        self.stop();
        let listener = TcpListener::bind(self.address).await?;
        *self.serving.lock() = Some(serve(listener, &self.engine));
        Ok(())
    }
}

fn serve(listener: TcpListener, engine: &Engine) -> JoinHandle<()> {
    let endpoint = Endpoint::unsigned(Arc::new(engine.clone()));
    tokio::spawn(server::serve(listener, endpoint, server::Settings::default(), std::future::pending()))
}

impl Drop for DynamoDb {
    fn drop(&mut self) {
        self.stop();
    }
}
