//! Where a gateway's admin listener is, and the token that it wants to see.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

/// The variable with the token itself.
pub(crate) const TOKEN: &str = "THEORY_ADMIN_TOKEN";
/// The file in which a gateway leaves the token it has made, in its folder.
const TOKEN_FILE: &str = "admin-token";
/// A token is a line of text.
const TOKEN_BYTES_MAX: usize = 8 * 1024;

/// The running gateway that is meant.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which gateway")]
pub(crate) struct Place {
    /// The address of its admin listener.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "THEORY_ADMIN",
        default_value = "http://127.0.0.1:9090"
    )]
    pub(super) admin: String,
    /// A file with its admin token. Without one, THEORY_ADMIN_TOKEN is looked at, then the file that the gateway left in --data.
    #[arg(long, global = true, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The gateway's folder, for the file `admin-token` in it.
    #[arg(long, global = true, value_name = "DIR", env = "THEORY_DATA", default_value = "./theory-data")]
    data: PathBuf,
    /// How many seconds an answer may take.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

/// A token, and where it was found.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) found: String,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("found", &self.found).finish_non_exhaustive()
    }
}

impl Place {
    /// How long an answer may take.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// The token; none if there is none to be found, for a gateway that is not there is the greater trouble.
    pub(super) fn token(&self) -> anyhow::Result<Option<Token>> {
        if let Some(file) = &self.token_file {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the token from {}", file.display()))?;
            return token(&text, format!("the file {}", file.display())).map(Some);
        }
        if let Some(text) = std::env::var_os(TOKEN).filter(|text| !text.is_empty()) {
            return token(&text.to_string_lossy(), format!("the variable {TOKEN}")).map(Some);
        }
        let left = self.left();
        match std::fs::read_to_string(&left) {
            Ok(text) => token(&text, format!("the file {}", left.display())).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| {
                format!("cannot read the token from {}; give --token-file FILE or {TOKEN}", left.display())
            }),
        }
    }

    /// The file in which the gateway leaves its token.
    pub(super) fn left(&self) -> PathBuf {
        self.data.join(TOKEN_FILE)
    }
}

fn token(text: &str, found: String) -> anyhow::Result<Token> {
    let text = text.trim();
    ensure!(!text.is_empty(), "{found} holds no token");
    let is_sound = text.len() <= TOKEN_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    ensure!(is_sound, "{found} holds something else than a token, which is one line of printable characters");
    Ok(Token { text: text.to_owned(), found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_line_and_never_shown() {
        let found = token(" s3cr3t \n", "the file x".to_owned()).unwrap();
        assert_eq!(found.text, "s3cr3t");
        assert!(!format!("{found:?}").contains("s3cr3t"));
        for wrong in ["", "\n", "two words", "two\nlines", "é"] {
            let error = token(wrong, "the file x".to_owned()).unwrap_err();
            assert!(error.to_string().starts_with("the file x holds "), "{error}");
        }
    }
}
