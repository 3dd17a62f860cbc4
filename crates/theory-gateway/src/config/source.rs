//! Where a value came from.

use std::fmt;
use std::sync::Arc;

/// Where a value came from, and so how strong it is: a flag is stronger than a variable, and that is stronger than the file.
///
/// ```
/// use theory_gateway::config::Source;
///
/// let written = Source::File { name: "theory.toml".into(), line: 12, column: 5 };
/// assert_eq!(written.to_string(), "theory.toml:12");
/// assert_eq!(Source::Flag("--origin").to_string(), "--origin");
/// assert!(Source::Default < written && written < Source::Variable("THEORY_LISTEN"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nobody said it.
    Default,
    /// The file.
    File {
        /// Its name, as it was given.
        name: Arc<str>,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
    /// An environment variable.
    Variable(&'static str),
    /// A flag of the command line.
    Flag(&'static str),
}

impl Source {
    /// How strong it is, whichever value it stands for.
    pub(super) fn strength(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File { .. } => 1,
            Self::Variable(_) => 2,
            Self::Flag(_) => 3,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { name, line, .. } => write!(f, "{name}:{line}"),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}
