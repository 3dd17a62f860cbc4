//! `theory completions`: the script that lets a shell finish what is typed.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::paper;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory completions bash > /etc/bash_completion.d/theory
  theory completions zsh > \"${fpath[1]}/_theory\"
  theory completions fish > ~/.config/fish/completions/theory.fish";

/// Prints a completion script.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, mut command: Command) -> anyhow::Result<()> {
        // The generator panics when it cannot write, and a vector takes everything.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "theory", &mut script);
        paper::text_of(script)
    }
}
