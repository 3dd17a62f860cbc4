//! What teaches: the first page, the help of each command, the manual, completions and `docs/cli.md`.

use super::{refused, said, theory, told};

/// Every command there is, as a person types it, found by asking for help.
fn commands() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(name) = open.pop() {
        let words: Vec<&str> = name.split_whitespace().collect();
        let help = told(&theory().args(&words).arg("--help").output().expect("the binary starts"));
        for below in named(&help, words.is_empty()) {
            open.push(format!("{name} {below}").trim().to_owned());
        }
        if !name.is_empty() {
            found.push(name);
        }
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The commands that a help text lists: lines of two spaces and a word, below a title that is for commands.
fn named(help: &str, is_first: bool) -> Vec<String> {
    let mut is_list = false;
    let mut names = Vec::new();
    for line in help.lines() {
        if !line.starts_with(' ') {
            is_list = if is_first { !matches!(line, "Options:" | "Try first:") } else { line == "Commands:" };
            continue;
        }
        let Some(name) = line.strip_prefix("  ").and_then(|rest| rest.split_whitespace().next()) else {
            continue;
        };
        let is_word = !line.starts_with("   ") && name.chars().all(|letter| letter.is_ascii_lowercase());
        if is_list && is_word && name != "help" {
            names.push(name.to_owned());
        }
    }
    names
}

#[test]
fn the_first_page_groups_the_commands_and_says_what_to_try() {
    let help = told(&theory().arg("--help").output().unwrap());
    for part in ["Operate a running gateway:", "Try first:", "  pages ", "  doctor ", "--version"] {
        assert!(help.contains(part), "{part} is missing from:\n{help}");
    }
    assert!(!help.contains("Further:"), "every command has its group:\n{help}");
    let version = told(&theory().arg("--version").output().unwrap());
    assert_eq!(version, format!("theory {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_teaches_with_examples() {
    for name in commands() {
        let words: Vec<&str> = name.split_whitespace().collect();
        let help = told(&theory().args(&words).arg("--help").output().unwrap());
        let is_taught = help.contains("Examples:") || help.contains("Try:") || help.contains("Commands:");
        assert!(is_taught, "`theory {name} --help` has no examples:\n{help}");
    }
}

#[test]
fn the_manual_names_every_command() {
    let manual = told(&theory().arg("man").output().unwrap()).replace("\\-", "-");
    assert!(manual.starts_with(".ie") || manual.contains(".TH theory"), "{manual}");
    for name in commands() {
        assert!(manual.contains(&format!("THEORY {}", name.to_ascii_uppercase())), "{name}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    told(&theory().args(["man", "--out"]).arg(folder.path()).output().unwrap());
    for name in commands() {
        assert!(folder.path().join(format!("theory-{}.1", name.replace(' ', "-"))).is_file(), "{name}");
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = told(&theory().args(["completions", shell]).output().unwrap());
        for name in commands() {
            let last = name.split_whitespace().last().expect("a name has a word");
            assert!(script.contains(last), "{shell}: {name}");
        }
    }
    refused(&theory().args(["completions", "csh"]).output().unwrap(), 2);
}

#[test]
fn the_document_names_every_command() {
    let document = include_str!("../../../../../docs/cli.md");
    for name in commands() {
        assert!(document.contains(&format!("theory {name}")), "docs/cli.md does not name `theory {name}`");
    }
}

#[test]
fn a_misspelt_command_is_answered_with_the_right_one() {
    let error = refused(&theory().arg("page").output().unwrap(), 2);
    assert!(error.contains("pages"), "{error}");
    let output = theory().args(["pages", "list"]).output().unwrap();
    assert!(said(&output.stderr).contains("error:"));
}
