//! The keys that callers sign with: one pair from the command line or the environment, or any number from a file in the
//! form of the AWS command line's own credentials file.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;
use tabletheory_wire::sigv4::Credentials;

/// Where keys come from.
#[derive(Args)]
pub(crate) struct Keys {
    /// Verify signatures, and admit callers with this key.
    #[arg(long, value_name = "KEY", env = "THEORY_ACCESS_KEY", requires = "secret_key")]
    access_key: Option<String>,
    /// The secret of --access-key. The environment variable keeps it out of the list of processes.
    #[arg(
        long,
        value_name = "SECRET",
        env = "THEORY_SECRET_KEY",
        hide_env_values = true,
        requires = "access_key"
    )]
    secret_key: Option<String>,
    /// Verify signatures, and admit callers with the keys in this file: an AWS credentials file, every profile of it.
    #[arg(long, value_name = "FILE", conflicts_with = "access_key")]
    keys: Option<PathBuf>,
}

// Secrets are not for logs.
impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys")
            .field("access_key", &self.access_key)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl Keys {
    /// The keys; none if none were asked for.
    pub(super) fn read(&self) -> anyhow::Result<Vec<Credentials>> {
        if let Some(file) = &self.keys {
            return read_file(file);
        }
        let (Some(access_key), Some(secret_key)) = (&self.access_key, &self.secret_key) else {
            return Ok(Vec::new());
        };
        ensure!(!access_key.is_empty(), "--access-key is empty");
        ensure!(!secret_key.is_empty(), "--secret-key is empty");
        Ok(vec![Credentials::new(access_key, secret_key)])
    }
}

fn read_file(file: &Path) -> anyhow::Result<Vec<Credentials>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let found = parse(&text).with_context(|| format!("{} is not a credentials file", file.display()))?;
    if found.is_empty() {
        bail!("{} holds no keys; it needs aws_access_key_id and aws_secret_access_key", file.display());
    }
    Ok(found)
}

/// The pairs of all profiles. What else a profile says is none of our business.
fn parse(text: &str) -> anyhow::Result<Vec<Credentials>> {
    let mut found = Vec::new();
    let mut profile = Profile::default();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('[') {
            ensure!(line.ends_with(']'), "line {}: a profile's name ends with ]", at + 1);
            found.extend(std::mem::take(&mut profile).pair(at)?);
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            bail!("line {}: expected NAME = VALUE", at + 1);
        };
        match name.trim() {
            "aws_access_key_id" => profile.access_key = Some(value.trim().to_owned()),
            "aws_secret_access_key" => profile.secret_key = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    found.extend(profile.pair(text.lines().count())?);
    Ok(found)
}

#[derive(Default)]
struct Profile {
    access_key: Option<String>,
    secret_key: Option<String>,
}

impl Profile {
    fn pair(self, last_line: usize) -> anyhow::Result<Option<Credentials>> {
        let given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        match (given(&self.access_key), given(&self.secret_key)) {
            (true, true) => Ok(self
                .access_key
                .zip(self.secret_key)
                .map(|(access_key, secret_key)| Credentials::new(access_key, secret_key))),
            (false, false) => Ok(None),
            (true, false) => bail!("the profile that ends at line {last_line} has no aws_secret_access_key"),
            (false, true) => bail!("the profile that ends at line {last_line} has no aws_access_key_id"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[(&str, &str)], &str>) {
        let found = parse(text).map_err(|error| error.to_string());
        let found: Result<Vec<(&str, &str)>, &str> = match &found {
            Ok(found) => {
                Ok(found.iter().map(|pair| (&*pair.access_key_id, &*pair.secret_access_key)).collect())
            }
            Err(error) => Err(error),
        };
        assert_eq!(found.as_deref(), expected.as_deref(), "{text}");
    }

    #[test]
    fn every_profile_gives_a_pair() {
        let text = "# ours\n[default]\naws_access_key_id = A1\naws_secret_access_key=s=1\nregion = x\n\n[two]\n\
                    aws_secret_access_key = s2\n  aws_access_key_id = A2\n[empty]\n";
        check(text, Ok(&[("A1", "s=1"), ("A2", "s2")]));
        check("", Ok(&[]));
    }

    #[test]
    fn half_a_pair_is_an_error() {
        check(
            "[a]\naws_access_key_id = A\n",
            Err("the profile that ends at line 2 has no aws_secret_access_key"),
        );
        check(
            "aws_secret_access_key = s\n[b]\n",
            Err("the profile that ends at line 1 has no aws_access_key_id"),
        );
        check("[a]\naws_access_key_id\n", Err("line 2: expected NAME = VALUE"));
        check("[a\n", Err("line 1: a profile's name ends with ]"));
    }

    #[test]
    fn secrets_are_not_shown() {
        let keys = Keys { access_key: Some("A".into()), secret_key: Some("hush".into()), keys: None };
        assert!(!format!("{keys:?}").contains("hush"));
    }
}
