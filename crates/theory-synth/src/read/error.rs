//! Why a text is no template.

/// The largest template that CloudFormation takes, in bytes.
pub(crate) const BYTES_MAX: usize = 1_000_000;

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// CloudFormation would not take it either.
    #[error("the template has {bytes} bytes; CloudFormation takes {BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is neither JSON nor YAML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// There is nothing in it.
    #[error("the template is empty")]
    Empty,
}
