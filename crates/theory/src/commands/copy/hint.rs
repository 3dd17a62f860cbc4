//! What to do about an error of a copy, in terms of this command.

use anyhow::anyhow;
use tabletheory_core::StoreError;
use theory_copy::Error;

use super::arguments::Copy;

/// The error with what to do.
pub(super) fn hinted(error: Error, copy: &Copy) -> anyhow::Error {
    match hint(&error, copy) {
        Some(hint) => anyhow!("{error}; {hint}"),
        None => anyhow!("{error}"),
    }
}

fn hint(error: &Error, copy: &Copy) -> Option<String> {
    let journal = copy.journal.display();
    Some(match error {
        Error::NotEmpty { table, .. } => format!(
            "nothing was changed: copy into a table of another name with --rename OLD={table}-copy, or say --into-existing: items with the \
             same key are then replaced, and the others stay"
        ),
        Error::OtherKeys { .. } => "nothing was changed: give the copy another name with --rename OLD=NEW".to_owned(),
        Error::NoTable { .. } => "`theory tables ls` lists those that are there".to_owned(),
        Error::NoTables { .. } => "there is nothing to copy".to_owned(),
        Error::SameTarget { .. } | Error::Itself { .. } => "give one another name with --rename OLD=NEW".to_owned(),
        Error::UnknownKey { .. } => {
            "say what the key is, such as --key pk:S,sk:S, or make the table before".to_owned()
        }
        Error::Replaced { .. } => {
            format!("remove {journal} and begin anew, if that is meant")
        }
        Error::Unfinished { .. } => {
            format!("go on with --resume, or remove {journal} to begin anew")
        }
        Error::NotAJournal { .. } | Error::OtherCopy { .. } => "name another file with --journal".to_owned(),
        Error::NoJournal { .. } => {
            "no copy was stopped here; say --journal FILE if its journal lies elsewhere, or begin without --resume".to_owned()
        }
        Error::InUse { .. } => "wait for it, or give this copy a journal of its own with --journal".to_owned(),
        Error::Journal { .. } => "name a file that can be written with --journal".to_owned(),
        other => match other.store_error() {
            Some(StoreError::AccessDenied(_)) => {
                "the store does not accept these credentials for this; look at AWS_PROFILE, or AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY"
                    .to_owned()
            }
            _ if matches!(other, Error::Copy(_)) => {
                "what was copied stays; go on with the same command and --resume".to_owned()
            }
            Some(StoreError::Unavailable(_)) => "is it running, and is the address right?".to_owned(),
            _ => return None,
        },
    })
}
