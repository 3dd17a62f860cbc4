//! From file, environment and command line to settings.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tabletheory_core::Seconds;
use toml::de::DeTable;

use super::address::Network;
use super::document::Document;
use super::explained::Explanation;
use super::flags::Flags;
use super::form::List;
use super::problem::{ConfigError, Problem};
use super::section::{Environment, Reader, Section};
use super::source::Source;
use super::span::Window;
use super::{admin, edge, listen, place, secret, site, telemetry};
use crate::settings::Settings;

/// The file that is read if nobody names another.
pub const FILE: &str = "theory.toml";
/// The variable that names another.
const FILE_VARIABLE: &str = "THEORY_CONFIG";
/// The flag that names another.
pub const FILE_FLAG: &str = "--config";

/// Settings, and where every value of them came from.
#[derive(Debug, Clone)]
pub struct Effective {
    /// What the gateway is told.
    pub settings: Settings,
    /// Every value, and where it came from.
    pub explanation: Explanation,
    /// The file that was read, if there was one.
    pub file: Option<PathBuf>,
}

/// Settings from the file, the environment and the command line; each is stronger than the one before.
///
/// The file is the one that [`FILE_FLAG`] or `THEORY_CONFIG` names, or [`FILE`] in the working directory if it is there.
///
/// # Errors
/// With everything that is wrong.
pub fn load(flags: &Flags, environment: Environment<'_>) -> Result<Effective, ConfigError> {
    let variable = || environment(FILE_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let named = flags.get(FILE_FLAG).map(PathBuf::from).or_else(variable);
    let file = named.or_else(|| Some(PathBuf::from(FILE)).filter(|file| file.exists()));
    let document = match &file {
        Some(file) => Document::open(file)?,
        None => Document::new(FILE, "", ""),
    };
    let mut effective = read(&document, flags, environment)?;
    effective.file = file;
    Ok(effective)
}

/// Settings from a text that is there already, the environment and the command line.
///
/// ```
/// use theory_gateway::config::{Document, Flags, read};
///
/// let document = Document::new("theory.toml", "", "origin = 'http://127.0.0.1:3000'\nlisten = '127.0.0.1:80'");
/// let flags = Flags::default().with("--listen", ["127.0.0.1:8081"]);
/// let effective = read(&document, &flags, &|_| None)?;
/// assert_eq!(effective.settings.listen[0].address.port(), 8081);
/// let listen = effective.explanation.value("", "listen").expect("it is explained");
/// assert_eq!(listen.source.to_string(), "--listen");
/// # Ok::<(), theory_gateway::config::ConfigError>(())
/// ```
///
/// # Errors
/// With everything that is wrong.
pub fn read(
    document: &Document,
    flags: &Flags,
    environment: Environment<'_>,
) -> Result<Effective, ConfigError> {
    let (table, errors) = DeTable::parse_recoverable(document.text());
    if !errors.is_empty() {
        return Err(syntax(document, &errors));
    }
    let reader = Reader::new(document, flags, environment);
    let settings = settings(&reader.top(table.get_ref()));
    let (problems, explanation) = (reader.problems.into_inner(), reader.explanation.into_inner());
    if problems.is_empty() {
        Ok(Effective { settings, explanation, file: None })
    } else {
        Err(ConfigError::new(problems))
    }
}

/// What is wrong with the text as TOML. What follows from a first error in a line is not told.
fn syntax(document: &Document, errors: &[toml::de::Error]) -> ConfigError {
    let mut problems: Vec<Problem> = Vec::new();
    for error in errors {
        let source = document.source(error.span().map_or(0, |span| span.start));
        let line = |source: &Source| match source {
            Source::File { line, .. } => Some(*line),
            _ => None,
        };
        if problems.last().is_none_or(|last| line(&last.source) != line(&source)) {
            problems.push(Problem { source, text: error.message().replace('\n', "; ") });
        }
    }
    ConfigError::new(problems)
}

fn settings(top: &Section<'_>) -> Settings {
    top.call("general");
    let data = data(top);
    let listen = listen::read(top);
    let (Window(revalidate), source) = top.or_from("revalidate", Window(Seconds(60)), Source::Default);
    let List(networks) = top.or("trusted_proxies", List::<Network>(Vec::new()));
    let trusted_proxies = networks.into_iter().map(|Network(network)| network).collect();
    let (caller_secret, preview) = (secret::callers(top), secret::preview(top));
    let admin = admin::read(top, &data, &listen);
    let store = place::store(top, &data);
    let tables = place::tables(top);
    let (bodies, sweep_every) = place::bodies(top, &data, &store);
    let memory = place::memory(top);
    let edge = edge::read(top);
    let otlp = telemetry::read(top);
    let sites = site::read(top, &(revalidate, source), &listen);
    Settings {
        listen,
        edge,
        admin,
        store,
        tables,
        bodies,
        sweep_every,
        memory,
        otlp,
        trusted_proxies,
        caller_secret,
        preview,
        sites,
    }
}

fn data(top: &Section<'_>) -> PathBuf {
    let default = Path::new("theory-data");
    match top.find("data") {
        Some(_) => top.path("data").map_or(default.to_owned(), |(folder, _)| folder),
        None => {
            top.explain("data", Value::from("theory-data"), Source::Default);
            default.to_owned()
        }
    }
}
