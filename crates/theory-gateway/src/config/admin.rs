//! Where operators reach it, and what they must show.

use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;

use serde_json::Value;

use super::address::{Address, AdminDoor};
use super::form::Word;
use super::scope::Scope;
use super::section::{Found, Section};
use super::source::Source;
use crate::settings::{AdminSettings, Listen, Secret, Token};

/// Shorter ones can be guessed.
const TOKEN_CHARS_MIN: usize = 16;
const TOKEN_CHARS_MAX: usize = 256;
pub(super) const REDACTED: &str = "(not shown)";
/// What the file with a generated token is called.
pub(super) const TOKEN_FILE: &str = "admin-token";

/// Where operators reach it.
pub(super) fn read(top: &Section<'_>, data: &Path, listen: &[Listen]) -> Option<AdminSettings> {
    let admin = top.table("admin", Scope::Admin);
    admin.call("admin");
    let default = AdminDoor::word("127.0.0.1:9090").expect("the default is an address");
    let door = admin.or("listen", default);
    let chosen = token(&admin);
    let AdminDoor::At(Address(address)) = door else { return None };
    check(&admin, address, chosen.is_some(), listen);
    let token = chosen.unwrap_or_else(|| {
        admin.explain("token", Value::from("generated at start"), Source::Default);
        Token::Generated { file: data.join(TOKEN_FILE) }
    });
    Some(AdminSettings { listen: address, token })
}

fn check(admin: &Section<'_>, address: SocketAddr, is_chosen: bool, listen: &[Listen]) {
    let is_said = admin.find("token").is_some() || admin.find("token_file").is_some();
    if !address.ip().is_loopback() && !is_chosen && !is_said {
        admin.refuse(
            "listen",
            format!(
                "can be reached from other machines at {address}, and a token is only generated for this one: give \
                 `token_file`, THEORY_ADMIN_TOKEN, or a loopback address such as 127.0.0.1:{}",
                address.port()
            ),
        );
    }
    let overlaps = |other: &SocketAddr| {
        let same_host = other.ip() == address.ip()
            || other.is_ipv4() == address.is_ipv4()
                && (other.ip().is_unspecified() || address.ip().is_unspecified());
        address.port() != 0 && other.port() == address.port() && same_host
    };
    if let Some(other) = listen.iter().map(|listen| &listen.address).find(|other| overlaps(other)) {
        admin.refuse("listen", format!("takes the port of `listen`, {other}: give it another"));
    }
}

/// The token that was chosen. Of a text and a file, the one that was said more strongly counts.
fn token(admin: &Section<'_>) -> Option<Token> {
    let written = admin.find("token");
    let file = admin.find("token_file");
    if let (Some(written), Some(file)) = (&written, &file) {
        let (written, file) = (written.source.strength(), file.source.strength());
        if written == file {
            admin.refuse("token_file", "and `token` are both given: leave one out");
            return None;
        }
    }
    let strength = |found: &Option<Found<'_>>| found.as_ref().map_or(0, |found| found.source.strength());
    if strength(&file) > strength(&written) {
        return from_file(admin);
    }
    let Found { raw, source } = written?;
    match raw.text().ok_or("write a text in quotes").and_then(secret) {
        Ok(secret) => {
            admin.explain("token", Value::from(REDACTED), source);
            Some(Token::Chosen(secret))
        }
        Err(advice) => {
            admin.refuse("token", format!("cannot be what it is: {advice}"));
            None
        }
    }
}

fn from_file(admin: &Section<'_>) -> Option<Token> {
    let (path, source) = admin.path("token_file")?;
    let mut text = String::new();
    let bytes_max = TOKEN_CHARS_MAX as u64 + 3;
    let read = std::fs::File::open(&path).and_then(|file| file.take(bytes_max).read_to_string(&mut text));
    match read.map_err(|error| error.to_string()).and_then(|_| secret(&text).map_err(str::to_owned)) {
        Ok(secret) => {
            admin.explain("token", Value::from(REDACTED), source);
            Some(Token::Chosen(secret))
        }
        Err(error) => {
            admin.refuse("token_file", format!("cannot be {}: {error}", path.display()));
            None
        }
    }
}

pub(super) fn secret(text: &str) -> Result<Secret, &'static str> {
    let text = text.trim();
    let length = TOKEN_CHARS_MIN..=TOKEN_CHARS_MAX;
    if length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(Secret::new(text))
    } else {
        Err(
            "a secret is 16 to 256 letters, digits and signs of ASCII, without spaces; try `openssl rand -hex 32`",
        )
    }
}
