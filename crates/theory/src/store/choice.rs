//! Which store is meant, as it is said on the command line.

use std::path::PathBuf;

use clap::Args;
use tabletheory_engine::Settings;

use super::Opened;
use super::folder;

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
        match self.is_elsewhere() {
            true => Opened::dynamodb(self.endpoint.clone(), self.region.clone()).await,
            false => Opened::folder(&folder::existing(&self.data)?, Settings::default()),
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

/// How DynamoDB is reached. An endpoint on this machine that wants no keys gets some, because an SDK does not ask without.
#[cfg(feature = "aws")]
pub(super) fn config(
    endpoint: Option<String>,
    region: Option<String>,
) -> anyhow::Result<tabletheory_aws::Config> {
    use anyhow::Context as _;

    let mut config = tabletheory_aws::Config::from_env().context("the environment cannot be followed")?;
    let uri = endpoint.as_deref().map(str::parse::<http::Uri>).transpose();
    let uri = uri.with_context(|| {
        format!("--endpoint {endpoint:?} is no address; it is such as http://127.0.0.1:8000")
    })?;
    let host = uri.as_ref().and_then(http::Uri::host).map(|host| host.trim_matches(['[', ']']));
    let is_local = host.is_some_and(|host| {
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    });
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_local && !has("AWS_ACCESS_KEY_ID") && !has("AWS_PROFILE") {
        config.credentials = Some(tabletheory_aws::Credentials::new("local", "local"));
    }
    if is_local && region.is_none() && !has("AWS_REGION") && !has("AWS_DEFAULT_REGION") {
        config.region = Some("us-east-1".to_owned());
    }
    if region.is_some() {
        config.region = region;
    }
    config.endpoint_url = endpoint;
    Ok(config)
}
