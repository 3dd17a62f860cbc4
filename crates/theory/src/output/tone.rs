//! Colours, for terminals of people who want them: `NO_COLOR`, a `TERM` of `dumb` and output into a pipe switch them off.

use std::io::IsTerminal as _;
use std::sync::LazyLock;

/// What a piece of text says besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Good,
    Doubtful,
    Bad,
    Quiet,
    Title,
}

impl Tone {
    /// The text in this tone, if stdout shows colours.
    pub(crate) fn paint(self, text: &str) -> String {
        self.painted(text, *ON_STDOUT)
    }

    /// The text in this tone, if stderr shows colours.
    pub(crate) fn paint_aside(self, text: &str) -> String {
        self.painted(text, *ON_STDERR)
    }

    fn painted(self, text: &str, is_wanted: bool) -> String {
        let code = match self {
            Self::Plain => return text.to_owned(),
            Self::Good => 32,
            Self::Doubtful => 33,
            Self::Bad => 31,
            Self::Quiet => 2,
            Self::Title => 1,
        };
        if is_wanted && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

static ON_STDOUT: LazyLock<bool> = LazyLock::new(|| is_wanted(std::io::stdout().is_terminal(), variable));
static ON_STDERR: LazyLock<bool> = LazyLock::new(|| is_wanted(std::io::stderr().is_terminal(), variable));

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn is_wanted(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    is_terminal
        && variable("NO_COLOR").is_none_or(|value| value.is_empty())
        && variable("TERM").is_none_or(|value| value != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_of_people_who_want_them() {
        let with = |name: &'static str, value: &'static str| {
            move |asked: &str| (asked == name).then(|| value.to_owned())
        };
        assert!(is_wanted(true, |_| None));
        assert!(!is_wanted(false, |_| None));
        assert!(!is_wanted(true, with("NO_COLOR", "1")));
        assert!(is_wanted(true, with("NO_COLOR", "")));
        assert!(!is_wanted(true, with("TERM", "dumb")));
        assert!(is_wanted(true, with("TERM", "xterm")));
    }

    #[test]
    fn a_tone_is_a_colour_or_nothing() {
        assert_eq!(Tone::Good.painted("ok", true), "\x1b[32mok\x1b[0m");
        assert_eq!(Tone::Good.painted("ok", false), "ok");
        assert_eq!(Tone::Plain.painted("ok", true), "ok");
    }
}
