//! What is wrong with what was said: all of it at once, each with its place and what to do.

use std::fmt;

use super::source::Source;

/// More are counted and not told.
const TOLD_MAX: usize = 50;
/// As much of a value as is repeated.
const SHOWN_CHARS_MAX: usize = 60;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where it was said.
    pub source: Source,
    /// Which value, what is wrong with it, and what to do.
    pub text: String,
}

/// Why there are no settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    problems: Vec<Problem>,
}

impl ConfigError {
    /// With these problems, in the order of the file.
    pub(super) fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort();
        problems.dedup();
        Self { problems }
    }

    /// What is wrong.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Default => f.write_str(&self.text),
            Source::File { name, line, column } => write!(f, "{name}:{line}:{column}: {}", self.text),
            source => write!(f, "{source}: {}", self.text),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().take(TOLD_MAX).enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        match self.problems.len().saturating_sub(TOLD_MAX) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// As much of a text as an error repeats, without anything that moves a terminal's cursor.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(SHOWN_CHARS_MAX)
        .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
        .collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
