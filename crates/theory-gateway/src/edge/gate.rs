//! A gate under hyper for HTTP/1: it follows the framing of requests itself and lets nothing pass that two servers could frame
//! differently. Bytes that are fine pass without a copy.
//!
//! Where a head is not fine, hyper is shown a head instead that it refuses: so earlier answers go out in their order, then 400,
//! then the connection ends. A body that is not fine breaks off. After a request for another protocol nothing passes until the
//! application has answered; then everything does, or the gate goes on as before.

mod framing;
mod head;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::line::{Line, Listening, Order, Switch};
use framing::{Framing, Stop};

/// No head, whatever part of one it follows: NUL may stand nowhere in one, and hyper looks at a head once it sees an end.
const REFUSED_HEAD: &[u8] = b"\0\r\n\r\n";
/// How much of what a client still sends is read after the last answer, so that the answer is not lost to a reset.
const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// A stream of which hyper reads only what is framed beyond doubt.
#[derive(Debug)]
pub(super) struct Gate<S> {
    stream: S,
    line: Arc<Line>,
    framing: Framing,
    mode: Mode,
    listening: Listening,
}

#[derive(Debug)]
enum Mode {
    /// Requests pass.
    Judging,
    /// These bytes came after a request for another protocol, and wait for the answer to it.
    Waiting(Vec<u8>),
    /// The connection is the other protocol's. These bytes come first.
    Open(Vec<u8>),
    /// A head was not fine: this is still to be shown.
    Refusing(&'static [u8]),
    /// A body was not fine.
    Broken,
    /// The answers are out; what the client still sends is thrown away.
    Lingering(usize),
}

impl<S> Gate<S> {
    pub(super) fn new(stream: S, line: Arc<Line>, head_bytes_max: usize) -> Self {
        let framing = Framing::new(head_bytes_max);
        Self { stream, line, framing, mode: Mode::Judging, listening: Listening::default() }
    }

    /// Judges what was read behind `before`, and takes back what does not pass.
    fn judge(&mut self, buffer: &mut ReadBuf<'_>, before: usize) {
        let Some((passed, stop)) = self.framing.judge(&buffer.filled()[before..]) else {
            return;
        };
        let passed = before + passed;
        self.mode = match stop {
            Stop::Head => Mode::Refusing(REFUSED_HEAD),
            Stop::Body => Mode::Broken,
            Stop::Switch => {
                self.line.set_switch(Switch::Open);
                Mode::Waiting(buffer.filled()[passed..].to_vec())
            }
        };
        buffer.set_filled(passed);
    }
}

impl<S: AsyncRead + Unpin> Gate<S> {
    fn poll_judged(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.judge(buffer, before);
        Poll::Ready(Ok(()))
    }

    /// The application's answer to a request for another protocol decides what happens to the bytes behind it.
    fn poll_decision(&mut self) -> Poll<()> {
        let Mode::Waiting(held) = &mut self.mode else {
            return Poll::Ready(());
        };
        match self.line.switch() {
            // Whoever decides wakes the task.
            Switch::Open => return Poll::Pending,
            Switch::Refused if held.is_empty() => self.mode = Mode::Judging,
            Switch::Refused => {}
            Switch::Done => self.mode = Mode::Open(std::mem::take(held)),
        }
        Poll::Ready(())
    }
}

/// Moves as much as fits.
fn pour(held: &mut Vec<u8>, buffer: &mut ReadBuf<'_>) {
    let count = held.len().min(buffer.remaining());
    buffer.put_slice(&held[..count]);
    held.drain(..count);
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let gate = self.get_mut();
        let before = buffer.filled().len();
        // One pass, or a second where a stop lets nothing pass of what was read: no bytes would mean the end of the stream.
        while buffer.filled().len() == before {
            ready!(gate.poll_decision());
            match &mut gate.mode {
                Mode::Judging => {
                    ready!(gate.poll_judged(context, buffer))?;
                    if matches!(gate.mode, Mode::Judging) {
                        break;
                    }
                }
                Mode::Waiting(held) => {
                    let mut held = std::mem::take(held);
                    pour(&mut held, buffer);
                    gate.mode = Mode::Judging;
                    gate.judge(buffer, before);
                    match &mut gate.mode {
                        Mode::Waiting(rest) => rest.append(&mut held),
                        Mode::Judging if !held.is_empty() => gate.mode = Mode::Waiting(held),
                        _ => {}
                    }
                }
                Mode::Open(held) if held.is_empty() => {
                    // Its task is another one now, and is to hear of the end as well.
                    gate.listening.listen(&gate.line, context);
                    if gate.line.order() == Order::Close {
                        return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
                    }
                    return Pin::new(&mut gate.stream).poll_read(context, buffer);
                }
                Mode::Open(held) => pour(held, buffer),
                Mode::Refusing([]) => break,
                Mode::Refusing(rest) => {
                    let (now, later) = rest.split_at(rest.len().min(buffer.remaining()));
                    buffer.put_slice(now);
                    *rest = later;
                    break;
                }
                Mode::Broken | Mode::Lingering(_) => {
                    let error =
                        io::Error::new(io::ErrorKind::InvalidData, "the body is not framed as announced");
                    return Poll::Ready(Err(error));
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let gate = self.get_mut();
        let is_over = match gate.mode {
            Mode::Judging => gate.framing.is_between(),
            Mode::Waiting(ref held) => held.is_empty(),
            Mode::Open(_) => true,
            Mode::Refusing(_) | Mode::Broken | Mode::Lingering(_) => false,
        };
        if !matches!(gate.mode, Mode::Lingering(_)) {
            ready!(Pin::new(&mut gate.stream).poll_shutdown(context))?;
            if is_over {
                return Poll::Ready(Ok(()));
            }
            gate.mode = Mode::Lingering(0);
        }
        let mut thrown_away = [0; 4096];
        while let Mode::Lingering(bytes) = &mut gate.mode {
            let mut buffer = ReadBuf::new(&mut thrown_away);
            ready!(Pin::new(&mut gate.stream).poll_read(context, &mut buffer))?;
            *bytes += buffer.filled().len();
            if buffer.filled().is_empty() || *bytes > LINGER_BYTES_MAX {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
