//! Why an export cannot be read or written.

/// Why an export cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no export at this place.
    #[error("there is no export in {place}: it has no AWSDynamoDB/…/manifest-summary.json")]
    None {
        /// The place.
        place: String,
    },
    /// A manifest is not as DynamoDB writes it.
    #[error("{file} is no manifest of an export: {why}")]
    Manifest {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The export is of a kind that is not read.
    #[error("{file} is of an export that cannot be read: {why}")]
    Unsupported {
        /// The manifest.
        file: String,
        /// What kind it is.
        why: String,
    },
    /// A data file is not what its manifest says, or is damaged.
    #[error("{file}{}: {why}", at(*line))]
    Data {
        /// The file.
        file: String,
        /// The line, if it is known.
        line: Option<u64>,
        /// What is wrong with it.
        why: String,
    },
    /// The place cannot be read or written.
    #[error("{file} cannot be {doing}: {source}")]
    Object {
        /// The file.
        file: String,
        /// What was done with it.
        doing: &'static str,
        /// Why not.
        source: Box<object_store::Error>,
    },
}

fn at(line: Option<u64>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

impl ExportError {
    pub(super) fn data(file: &str, line: Option<u64>, why: impl Into<String>) -> Self {
        Self::Data { file: file.to_owned(), line, why: why.into() }
    }

    pub(super) fn object(file: &str, doing: &'static str) -> impl FnOnce(object_store::Error) -> Self {
        move |source| Self::Object { file: file.to_owned(), doing, source: Box::new(source) }
    }
}
