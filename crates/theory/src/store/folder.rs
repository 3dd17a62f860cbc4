//! Which folder holds a store: `theory dynamodb` keeps it in the folder it is given, a gateway in `store` below its own.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::output::paper;

/// The folder of the store inside that of a gateway.
const BELOW: &str = "store";
/// The file that every store has, and how it begins.
const FORMAT: (&str, &[u8]) = ("version", b"FJL");

/// Whether this folder holds a store.
pub(crate) fn is_store(folder: &Path) -> bool {
    let (name, start) = FORMAT;
    std::fs::read(folder.join(name)).is_ok_and(|format| format.starts_with(start))
}

/// The folder of the store that `data` means.
pub(super) fn existing(data: &Path) -> anyhow::Result<PathBuf> {
    let below = data.join(BELOW);
    match (is_store(data), is_store(&below)) {
        (true, true) => {
            paper::aside(format_args!(
                "{} is looked at; there is another store in {}, which --data can name as well",
                data.display(),
                below.display()
            ));
            Ok(data.to_owned())
        }
        (true, false) => Ok(data.to_owned()),
        (false, true) => Ok(below),
        (false, false) if data.exists() => bail!(
            "{} holds no store; give the folder of a gateway or of `theory dynamodb` with --data DIR, or make tables with `theory \
             tables create`",
            data.display()
        ),
        (false, false) => bail!(
            "there is no folder {}; give the folder of a gateway or of `theory dynamodb` with --data DIR, or make tables with \
             `theory tables create`",
            data.display()
        ),
    }
}

/// The folder of the store that `data` means, where a gateway will look for it if there is none yet.
pub(super) fn wanted(data: &Path) -> PathBuf {
    match is_store(data) {
        true => data.to_owned(),
        false => data.join(BELOW),
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_engine::{Engine, Settings};

    use super::*;

    #[test]
    fn a_store_is_found_in_its_folder_or_in_that_of_a_gateway() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        assert!(existing(data).unwrap_err().to_string().contains("holds no store"));
        assert!(existing(&data.join("x")).unwrap_err().to_string().contains("there is no folder"));
        assert_eq!(wanted(data), data.join("store"));
        drop(Engine::open(data.join("store"), Settings::default()).unwrap());
        assert_eq!(existing(data).unwrap(), data.join("store"));
        assert_eq!(existing(&data.join("store")).unwrap(), data.join("store"));
        assert_eq!(wanted(&data.join("store")), data.join("store"));
    }
}
