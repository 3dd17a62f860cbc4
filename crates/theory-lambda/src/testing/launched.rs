//! A process of the function, and what it has written.

use std::ffi::OsStr;
use std::io;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;
use tokio::task::JoinHandle;

use super::api::Api;

/// A process of the function. It ends with its value.
#[derive(Debug)]
pub struct Launched {
    process: Option<Pid>,
    printed: Arc<Mutex<Vec<String>>>,
    complained: Arc<Mutex<Vec<String>>>,
    watching: JoinHandle<()>,
}

impl Launched {
    pub(super) fn start<N, V>(
        program: &OsStr,
        api_address: SocketAddr,
        environment: impl IntoIterator<Item = (N, V)>,
        api: &Arc<Api>,
    ) -> io::Result<Self>
    where
        N: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        let mut child = Command::new(program)
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", api_address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "tested")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")
            .envs(environment)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let process = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (printed, complained) = (Arc::default(), Arc::default());
        let reading = [collect(child.stdout.take(), &printed), collect(child.stderr.take(), &complained)];
        api.begun(process);
        let api = Arc::clone(api);
        let watching = tokio::spawn(async move {
            let _ = child.wait().await;
            for reading in reading {
                let _ = reading.await;
            }
            api.end(process);
        });
        Ok(Self { process, printed, complained, watching })
    }

    /// The lines that it has printed so far: what was counted is among them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.printed.lock().clone()
    }

    /// The lines that it has complained with so far.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.complained.lock().clone()
    }

    /// Whether it is frozen: no instruction of it runs until there is an event. Always `false` where `/proc` does not tell.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        let Some(process) = self.process else { return false };
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
        // The state follows the name, which stands in parentheses and may hold any letter.
        stat.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')))
    }

    /// Kills it where it is, as Lambda does with one that takes too long, and waits for its end.
    pub async fn kill(mut self) {
        self.signal(Signal::KILL);
        let _ = (&mut self.watching).await;
    }

    /// Waits for its end, which it comes to by itself if it cannot be initialised.
    pub async fn ended(&mut self) {
        let _ = (&mut self.watching).await;
    }

    fn signal(&self, signal: Signal) {
        if let (Some(process), false) = (self.process, self.watching.is_finished()) {
            // It may have ended a moment ago.
            let _ = kill_process(process, signal);
        }
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn collect<R: AsyncRead + Unpin + Send + 'static>(
    pipe: Option<R>,
    lines: &Arc<Mutex<Vec<String>>>,
) -> JoinHandle<()> {
    let lines = Arc::clone(lines);
    tokio::spawn(async move {
        let Some(pipe) = pipe else { return };
        let mut reading = BufReader::new(pipe).lines();
        while let Ok(Some(line)) = reading.next_line().await {
            lines.lock().push(line);
        }
    })
}
