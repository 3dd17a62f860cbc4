//! `cargo xtask figures`: what the typed toolkit costs. Instructions beside the same requests made by hand, and the crates
//! that a first program compiles. Fails if a figure is beyond its bound; `--write` puts the tables into the crate's page.

mod figure;
mod hello;
mod instructions;
mod page;

use anyhow::{Result, bail, ensure};

use crate::workspace::Workspace;
use figure::Figure;

/// All figures.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let writes = arguments.iter().any(|word| word == "--write");
    ensure!(
        arguments.len() == usize::from(writes),
        "`figures` takes no arguments but `--write`, which puts the tables into {}",
        page::PATH
    );
    let instructions = instructions::measure(workspace)?;
    let hello = hello::measure(workspace)?;

    let mut text = instructions::HEAD.to_owned();
    text.extend(instructions.iter().map(Figure::marked));
    text.push('\n');
    text.push_str(hello::HEAD);
    text.extend(hello.iter().map(Figure::marked));
    print!("{text}");
    if writes {
        page::write(workspace, &text)?;
    }
    let missed = instructions.iter().chain(&hello).filter(|figure| !figure.holds).count();
    if missed > 0 {
        bail!("{missed} of the figures are beyond their bounds");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_arguments_are_refused_before_anything_is_measured() {
        let workspace = Workspace::find().unwrap();
        for words in [&["--quick"][..], &["--write", "--quick"], &["--write", "--write"]] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let error = run(&workspace, &words).unwrap_err();
            assert!(error.to_string().contains("--write"), "{error}");
        }
    }
}
