//! Which journals a folder has, and which of them is written to. What is in one is the business of `journal`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::error::KvError;

/// The journals of a folder that nobody writes to, oldest first.
///
/// # Errors
/// `Corrupt` if one between them is missing; `Io`.
pub(super) fn journals(folder: &Path) -> Result<Vec<PathBuf>, KvError> {
    let journals = numbered(folder)?;
    for pair in journals.windows(2) {
        if let [(earlier, _), (later, path)] = pair
            && earlier + 1 != *later
        {
            let file = path.with_file_name(format!("{}.jnl", later - 1));
            return Err(KvError::corrupt(&file, "the journal is missing"));
        }
    }
    Ok(journals.into_iter().map(|(_, path)| path).collect())
}

/// The journal of `folder` that is written to. Others may be removed meanwhile: a list of them could then have gaps.
///
/// # Errors
/// `Corrupt` if there is no journal; `Io`.
pub(super) fn newest(folder: &Path) -> Result<PathBuf, KvError> {
    let newest = numbered(folder)?.pop();
    newest.map(|(_, path)| path).ok_or_else(|| KvError::corrupt(folder, "its journal is missing"))
}

/// The number of a journal, which is its name.
pub(super) fn number_of(journal: &Path) -> u64 {
    let number = journal.file_stem().and_then(|number| number.to_str()?.parse().ok());
    number.expect("a journal is listed because its name is a number")
}

fn numbered(folder: &Path) -> Result<Vec<(u64, PathBuf)>, KvError> {
    let list = || -> io::Result<Vec<(u64, PathBuf)>> {
        let mut journals = Vec::new();
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(number) = name.strip_suffix(".jnl").and_then(|number| number.parse().ok()) {
                journals.push((number, path));
            }
        }
        journals.sort();
        Ok(journals)
    };
    list().map_err(|source| KvError::io("list", folder, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_between_journals_is_a_loss_only_where_nobody_writes() {
        let folder = tempfile::TempDir::new().unwrap();
        assert!(matches!(newest(folder.path()), Err(KvError::Corrupt { .. })));
        for name in ["9.jnl", "11.jnl", "x.jnl", "12.old"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert!(
            matches!(journals(folder.path()), Err(KvError::Corrupt { file, .. }) if file.ends_with("10.jnl"))
        );
        assert_eq!(number_of(&newest(folder.path()).unwrap()), 11);
        fs::write(folder.path().join("10.jnl"), "").unwrap();
        let numbers: Vec<u64> = journals(folder.path()).unwrap().iter().map(|path| number_of(path)).collect();
        assert_eq!(numbers, [9, 10, 11]);
    }
}
