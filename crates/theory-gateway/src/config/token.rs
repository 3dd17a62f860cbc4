//! The token of operators: the one that was chosen, or one that is generated once and kept in a file only its owner can read.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::settings::{Secret, Token};

const TOKEN_BYTES: usize = 32;
const FILE_BYTES_MAX: u64 = 1024;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("cannot keep the admin token in {}: {source}", file.display())]
    File {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Others can read it, or it is no file.
    #[error("{} must be a file that only its owner can read; delete it, and another is made", file.display())]
    Exposed {
        /// Which.
        file: PathBuf,
    },
    /// There is something else in it.
    #[error("{} does not hold an admin token; delete it, and another is made", file.display())]
    Foreign {
        /// Which.
        file: PathBuf,
    },
    /// The system has no randomness.
    #[error("cannot make an admin token: {0}")]
    Entropy(getrandom::Error),
}

/// The token. One that is generated is the same after a restart.
///
/// # Errors
/// [`TokenError`] if it can be neither read nor written.
pub(crate) fn settle(token: &Token) -> Result<Secret, TokenError> {
    let file = match token {
        Token::Chosen(secret) => return Ok(secret.clone()),
        Token::Generated { file } => file,
    };
    let refuse = |source| TokenError::File { file: file.clone(), source };
    match std::fs::symlink_metadata(file) {
        Ok(metadata) if is_private(&metadata) => read(file),
        Ok(_) => Err(TokenError::Exposed { file: file.clone() }),
        Err(error) if error.kind() == ErrorKind::NotFound => write(file),
        Err(error) => Err(refuse(error)),
    }
}

fn read(file: &Path) -> Result<Secret, TokenError> {
    let mut text = String::new();
    let opened = std::fs::File::open(file);
    opened
        .and_then(|opened| opened.take(FILE_BYTES_MAX).read_to_string(&mut text))
        .map_err(|source| TokenError::File { file: file.to_owned(), source })?;
    let text = text.trim();
    match text.len() == 2 * TOKEN_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(Secret::new(text)),
        false => Err(TokenError::Foreign { file: file.to_owned() }),
    }
}

fn write(file: &Path) -> Result<Secret, TokenError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(TokenError::Entropy)?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let refuse = |source| TokenError::File { file: file.to_owned(), source };
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(refuse)?;
    }
    // It becomes visible whole, and only if no other process was first.
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}", &text[..8]));
    let draft = PathBuf::from(name);
    let written = create(&draft).and_then(|mut draft| {
        draft.write_all(text.as_bytes())?;
        draft.write_all(b"\n")?;
        draft.sync_all()
    });
    let linked = written.and_then(|()| std::fs::hard_link(&draft, file));
    let removed = std::fs::remove_file(&draft);
    match linked {
        Ok(()) => removed.map_err(refuse).map(|()| Secret::new(text)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(file),
        Err(error) => Err(refuse(error)),
    }
}

#[cfg(unix)]
fn create(file: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)
}

#[cfg(not(unix))]
fn create(file: &Path) -> std::io::Result<std::fs::File> {
    std::fs::OpenOptions::new().write(true).create_new(true).open(file)
}

#[cfg(unix)]
fn is_private(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o077 == 0
}

#[cfg(not(unix))]
fn is_private(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file()
}
