//! Which tables are meant, and what they become.

use anyhow::bail;
use theory_copy::{Journal, Pair, Side};

use super::arguments::Copy;
use super::hint::hinted;
use crate::output::shown::shown;

/// The tables of this copy.
pub(super) async fn pairs(copy: &Copy, from: &Side, journal: Option<&Journal>) -> anyhow::Result<Vec<Pair>> {
    let known = journal.map(Journal::pairs).unwrap_or_default();
    let is_asked = !copy.tables.is_empty() || copy.is_all || !copy.rename.is_empty();
    if copy.is_resume && !known.is_empty() && !is_asked {
        return Ok(known);
    }
    let mut names = copy.tables.clone();
    if names.is_empty() {
        names = from.tables().await.map_err(|error| hinted(error, copy))?;
        names.sort();
    }
    // A single table needs no name; several are copied when somebody says so.
    if copy.tables.is_empty() && !copy.is_all && names.len() > 1 {
        let listed: Vec<String> = names.iter().take(10).map(|name| shown(name)).collect();
        let more = if names.len() > 10 { ", …" } else { "" };
        bail!(
            "{} has {} tables: {}{more}; name those to copy, or say --all",
            from.name,
            names.len(),
            listed.join(", ")
        );
    }
    for rename in &copy.rename {
        if !names.contains(&rename.from) {
            bail!("--rename {}={} names no table that is copied", shown(&rename.from), shown(&rename.to));
        }
    }
    let to = |name: &String| {
        let rename = copy.rename.iter().find(|rename| rename.from == *name);
        rename.map_or_else(|| name.clone(), |rename| rename.to.clone())
    };
    let pairs: Vec<Pair> = names.iter().map(|name| Pair { from: name.clone(), to: to(name) }).collect();
    if copy.is_resume && !known.is_empty() && known != pairs {
        let known: Vec<&str> = known.iter().map(|pair| pair.from.as_str()).collect();
        bail!("the copy that goes on is of {}; say --resume without other tables", known.join(", "));
    }
    Ok(pairs)
}
