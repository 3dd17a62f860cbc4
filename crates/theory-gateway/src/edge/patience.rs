//! A connection that gives up on a client which does not take its answer: hyper waits for such a client for ever.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes must make progress within a span.
#[derive(Debug)]
pub(crate) struct Patience<S> {
    stream: S,
    span: Duration,
    /// The end of patience, while a write waits.
    end: Option<Pin<Box<Sleep>>>,
}

impl<S> Patience<S> {
    pub(crate) fn new(stream: S, span: Duration) -> Self {
        Self { stream, span, end: None }
    }

    /// Passes on a write's outcome, or an error once it has waited too long.
    fn judge<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.end = None;
            return outcome;
        }
        let span = self.span;
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(span)));
        ready!(end.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not take its answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patience<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patience<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let patience = self.get_mut();
        let outcome = Pin::new(&mut patience.stream).poll_write(context, bytes);
        patience.judge(context, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let patience = self.get_mut();
        let outcome = Pin::new(&mut patience.stream).poll_write_vectored(context, slices);
        patience.judge(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let patience = self.get_mut();
        let outcome = Pin::new(&mut patience.stream).poll_flush(context);
        patience.judge(context, outcome)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let patience = self.get_mut();
        let outcome = Pin::new(&mut patience.stream).poll_shutdown(context);
        patience.judge(context, outcome)
    }
}
