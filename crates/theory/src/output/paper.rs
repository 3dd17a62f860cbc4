//! What is written on: stdout for what was asked for, stderr for what else there is to say. A reader who has seen enough, such as
//! `head`, ends a command without a word.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Nobody reads the output any more. It is no failure of a command.
#[derive(Debug)]
pub(crate) struct Closed;

impl Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nobody reads the output any more")
    }
}

impl std::error::Error for Closed {}

/// Writes a line to stdout.
pub(crate) fn line(text: impl Display) -> anyhow::Result<()> {
    text_of(format!("{text}\n"))
}

/// Writes text to stdout as it is.
pub(crate) fn text_of(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write the output")),
    }
}

/// Says something beside the output. That nobody listens changes nothing.
pub(crate) fn aside(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
