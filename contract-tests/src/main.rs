//! `contract-tests`: plays scenarios on the embedded engine or on an endpoint, and says which hold.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{ArgGroup, Parser};
use contract_tests::player::Stage;
use contract_tests::scenario;
use tabletheory::Db;
use tabletheory::dms::Document;
use tabletheory_aws::{Config, DynamoDb};

/// Plays the scenarios of the typed toolkit.
///
/// Each scenario gets fresh tables: those of its model are deleted first. Do not point it at tables that matter.
#[derive(Debug, Parser)]
#[command(group = ArgGroup::new("store").required(true))]
struct Arguments {
    /// The folder with the scenarios.
    #[arg(long, default_value = "contract-tests/scenarios")]
    scenarios: PathBuf,
    /// The folder with the documents about the models.
    #[arg(long, default_value = "contract-tests/models")]
    models: PathBuf,
    /// Plays on the embedded engine in memory.
    #[arg(long, group = "store")]
    embedded: bool,
    /// Plays on a DynamoDB endpoint such as http://127.0.0.1:8000. Credentials come from the environment.
    #[arg(long, group = "store")]
    endpoint: Option<String>,
    /// Prints one JSON object for each scenario.
    #[arg(long)]
    json: bool,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let db = match &arguments.endpoint {
        Some(endpoint) => {
            let config = Config { endpoint_url: Some(endpoint.clone()), ..Config::from_env()? };
            Db::new(DynamoDb::connect(config).await?)
        }
        None => Db::memory(),
    };
    let stage = Stage { db, documents: documents(&arguments.models)? };
    let mut failed = 0;
    let scenarios = scenario::read(&arguments.scenarios)?;
    for (file, scenario) in &scenarios {
        let outcome = stage.play(scenario).await;
        failed += usize::from(outcome.is_err());
        tell(arguments.json, file, &scenario.name, &outcome);
    }
    if !arguments.json {
        println!("{} of {} scenarios hold", scenarios.len() - failed, scenarios.len());
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(json: bool, file: &str, name: &str, outcome: &Result<()>) {
    let complaint = outcome.as_ref().err().map(|error| format!("{error:#}"));
    if json {
        println!(
            "{}",
            serde_json::json!({ "file": file, "name": name, "ok": complaint.is_none(), "error": complaint })
        );
    } else {
        match complaint {
            None => println!("ok      {file}: {name}"),
            Some(complaint) => println!("FAILED  {file}: {name}\n        {complaint}"),
        }
    }
}

/// The documents in a folder.
fn documents(folder: &Path) -> Result<Vec<Document>> {
    let mut files = Vec::new();
    scenario::collect(folder, &mut files)?;
    files.sort();
    let read = |file: &PathBuf| {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Document::from_yaml(&text).with_context(|| format!("{} is no document", file.display()))
    };
    files.iter().map(read).collect()
}
