//! Keys and projections in words, for messages.

use tabletheory_core::schema::{KeyElement, KeyRole, Projection};

/// A key in words: `(pk, sk)`, or `((a, b), c)` if it has several partition attributes.
pub(super) fn key_text(keys: &[KeyElement]) -> String {
    let names = |role| {
        let of_role = keys.iter().filter(|key| key.role == role).map(|key| key.name.as_str());
        of_role.collect::<Vec<_>>()
    };
    let (partition, sort) = (names(KeyRole::Hash), names(KeyRole::Range));
    let partition =
        if partition.len() > 1 { format!("({})", partition.join(", ")) } else { partition.concat() };
    let sort = sort.iter().map(|name| format!(", {name}")).collect::<String>();
    format!("({partition}{sort})")
}

/// What an index carries.
pub(super) fn projection_text(projection: &Projection) -> String {
    match projection {
        Projection::All => "every attribute".to_owned(),
        Projection::KeysOnly => "only keys".to_owned(),
        Projection::Include(names) => format!("keys and {}", names.join(", ")),
    }
}
