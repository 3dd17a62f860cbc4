//! What was found out about one thing, and what to do about it.

use serde_json::{Value, json};

use crate::output::paper;
use crate::output::shown::shown;
use crate::output::tone::Tone;

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Warn,
    Fail,
    /// It cannot be known from here.
    Unknown,
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) name: String,
    verdict: Verdict,
    text: String,
    advice: Option<String>,
}

impl Finding {
    /// It is well.
    pub(super) fn ok(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Ok, text: text.into(), advice: None }
    }

    /// It works, and could be better.
    pub(super) fn warn(name: impl Into<String>, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warn, advice: Some(advice.into()), ..Self::ok(name, text) }
    }

    /// It does not work.
    pub(super) fn fail(name: impl Into<String>, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Fail, advice: Some(advice.into()), ..Self::ok(name, text) }
    }

    /// It cannot be known from here.
    pub(super) fn unknown(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Unknown, ..Self::ok(name, text) }
    }

    /// Whether it does not work.
    pub(super) fn is_failure(&self) -> bool {
        self.verdict == Verdict::Fail
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        json!({ "check": self.name, "verdict": self.verdict.name(), "text": self.text, "advice": self.advice })
    }

    /// For people.
    pub(super) fn print(&self, width: usize) -> anyhow::Result<()> {
        let verdict = self.verdict.tone().paint(&format!("{:7}", self.verdict.name()));
        paper::line(format_args!("{verdict} {:width$}  {}", shown(&self.name), shown(&self.text)))?;
        match &self.advice {
            Some(advice) => paper::line(format_args!("{:7} {:width$}  → {}", "", "", shown(advice))),
            None => Ok(()),
        }
    }
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Ok => Tone::Good,
            Self::Warn => Tone::Doubtful,
            Self::Fail => Tone::Bad,
            Self::Unknown => Tone::Quiet,
        }
    }
}
