//! Which store is meant, as it is said on the command line.

use std::path::PathBuf;

use clap::Args;
use tabletheory_engine::Settings;

use super::folder;
use super::opened::Opened;

/// The store that is meant.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which store")]
pub(crate) struct Choice {
    /// A folder of this machine: a gateway's, or that of `theory dynamodb`. No other process may have it open.
    #[arg(long, global = true, value_name = "DIR", env = "THEORY_DATA", default_value = "./theory-data")]
    data: PathBuf,
    /// An endpoint that speaks DynamoDB's protocol, such as http://127.0.0.1:8000 of `theory dynamodb`.
    #[arg(long, global = true, value_name = "URL")]
    endpoint: Option<String>,
    /// DynamoDB itself, with the credentials that every AWS SDK finds.
    #[arg(long = "dynamodb", global = true)]
    is_dynamodb: bool,
    /// The region of DynamoDB; what the environment says, if nothing is said.
    #[arg(long, global = true, value_name = "REGION")]
    region: Option<String>,
}

impl Choice {
    /// Opens the store, which has to be there.
    pub(crate) async fn open(&self) -> anyhow::Result<Opened> {
        self.open_with(Settings::default()).await
    }

    /// Opens the store, which has to be there, with these settings if it is a folder of this machine.
    pub(crate) async fn open_with(&self, settings: Settings) -> anyhow::Result<Opened> {
        match self.is_elsewhere() {
            true => Opened::dynamodb(self.endpoint.clone(), self.region.clone()).await,
            false => Opened::folder(&folder::existing(&self.data)?, settings),
        }
    }

    /// Opens the store, and makes its folder if it is not there.
    pub(crate) async fn open_or_make(&self) -> anyhow::Result<Opened> {
        match self.is_elsewhere() {
            true => Opened::dynamodb(self.endpoint.clone(), self.region.clone()).await,
            false => Opened::folder(&folder::wanted(&self.data), Settings::default()),
        }
    }

    /// A region alone names DynamoDB as well.
    fn is_elsewhere(&self) -> bool {
        self.is_dynamodb || self.endpoint.is_some() || self.region.is_some()
    }
}
