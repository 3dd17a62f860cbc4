//! The load generator: one thread, one epoll, many keep-alive connections with one request under way on each. It prepares
//! and checks as little as it can, because on a small machine every cycle it takes is one the server does not get.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::dialog::Dialog;
use crate::response;

/// How many connections a server is measured with, each with one request under way.
pub(crate) const CONNECTIONS: u64 = 32;
/// How long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(60);
const BUFFER_BYTES: usize = 64 * 1024;

/// What the generator saw.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) latencies_ns: Vec<u64>,
    pub(crate) elapsed: Duration,
}

/// Lets every dialog speak over a connection of its own: until all is said, or until the time is over and the last
/// answer is there.
pub(crate) fn run<D: Dialog>(server: SocketAddr, dialogs: Vec<D>, time: Option<Duration>) -> Result<Seen> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(dialogs.len());
    let mut connections = Vec::with_capacity(dialogs.len());
    for (number, dialog) in dialogs.into_iter().enumerate() {
        let mut connection = Connection::open(server, dialog)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        poll.registry().register(&mut connection.stream, Token(number), interest)?;
        connections.push(connection);
    }
    let start = Instant::now();
    let end = time.map(|time| start + time);
    let mut latencies_ns = Vec::with_capacity(1 << 16);
    let mut speaking = 0;
    for connection in &mut connections {
        speaking += usize::from(connection.speak(start)?);
    }
    while speaking > 0 {
        poll.poll(&mut events, Some(PATIENCE))?;
        ensure!(!events.is_empty(), "the server says nothing for {} seconds", PATIENCE.as_secs());
        for event in &events {
            let connection = &mut connections[event.token().0];
            if event.is_writable() {
                connection.flush()?;
            }
            if !event.is_readable() || !connection.listen()? {
                continue;
            }
            let now = Instant::now();
            latencies_ns.push(u64::try_from((now - connection.asked_at).as_nanos()).unwrap_or(u64::MAX));
            let is_over = end.is_some_and(|end| now >= end);
            if is_over || !connection.speak(now)? {
                speaking -= 1;
            }
        }
    }
    Ok(Seen { latencies_ns, elapsed: start.elapsed() })
}

struct Connection<D> {
    stream: TcpStream,
    dialog: D,
    asked_at: Instant,
    /// The part of a request that the socket did not take at once; hardly ever there is one.
    unsent: Vec<u8>,
    input: Vec<u8>,
    filled: usize,
}

impl<D: Dialog> Connection<D> {
    fn open(server: SocketAddr, dialog: D) -> Result<Self> {
        let stream = std::net::TcpStream::connect(server).context("the server takes no connection")?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let stream = TcpStream::from_std(stream);
        let input = vec![0; BUFFER_BYTES];
        Ok(Self { stream, dialog, asked_at: Instant::now(), unsent: Vec::new(), input, filled: 0 })
    }

    /// Sends the next request; `false` if there is none.
    fn speak(&mut self, now: Instant) -> Result<bool> {
        let Some(request) = self.dialog.next() else { return Ok(false) };
        self.asked_at = now;
        let sent = send(&mut self.stream, request)?;
        self.unsent.extend_from_slice(&request[sent..]);
        Ok(true)
    }

    fn flush(&mut self) -> Result<()> {
        if !self.unsent.is_empty() {
            let sent = send(&mut self.stream, &self.unsent)?;
            self.unsent.drain(..sent);
        }
        Ok(())
    }

    /// Reads what there is; `true` if an answer is whole, and right.
    fn listen(&mut self) -> Result<bool> {
        loop {
            if self.filled == self.input.len() {
                self.input.resize(self.filled * 2, 0);
            }
            match self.stream.read(&mut self.input[self.filled..]) {
                Ok(0) => bail!("the server closed a connection"),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error).context("cannot read an answer"),
            }
            // With one request under way nothing can follow a whole answer, so the socket is empty then.
            if let Some(answer) = response::parse(&self.input[..self.filled])? {
                let body = &*answer.body;
                ensure!(answer.status == 200, "status {}: {}", answer.status, String::from_utf8_lossy(body));
                self.dialog.check(body)?;
                self.filled = 0;
                return Ok(true);
            }
        }
    }
}

/// Writes as much as the socket takes.
fn send(stream: &mut TcpStream, bytes: &[u8]) -> Result<usize> {
    let mut sent = 0;
    while sent < bytes.len() {
        match stream.write(&bytes[sent..]) {
            Ok(0) => bail!("the server closed a connection"),
            Ok(written) => sent += written,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context("cannot send a request"),
        }
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::dialog::{Filler, Speaker};
    use crate::http::request;
    use crate::record::Record;
    use crate::server::converse;
    use crate::workload::Workload;

    const ITEMS: u64 = 100;

    /// dynoxide's server in this process, with a table of a hundred items. It ends with the runtime.
    fn dynoxide() -> (tokio::runtime::Runtime, SocketAddr) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime starts");
        let listener =
            runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let database = ::dynoxide::Database::memory().expect("memory is there");
        runtime.spawn(::dynoxide::server::serve_on(listener, database));
        let stream = std::net::TcpStream::connect(address).expect("it listens");
        converse(stream, &request::create_table()).expect("a table is made");
        let fillers = Filler::share((0..ITEMS).map(Record::numbered), 3);
        assert_eq!(run(address, fillers, None).expect("it is filled").latencies_ns.len(), 4);
        (runtime, address)
    }

    fn speak(address: SocketAddr, workload: Workload) -> Result<Seen> {
        let prepared = workload.prepare(1, 4).into_iter();
        run(address, Filler::share(prepared, 4), None)?;
        let speakers = (0..4).map(|number| Speaker::new(workload, 1, number)).collect();
        run(address, speakers, Some(Duration::from_millis(50)))
    }

    #[test]
    fn every_workload_gets_right_answers_from_a_server() {
        let (_runtime, address) = dynoxide();
        for workload in [
            Workload::GetHot,
            Workload::Get { items: ITEMS },
            Workload::Put { items: ITEMS },
            Workload::Query { items: ITEMS },
            Workload::Replace,
            Workload::Count,
        ] {
            let seen = speak(address, workload).unwrap_or_else(|error| panic!("{workload:?}: {error:#}"));
            assert!(seen.latencies_ns.len() >= 4, "{workload:?}: every connection was answered");
        }
    }

    #[test]
    fn a_refusal_ends_the_run_with_the_servers_words() {
        let (_runtime, address) = dynoxide();
        // Nobody prepared the items that are to be deleted, so the condition fails.
        let speakers = vec![Speaker::new(Workload::Replace, 1, 0)];
        let error = run(address, speakers, Some(Duration::from_secs(1))).expect_err("it is refused");
        assert!(error.to_string().contains("TransactionCanceledException"), "{error:#}");
    }

    #[test]
    fn a_missing_item_ends_the_run() {
        let (_runtime, address) = dynoxide();
        let error = speak(address, Workload::Get { items: 1 << 30 }).expect_err("there are not so many");
        assert!(error.to_string().contains("in the answer {}"), "{error:#}");
    }
}
