//! A template from text, of whatever origin: JSON, or YAML with the short forms of CloudFormation's functions. It is bounded in size and
//! depth, and nothing in it can grow.

mod json;
mod yaml;

use crate::node::Node;

/// The largest template that CloudFormation takes, in bytes.
pub(crate) const BYTES_MAX: usize = 1_000_000;
/// Levels of a template, at most.
const LEVELS_MAX: usize = 64;

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

/// Reads a template.
///
/// ```
/// use theory_synth::read;
///
/// let yaml = read("A: !GetAtt Table.Arn")?;
/// assert_eq!(yaml, read(r#"{"A": {"Fn::GetAtt": ["Table", "Arn"]}}"#)?);
/// assert!(read("A: [1, 2").is_err());
/// # Ok::<(), theory_synth::ReadError>(())
/// ```
///
/// # Errors
/// If it is none.
pub fn read(text: &str) -> Result<Node, ReadError> {
    if text.len() > BYTES_MAX {
        return Err(ReadError::TooLarge { bytes: text.len() });
    }
    if text.trim_start().starts_with('{') {
        json::read(text, LEVELS_MAX)
    } else {
        yaml::read(text, LEVELS_MAX)
    }
}
