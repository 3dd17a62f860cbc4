//! A program that listens and says where: `theory dynamodb`, or dynamodb-admin in front of it. It ends with its value,
//! also when a test fails.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a program may take to start, or to end when it is asked to, before a test calls it hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// The running program.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    /// The address it printed, such as `http://127.0.0.1:41234`.
    pub(crate) address: String,
}

impl Server {
    /// Our endpoint on a free port.
    pub(crate) fn dynamodb(arguments: &[&str]) -> Self {
        Self::start(&mut Self::command("127.0.0.1:0", arguments), "DynamoDB endpoint ")
    }

    /// The command that serves on this address.
    pub(crate) fn command(address: &str, arguments: &[&str]) -> Command {
        let mut theory = Command::new(env!("CARGO_BIN_EXE_theory"));
        theory.args(["dynamodb", "--addr", address]).args(arguments);
        theory
    }

    /// Starts the program and waits until it names its address behind `words`.
    pub(crate) fn start(command: &mut Command, words: &'static str) -> Self {
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut process = spawned.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let addresses = listen(process.stdout.take().expect("its output is piped"), words);
        let address = addresses.recv_timeout(PATIENCE).unwrap_or_default();
        let server = Self { process, address };
        assert!(!server.address.is_empty(), "{command:?} names no address");
        server
    }

    /// Its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Asks the program to end, as an operator or a container does, and waits until it has.
    pub(crate) fn stop(self) -> ExitStatus {
        self.signal("TERM");
        self.ended()
    }

    /// Sends the program a signal, such as `HUP`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.process.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "the program is running and hears SIG{name}");
    }

    /// Waits until the program has ended, as it was asked to.
    pub(crate) fn ended(mut self) -> ExitStatus {
        self::wait(&mut self.process, PATIENCE).expect("the program ends when it is asked to")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits for a program's end, but not for ever.
pub(crate) fn wait(process: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let step = Duration::from_millis(20);
    for _ in 0..patience.as_millis() / step.as_millis() {
        if let Some(status) = process.try_wait().expect("a child can be asked") {
            return Some(status);
        }
        #[expect(clippy::disallowed_methods, reason = "another process needs real time to end")]
        std::thread::sleep(step);
    }
    None
}

/// The addresses behind `words` in the output. All of it is read to its end, so that the program never waits for a reader.
fn listen(output: ChildStdout, words: &'static str) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once(words) {
                // Nobody asks for the second one.
                let _ = sender.send(address.trim().to_owned());
            }
        }
    });
    receiver
}
