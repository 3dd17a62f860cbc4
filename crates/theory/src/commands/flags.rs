//! `theory serve`: what its flags say, as a layer above the environment and the file.

use std::path::PathBuf;

use clap::Args;
use theory_gateway::config::{self, ConfigError, Effective, FILE_FLAG, Flags};

/// The flags of `theory serve`, which `theory config check` has too. Values are read by the rules of the file, so that all say the
/// same about a wrong one.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct ServeFlags {
    /// The application: http:// or https://, host and port (THEORY_ORIGIN).
    #[arg(long, value_name = "URL")]
    origin: Option<String>,
    /// Where to listen, and for several addresses more than once (THEORY_LISTEN). 127.0.0.1:8080 if nothing is said.
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
    /// The file with settings (THEORY_CONFIG). theory.toml, if it is there.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder of everything that is kept on this machine (THEORY_DATA).
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// How long pages are fresh whose route does not say it: 60s, 5m, 1d (THEORY_REVALIDATE).
    #[arg(long, value_name = "TIME")]
    revalidate: Option<String>,
    /// A proxy in front, whose word about the client's address is believed (THEORY_TRUSTED_PROXIES).
    #[arg(long, value_name = "NETWORK")]
    trusted_proxy: Vec<String>,
    /// The chain of certificates, PEM (THEORY_TLS_CERT).
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<String>,
    /// The private key, PEM (THEORY_TLS_KEY).
    #[arg(long, value_name = "FILE")]
    tls_key: Option<String>,
    /// The address of dashboard, API and metrics, or `off` (THEORY_ADMIN_LISTEN).
    #[arg(long, value_name = "ADDRESS")]
    admin_listen: Option<String>,
    /// A file with the token that operators must show; THEORY_ADMIN_TOKEN is the token itself.
    #[arg(long, value_name = "FILE")]
    admin_token_file: Option<String>,
    /// Where rows are: embedded, memory or dynamodb (THEORY_STORE).
    #[arg(long, value_name = "KIND")]
    store: Option<String>,
    /// What an answered write of an embedded store survives: sync, interval or memory (THEORY_DURABILITY).
    #[arg(long, value_name = "KIND")]
    durability: Option<String>,
    /// The endpoint of DynamoDB (THEORY_DYNAMODB_ENDPOINT).
    #[arg(long, value_name = "URL")]
    dynamodb_endpoint: Option<String>,
    /// Where the bodies of pages are: dir, memory or s3 (THEORY_BODIES).
    #[arg(long, value_name = "KIND")]
    bodies: Option<String>,
    /// The bucket of S3 (THEORY_BUCKET).
    #[arg(long, value_name = "NAME")]
    bucket: Option<String>,
    /// A collector of OpenTelemetry that is told figures, such as http://127.0.0.1:4318, or `off` (THEORY_OTLP).
    #[arg(long, value_name = "URL")]
    otlp: Option<String>,
}

impl ServeFlags {
    /// Settings from the file, the environment and these flags.
    pub(crate) fn settings(&self) -> Result<Effective, ConfigError> {
        config::load(&self.layer(), &|name| std::env::var_os(name))
    }

    /// The same with a file that is named in another way.
    pub(crate) fn with_file(mut self, file: Option<PathBuf>) -> Self {
        self.config = file.or(self.config);
        self
    }

    fn layer(&self) -> Flags {
        let config = self.config.as_ref().map(|file| file.to_string_lossy().into_owned());
        Flags::default()
            .with(FILE_FLAG, config)
            .with("--origin", self.origin.clone())
            .with("--listen", self.listen.clone())
            .with("--data", self.data.clone())
            .with("--revalidate", self.revalidate.clone())
            .with("--trusted-proxy", self.trusted_proxy.clone())
            .with("--tls-cert", self.tls_cert.clone())
            .with("--tls-key", self.tls_key.clone())
            .with("--admin-listen", self.admin_listen.clone())
            .with("--admin-token-file", self.admin_token_file.clone())
            .with("--store", self.store.clone())
            .with("--durability", self.durability.clone())
            .with("--dynamodb-endpoint", self.dynamodb_endpoint.clone())
            .with("--bodies", self.bodies.clone())
            .with("--bucket", self.bucket.clone())
            .with("--otlp", self.otlp.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Args as _;
    use theory_gateway::config::KEYS;

    use super::*;

    fn longs() -> BTreeSet<String> {
        let command = ServeFlags::augment_args(clap::Command::new("serve"));
        command
            .get_arguments()
            .filter_map(|argument| argument.get_long())
            .map(|long| format!("--{long}"))
            .collect()
    }

    #[test]
    fn every_flag_that_a_key_has_is_there_and_heard() {
        let known: BTreeSet<String> = KEYS.iter().filter_map(|known| known.flag).map(str::to_owned).collect();
        let mut flags = longs();
        assert!(flags.remove(FILE_FLAG));
        assert_eq!(flags, known);
        for flag in known {
            let command = ServeFlags::augment_args(clap::Command::new("serve"));
            let matches = command.try_get_matches_from(["serve", &flag, "said"]).unwrap();
            let said = <ServeFlags as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
            assert_eq!(said.layer().get(&flag).as_deref(), Some("said"), "{flag}");
        }
    }
}
