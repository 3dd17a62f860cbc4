//! The Lambda of a test: a socket that speaks the runtime API, the events that wait there, and the process that takes them.

use std::ffi::OsStr;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::api::{self, Api, Waiting};
use super::launched::Launched;
use super::outcome::Outcome;

/// A little later than its end an invocation has no answer, unless something else is said: one that came at the last moment counts.
const GRACE: Duration = Duration::from_millis(200);

/// How long the process may take until it takes its first event. Lambda gives ten seconds.
const INIT_MAX: Duration = Duration::from_secs(30);

/// The Lambda of a test, with one function. Its process is frozen whenever it waits for an event.
#[derive(Debug)]
pub struct Runtime {
    address: SocketAddr,
    api: Arc<Api>,
    serving: JoinHandle<()>,
    grace: Duration,
}

impl Runtime {
    /// Starts one on loopback.
    ///
    /// # Errors
    /// If loopback cannot be listened on.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let api = Arc::new(Api::default());
        let serving = tokio::spawn(api::serve(listener, Arc::clone(&api)));
        Ok(Self { address, api, serving, grace: GRACE })
    }

    /// With another time than a fifth of a second after the end of an invocation in which its answer still counts, for machines that are
    /// so busy that an answer takes longer on its way.
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Starts a process of the function, with nothing in its environment but what Lambda sets and these. Another one takes the
    /// place of the first.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn launch<N, V>(
        &self,
        program: impl AsRef<OsStr>,
        environment: impl IntoIterator<Item = (N, V)>,
    ) -> io::Result<Launched>
    where
        N: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        Launched::start(program.as_ref(), self.address, environment, &self.api)
    }

    /// Invokes the function, which has so much time, and says what came of it. Events wait for a process that is not there yet.
    pub async fn invoke(&self, event: impl Into<Value>, time: Duration) -> Outcome {
        self.invoke_text(event.into().to_string(), time).await
    }

    /// The same with an event that need not be JSON.
    pub async fn invoke_text(&self, event: impl Into<String>, time: Duration) -> Outcome {
        let (answer, answered) = oneshot::channel();
        let (taken, taking) = oneshot::channel();
        self.api.offer(Waiting { event: event.into(), time, answer, taken });
        let took = tokio::select! {
            took = timeout(INIT_MAX, taking) => took.is_ok_and(|took| took.is_ok()),
            message = self.api.not_initialised() => return Outcome::NotInitialised { message },
        };
        if !took {
            return Outcome::Ended;
        }
        tokio::select! {
            outcome = timeout(time + self.grace, answered) => match outcome {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => Outcome::Ended,
                Err(_) => Outcome::TimedOut,
            },
            () = self.api.ended() => Outcome::Ended,
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
