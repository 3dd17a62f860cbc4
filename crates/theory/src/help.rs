//! The first page a person sees: the commands in groups, and what to try first.

use std::fmt::Write as _;

use clap::Command;

/// What commands are for, in the order in which they are met.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Try it", &["demo", "serve", "dynamodb"]),
    ("Operate a running gateway", &["pages", "leases", "requests", "limits"]),
    ("Look after a store", &["tables", "copy", "archive", "synth", "doctor", "config", "bench"]),
    ("Set up this machine", &["completions", "man", "help"]),
];

const TRY_FIRST: &str = "\
Try first:
  theory demo                                         a slow shop, the gateway in front of it, its dashboard
  theory serve --origin http://127.0.0.1:3000         pages of that application are kept, regenerated and served stale
  theory pages ls                                     what a running gateway keeps
  theory doctor                                       whether everything it needs is there

`theory COMMAND --help` teaches each command with examples.";

/// The command with its first page.
pub(crate) fn grouped(mut command: Command) -> Command {
    // `help` is a command too, once the tree is complete.
    command.build();
    let width = command.get_subcommands().map(|below| below.get_name().len()).max().unwrap_or_default();
    let mut text = String::from("{about}\n\n{usage-heading} {usage}\n");
    let named = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> =
        command.get_subcommands().map(Command::get_name).filter(|name| !named(name)).collect();
    let groups = GROUPS.into_iter().map(|(title, names)| (title, names.to_vec()));
    for (title, names) in groups.chain([("Further", others)]) {
        let found: Vec<&Command> = names.iter().filter_map(|name| command.find_subcommand(name)).collect();
        if found.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{title}:\n");
        for below in found {
            let about = below.get_about().map(ToString::to_string).unwrap_or_default();
            let line = about.lines().next().unwrap_or_default().trim_end_matches('.');
            let _ = writeln!(text, "  {:width$}  {line}", below.get_name());
        }
    }
    text.push_str("\nOptions:\n{options}\n\n");
    text.push_str(TRY_FIRST);
    text.push('\n');
    command.help_template(text)
}
