//! The lines of a compressed file, as they come out of it. However much a file claims to hold, only one line of it is in memory, and no
//! line is longer than an item can be.

use std::collections::VecDeque;
use std::io::Write as _;

use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use md5::{Digest as _, Md5};
use tabletheory_core::Item;

use super::error::ExportError;
use super::line;

/// An item has 400 KB. Its JSON has at most six bytes for each of them, for text of control characters, and some more for its form.
const LINE_BYTES_MAX: usize = 4 << 20;

/// A data file that is being read.
pub(super) struct Lines {
    name: String,
    bytes: BoxStream<'static, object_store::Result<Bytes>>,
    /// What has come and is not unpacked.
    packed: Bytes,
    decoder: MultiGzDecoder<Vec<u8>>,
    /// Lines that are whole.
    lines: VecDeque<Vec<u8>>,
    /// The beginning of a line that is not.
    part: Vec<u8>,
    /// How many lines were given.
    number: u64,
    md5: Md5,
    has_begun: bool,
    is_over: bool,
}

impl Lines {
    pub(super) fn new(name: String, bytes: BoxStream<'static, object_store::Result<Bytes>>) -> Self {
        Self {
            name,
            bytes,
            packed: Bytes::new(),
            decoder: MultiGzDecoder::new(Vec::new()),
            lines: VecDeque::new(),
            part: Vec::new(),
            number: 0,
            md5: Md5::new(),
            has_begun: false,
            is_over: false,
        }
    }

    /// How many items were given.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The MD5 of the file, once its end was reached.
    pub(super) fn md5(&self) -> [u8; 16] {
        self.md5.clone().finalize().into()
    }

    /// The next item.
    pub(super) async fn item(&mut self) -> Result<Option<Item>, ExportError> {
        let Some(text) = self.line().await? else { return Ok(None) };
        let item = line::read(&text);
        item.map(Some).map_err(|why| ExportError::data(&self.name, Some(self.number), why))
    }

    /// Passes over so many items, which were read before.
    pub(super) async fn skip(&mut self, items: u64) -> Result<(), ExportError> {
        while self.number < items {
            if self.line().await?.is_none() {
                let why =
                    format!("it ends after {} lines, and was read up to line {items} before", self.number);
                return Err(ExportError::data(&self.name, None, why));
            }
        }
        Ok(())
    }

    async fn line(&mut self) -> Result<Option<Vec<u8>>, ExportError> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                self.number += 1;
                return Ok(Some(line));
            }
            if self.is_over {
                return Ok(None);
            }
            if self.packed.is_empty() {
                match self.bytes.next().await {
                    Some(bytes) => {
                        self.packed = bytes.map_err(ExportError::object(&self.name, "read"))?;
                        self.md5.update(&self.packed);
                        self.has_begun |= !self.packed.is_empty();
                    }
                    None => self.end()?,
                }
            } else {
                self.unpack()?;
            }
        }
    }

    /// Unpacks a little: what a decoder gives at once is bounded, whatever it is given.
    fn unpack(&mut self) -> Result<(), ExportError> {
        let taken = self.decoder.write(&self.packed).map_err(|error| self.damaged(&error))?;
        if taken == 0 {
            // It takes nothing more when the file goes on after its end.
            return Err(self.damaged(&std::io::Error::other("there is something after its end")));
        }
        self.packed = self.packed.slice(taken..);
        self.cut()
    }

    fn end(&mut self) -> Result<(), ExportError> {
        // The service writes an empty file for a partition without items; whether the manifest expects that is asked elsewhere.
        if !self.has_begun {
            self.is_over = true;
            return Ok(());
        }
        self.decoder.try_finish().map_err(|error| self.damaged(&error))?;
        self.cut()?;
        if !self.part.trim_ascii().is_empty() {
            self.lines.push_back(std::mem::take(&mut self.part));
        }
        self.is_over = true;
        Ok(())
    }

    /// Cuts what was unpacked into lines.
    fn cut(&mut self) -> Result<(), ExportError> {
        let text = std::mem::take(self.decoder.get_mut());
        let mut rest = &text[..];
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.part.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            let line = std::mem::take(&mut self.part);
            if !line.trim_ascii().is_empty() {
                self.lines.push_back(line);
            }
        }
        self.part.extend_from_slice(rest);
        if self.part.len() > LINE_BYTES_MAX {
            let line = self.number + u64::try_from(self.lines.len()).unwrap_or(u64::MAX) + 1;
            return Err(ExportError::data(
                &self.name,
                Some(line),
                "it is longer than any item; is it an export?",
            ));
        }
        Ok(())
    }

    fn damaged(&self, error: &std::io::Error) -> ExportError {
        let line = self.number + u64::try_from(self.lines.len()).unwrap_or(u64::MAX);
        let why =
            format!("it cannot be unpacked after line {line}, because it is damaged or cut off: {error}");
        ExportError::data(&self.name, None, why)
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines")
            .field("name", &self.name)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
