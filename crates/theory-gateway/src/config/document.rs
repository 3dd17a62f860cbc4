//! The file as text: found, bounded, and with lines that positions can be told by.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::problem::{ConfigError, Problem};
use super::source::Source;

/// Nobody writes a longer file by hand.
const BYTES_MAX: u64 = 1024 * 1024;

/// The file.
#[derive(Debug, Clone)]
pub struct Document {
    name: Arc<str>,
    folder: PathBuf,
    text: String,
    line_starts: Vec<usize>,
}

impl Document {
    /// A text, the name it is known by, and the folder that relative paths in it begin at.
    #[must_use]
    pub fn new(name: &str, folder: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        Self { name: name.into(), folder: folder.into(), text, line_starts }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// If it is not there, is no text, or is longer than 1 MB.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let refuse = |text: String| ConfigError::new(vec![Problem { source: Source::Default, text }]);
        let cannot = |error: std::io::Error| refuse(format!("cannot read {name}: {error}"));
        let file = std::fs::File::open(path).map_err(cannot)?;
        let mut bytes = Vec::new();
        // The bound is on what is read, so that a pipe or a device that never ends is refused as well.
        file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(refuse(format!("{name} is longer than 1 MB; is it the file you mean?")));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            refuse(format!("{name}:{}: this is no UTF-8 text; save the file as UTF-8", line + 1))
        })?;
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(Self::new(&name, path.parent().unwrap_or(Path::new("")), text))
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A path that stands in the file.
    pub(super) fn path(&self, written: &str) -> PathBuf {
        self.folder.join(written)
    }

    /// The place of a byte of the text.
    pub(super) fn source(&self, at: usize) -> Source {
        let at = at.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= at).max(1);
        let before = self.text.as_bytes().get(self.line_starts[line - 1]..at).unwrap_or_default();
        // Bytes that continue a character are no columns.
        let column = before.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
        Source::File { name: Arc::clone(&self.name), line, column: column + 1 }
    }
}
