//! What strangers can send to us, as functions from bytes: parsers, codecs, signatures, settings, files. Each target states a law
//! and panics if an input breaks it; that it does not panic by itself is only a part of the law.
//!
//! The tests run every target on its corpus and on a few hundred changed inputs. `cargo xtask prove` runs the same functions
//! under libFuzzer, for as long as it is told.

mod decimal;
mod input;
pub mod mutation;
mod signer;
mod target;

use std::fmt;

/// One thing that is fuzzed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, and that of its corpus.
    pub name: &'static str,
    /// The law, in words.
    pub law: &'static str,
    /// Panics if the input breaks the law.
    pub run: fn(&[u8]),
}

/// All targets, in the order of the layers they belong to.
pub const TARGETS: &[Target] = &[
    Target {
        name: "number",
        law: "numbers keep their text, their order as bytes, and add up as a naive decimal does",
        run: target::number::run,
    },
    Target {
        name: "json",
        law: "an item that is read from JSON is written and read again as the same item",
        run: target::json::run,
    },
    Target {
        name: "expression",
        law: "an expression that is read, printed and read again is the same tree, and changes only what it names",
        run: target::expression::run,
    },
    Target {
        name: "partiql",
        law: "a statement means the same with other space around it, and a refusal is a ValidationException",
        run: target::partiql::run,
    },
    Target {
        name: "key",
        law: "keys sort as their values do, and a query visits exactly the keys that satisfy its condition",
        run: target::key::run,
    },
    Target {
        name: "row",
        law: "stored bytes are an item that is stored again as the same item, or are refused",
        run: target::row::run,
    },
    Target {
        name: "folder",
        law: "a damaged folder opens to a state that it had, or to an error that names it",
        run: target::folder::run,
    },
    Target {
        name: "request",
        law: "a body is a request, the same however its JSON is laid out, or a refusal with status 400",
        run: target::request::run,
    },
    Target {
        name: "endpoint",
        law: "whatever is asked, table, index and stream of the engine agree, and nothing ends in a 500",
        run: target::endpoint::run,
    },
    Target {
        name: "sigv4",
        law: "a signed request is accepted, and refused if any byte of it is changed",
        run: target::sigv4::run,
    },
    Target {
        name: "cursor",
        law: "a cursor that is read is written and read again as the same cursor; a forged one is refused",
        run: target::cursor::run,
    },
    Target {
        name: "path",
        law: "a path has one form, in which nothing steps up, and which is its own form",
        run: target::path::run,
    },
    Target {
        name: "cache_control",
        law: "what is understood of Cache-Control means the same when it is written down and read again",
        run: target::cache_control::run,
    },
    Target {
        name: "vary",
        law: "an answer answers its own request, and two requests that share it share it both ways",
        run: target::vary::run,
    },
    Target {
        name: "settings",
        law: "a theory.toml gives settings, or problems that each name a place in it",
        run: target::settings::run,
    },
    Target {
        name: "template",
        law: "a template that is read, written as JSON or YAML and read again is the same",
        run: target::template::run,
    },
];

/// There is no such target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        write!(f, "there is no target `{}`; there are {}", self.0, names.join(", "))
    }
}

/// The target of this name.
///
/// # Errors
/// If there is none; the error names those there are.
pub fn target(name: &str) -> Result<&'static Target, Unknown> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| Unknown(name.to_owned()))
}
