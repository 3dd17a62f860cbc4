//! An answer that comes line by line, each of them JSON.

use std::collections::VecDeque;

use anyhow::bail;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::Value;

use super::place::Place;
use super::refusal;

/// The longest line that is read.
const LINE_BYTES_MAX: usize = 1 << 20;

/// The lines of an answer.
#[derive(Debug)]
pub(crate) struct Lines {
    place: Place,
    what: String,
    body: Incoming,
    /// What has come of the line that is not whole yet.
    part: Vec<u8>,
    whole: VecDeque<Value>,
    is_over: bool,
}

impl Lines {
    pub(super) fn new(place: Place, what: String, body: Incoming) -> Self {
        Self { place, what, body, part: Vec::new(), whole: VecDeque::new(), is_over: false }
    }

    /// The next line, or nothing after the last one.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<Value>> {
        while self.whole.is_empty() && !self.is_over {
            let frame = match tokio::time::timeout(self.place.patience(), self.body.frame()).await {
                Err(_) => return Err(refusal::slow(&self.place, self.place.patience())),
                Ok(frame) => frame,
            };
            match frame {
                None => {
                    self.is_over = true;
                    self.take(b"\n")?;
                }
                Some(Ok(frame)) => self.take(frame.data_ref().map_or(&[], |data| data))?,
                Some(Err(error)) => {
                    bail!("the answer of {} to {} broke off: {error}", self.place.admin, self.what)
                }
            }
        }
        Ok(self.whole.pop_front())
    }

    fn take(&mut self, data: &[u8]) -> anyhow::Result<()> {
        for piece in data.split_inclusive(|byte| *byte == b'\n') {
            self.part.extend_from_slice(piece);
            if self.part.len() > LINE_BYTES_MAX {
                return Err(refusal::strange(&self.place, &self.what, "a line without an end", &self.part));
            }
            if !piece.ends_with(b"\n") {
                continue;
            }
            let line = std::mem::take(&mut self.part);
            if line.trim_ascii().is_empty() {
                continue;
            }
            let value = serde_json::from_slice(&line)
                .map_err(|_| refusal::strange(&self.place, &self.what, "a line that is no JSON", &line))?;
            self.whole.push_back(value);
        }
        Ok(())
    }
}
