//! The habits of this workspace as commands: `cargo xtask` lists them, and each lives in a file of its own name.
//! They need nothing but cargo; what the tests need besides, `test` installs.

mod artifact;
mod bench;
mod check;
mod deps;
mod dynamodb_local;
mod faketime;
mod figures;
mod front_page;
mod next;
mod node;
mod program;
mod prove;
mod python;
mod release;
mod stage;
mod test;
mod tidy;
mod tool;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// One habit.
struct Command {
    name: &'static str,
    promise: &'static str,
    run: fn(&Workspace, &[String]) -> Result<()>,
}

/// In the order in which one meets them.
const COMMANDS: &[Command] = &[
    Command { name: "test", promise: "install what the tests need, then run all of them", run: test::run },
    Command { name: "check", promise: "what CI runs: fmt, clippy -D warnings, tidy, test", run: check::run },
    Command {
        name: "tidy",
        promise: "test the form: headers, crate rows, module graphs, records",
        run: tidy::run,
    },
    Command {
        name: "prove",
        promise: "models, simulations, crashes, random operations and fuzzing, for longer (--minutes, --write, --help)",
        run: prove::run,
    },
    Command {
        name: "bench",
        promise: "ours beside its peers, in process, over HTTP, as a page cache (--quick, --json, --help)",
        run: bench::run,
    },
    Command {
        name: "figures",
        promise: "what the typed toolkit costs: instructions, crates compiled (--write)",
        run: figures::run,
    },
    Command {
        name: "deps",
        promise: "review of what we depend on: licences, bans, sources, what nothing uses",
        run: deps::run,
    },
    Command {
        name: "release",
        promise: "packages, the static program in an archive, an image (--container, --help)",
        run: release::run,
    },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Result<()> {
    let Some((name, rest)) = words.split_first() else {
        print!("{}", teach());
        return Ok(());
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", teach());
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(&Workspace::find()?, rest),
        None => bail!("there is no command `{name}`\n\n{}", teach()),
    }
}

/// What `cargo xtask` prints by itself.
fn teach() -> String {
    let mut text = String::from("cargo xtask <command>\n\n");
    for command in COMMANDS {
        text.push_str(&format!("  {:<7} {}\n", command.name, command.promise));
    }
    text.push_str(
        "\nFirst day: `cargo xtask test`. Before a commit: `cargo xtask check`.\n\
         Arguments after `test` go to the test runner: `cargo xtask test -p tabletheory-core numbers`.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_every_command() {
        let text = teach();
        for command in COMMANDS {
            assert!(text.contains(command.name), "{} is missing in\n{text}", command.name);
        }
    }

    #[test]
    fn an_unknown_command_is_refused_with_the_list() {
        let error = dispatch(&["nonsense".to_owned()]).expect_err("there is no such command");
        let text = error.to_string();
        assert!(text.contains("nonsense") && text.contains("check"), "{text}");
    }
}
