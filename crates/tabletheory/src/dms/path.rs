//! The way to a place in a document, such as `models[0].attributes[2].type`.

use std::fmt;

/// A step on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    At(usize),
}

/// The way from the top of a document to a place in it.
///
/// ```
/// use tabletheory::dms::Document;
///
/// let refused = Document::from_json(r#"{"dms_version": "0.2", "models": [{}]}"#).unwrap_err();
/// assert_eq!(refused.faults[0].path.to_string(), "models[0].name");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    steps: Vec<Step>,
}

impl Path {
    /// One step further, into a member.
    pub(super) fn member(&self, name: &str) -> Self {
        self.with(Step::Member(name.to_owned()))
    }

    /// One step further, into a list.
    pub(super) fn at(&self, index: usize) -> Self {
        self.with(Step::At(index))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("the document");
        }
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::Member(name) => write!(f, "{}{}", if at == 0 { "" } else { "." }, shown(name))?,
                Step::At(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A text from a document, safe to show: short, and on one line.
pub(super) fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 64;
    let mut shown: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
