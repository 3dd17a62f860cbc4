//! `theory man`: the manual, as one page or as a page for each command.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command};
use clap_mangen::Man as Page;

use crate::output::{amount, paper};

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory man | man -l -                       reads it now
  theory man > /usr/share/man/man1/theory.1
  theory man --out /usr/share/man/man1        a page for each command: theory-pages-ls.1";

/// Prints the manual.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// A folder for a page of each command.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, command: Command) -> anyhow::Result<()> {
        match self.out {
            Some(folder) => write_all(command, &folder),
            None => paper::text_of(whole(command)?),
        }
    }
}

/// The page of the binary, and below it what every command says of itself.
fn whole(mut command: Command) -> anyhow::Result<Vec<u8>> {
    command.build();
    let mut text = Vec::new();
    Page::new(command.clone()).render(&mut text)?;
    let mut commands = Vec::new();
    walk(&command, "", &mut commands);
    for (name, command) in commands.into_iter().skip(1) {
        let page = Page::new(command);
        text.extend_from_slice(format!(".SH \"{}\"\n", name.to_ascii_uppercase()).as_bytes());
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        page.render_options_section(&mut text)?;
        page.render_extra_section(&mut text)?;
    }
    Ok(text)
}

fn write_all(mut command: Command, folder: &Path) -> anyhow::Result<()> {
    command.build();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut commands = Vec::new();
    walk(&command, "", &mut commands);
    let count = commands.len();
    for (name, command) in commands {
        let file = folder.join(format!("{}.1", name.replace(' ', "-")));
        let mut text = Vec::new();
        Page::new(command).render(&mut text)?;
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    paper::line(format_args!("{} in {}", amount::count(u64::try_from(count)?, "page"), folder.display()))
}

/// Every command below this one, with its whole name.
fn walk(command: &Command, above: &str, found: &mut Vec<(String, Command)>) {
    let name = format!("{above}{}", command.get_name());
    found.push((name.clone(), command.clone().display_name(name.clone())));
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        walk(below, &format!("{name} "), found);
    }
}
