//! What a rule found, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// One remark about one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    path: PathBuf,
    /// From 1; 0 when it is about the whole file.
    line: usize,
    text: String,
}

impl Finding {
    /// About a line.
    pub(super) fn at(path: &Path, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }

    /// About a whole file.
    pub(super) fn of(path: &Path, text: impl Into<String>) -> Self {
        Self::at(path, 0, text)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path.display(), self.text),
            line => write!(f, "{}:{line}: {}", self.path.display(), self.text),
        }
    }
}
