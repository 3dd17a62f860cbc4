//! The lines of a file, with their numbers. A line that is longer than any item could be is refused before it fills the memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context, bail};

/// An item has 400 KB; its JSON has at most a few times that.
const LINE_BYTES_MAX: u64 = 8 << 20;
/// How a file begins that gzip has made.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The lines.
pub(crate) struct Source {
    reader: Box<dyn BufRead>,
    name: String,
    bytes: Option<u64>,
    position: u64,
    number: u64,
}

impl Source {
    /// Opens a file, or stdin.
    pub(super) fn open(file: &Path) -> anyhow::Result<Self> {
        let is_stdin = file == Path::new("-");
        let name = if is_stdin { "stdin".to_owned() } else { file.display().to_string() };
        let mut bytes = None;
        let mut reader: Box<dyn BufRead> = if is_stdin {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            let opened = File::open(file).with_context(|| format!("cannot read {name}"))?;
            bytes = opened.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
            Box::new(BufReader::with_capacity(1 << 16, opened))
        };
        let start = reader.fill_buf().with_context(|| format!("cannot read {name}"))?;
        if start.starts_with(&GZIP) {
            bail!("{name} is compressed; give its text: `gunzip -c {name} | theory tables import TABLE -`");
        }
        Ok(Self { reader, name, bytes, position: 0, number: 0 })
    }

    /// What it is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How long it is, if that can be known.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// How much of it has been read.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The next line that is not empty, and its number.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<(u64, Vec<u8>)>> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
            let bytes = u64::try_from(read.with_context(|| format!("cannot read {}", self.name))?)?;
            if bytes == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.position += bytes;
            if bytes == LINE_BYTES_MAX && !line.ends_with(b"\n") {
                bail!("line {} of {} is longer than any item; is it an export?", self.number, self.name);
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some((self.number, line)));
            }
        }
    }
}
