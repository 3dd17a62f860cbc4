//! A template from text, of whatever origin: JSON, or YAML with the short forms of CloudFormation's functions. It is bounded in size and
//! depth, and nothing in it can grow.

mod error;
mod json;
mod yaml;

pub(crate) use error::BYTES_MAX;
pub use error::ReadError;

use crate::node::Node;

/// Levels of a template, at most.
const LEVELS_MAX: usize = 64;

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
