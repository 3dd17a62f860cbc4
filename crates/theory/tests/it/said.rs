//! What a worker says, line by line: one write to the operating system for each, so nothing said is lost when it is killed.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// A file that a worker adds to.
#[derive(Debug, Clone)]
pub(crate) struct Said(Arc<File>);

impl Said {
    /// Adds to this file.
    pub(crate) fn to(path: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).expect("a file to write to");
        Self(Arc::new(file))
    }

    /// Says a line.
    pub(crate) fn line(&self, line: &str) {
        (&*self.0).write_all(format!("{line}\n").as_bytes()).expect("a line is written");
    }
}
