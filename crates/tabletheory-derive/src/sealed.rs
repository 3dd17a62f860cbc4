//! Encrypted fields: where they cannot stand, because the table has to read what stands there.

use syn::{Error, Result};

use crate::field::Field;
use crate::index::Index;
use crate::key::Key;

/// Roles that the table or the toolkit has to read.
const READ: [&str; 6] = ["pk", "sk", "ttl", "version", "created_at", "updated_at"];

/// Refuses an encrypted field in a key, or with a role that needs its value.
pub(crate) fn check(fields: &[Field], keys: &[Option<&Key>], indexes: &[Index]) -> Result<()> {
    let sealed =
        fields.iter().enumerate().filter_map(|(at, field)| Some((at, field, field.attrs.has("encrypted")?)));
    for (at, field, span) in sealed {
        if let Some(role) = READ.iter().find(|role| field.is(role)) {
            let text = format!("an encrypted field cannot be `{role}`: the table has to read it");
            return Err(Error::new(span, text));
        }
        if let Some(word) = ["skip", "key_only"].iter().find(|word| field.is(word)) {
            let text = format!("`encrypted` and `{word}` contradict each other: the field is not stored");
            return Err(Error::new(span, text));
        }
        let holds = |key: &Key| matches!(key, Key::Field(known) if *known == at) || key.names(field);
        if keys.iter().copied().flatten().any(holds) {
            let text = "an encrypted field cannot stand in a key: whoever reads the table reads its keys";
            return Err(Error::new(span, text));
        }
        if let Some(index) = indexes.iter().find(|index| index.partition.iter().chain(&index.sort).any(holds))
        {
            let text = format!(
                "an encrypted field cannot stand in the key of the index `{}`: the table has to sort by it",
                index.name
            );
            return Err(Error::new(span, text));
        }
    }
    Ok(())
}
