//! Whole files, read: what they become, what is said about those that cannot be, and that example and documentation know every key.

mod basics;
mod book;
mod hostile;
mod layers;
mod refused;
mod reload;
mod secret;

use std::ffi::OsString;

use super::{ConfigError, Document, Effective, Flags, read};
use crate::settings::Settings;

/// What a file of this text becomes.
fn load(text: &str) -> Result<Effective, ConfigError> {
    load_with(text, &[], &[])
}

/// The same, with variables and flags.
fn load_with(
    text: &str,
    variables: &[(&str, &str)],
    flags: &[(&'static str, &str)],
) -> Result<Effective, ConfigError> {
    let document = Document::new("theory.toml", "/srv", text);
    let flags = flags.iter().fold(Flags::default(), |flags, (flag, value)| flags.with(flag, [*value]));
    let environment = |name: &str| {
        variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| OsString::from(value))
    };
    read(&document, &flags, &environment)
}

/// The settings of a text that has an application.
#[track_caller]
fn settings(text: &str) -> Settings {
    match load(&format!("origin = 'http://127.0.0.1:3000'\n{text}")) {
        Ok(effective) => effective.settings,
        Err(error) => panic!("{text}\n{error}"),
    }
}

/// That a text with an application is refused with one problem, which contains this.
#[track_caller]
fn refused(text: &str, expected: &str) {
    let text = format!("origin = 'http://127.0.0.1:3000'\n{text}");
    let error = load(&text).expect_err(&text);
    assert_eq!(error.problems().len(), 1, "{text}\n{error}");
    assert!(error.to_string().contains(expected), "{text}\n{error}\nwas expected to contain: {expected}");
}
