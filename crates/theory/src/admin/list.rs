//! Lists that come in pieces: the gateway gives a cursor with each piece but the last, and it is asked until enough has come.

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use super::client::Gateway;
use crate::output::{paper, tone::Tone};

/// The most that is asked for at once.
const PIECE_MAX: u64 = 500;

/// How much of a list is wanted.
#[derive(Debug, Clone, Args)]
pub(crate) struct Range {
    /// How many at most.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// All of them, however many there are.
    #[arg(long = "all", conflicts_with = "limit")]
    is_all: bool,
    /// Where an earlier list ended.
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// A list that is asked for.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    /// The path of the API.
    pub(crate) path: &'a str,
    /// The member that holds the entries.
    pub(crate) member: &'a str,
    /// What is wanted of it.
    pub(crate) query: Vec<(&'a str, Option<&'a str>)>,
    /// How much.
    pub(crate) range: &'a Range,
}

/// Gives the entries piece by piece to `print`, or prints them as one JSON document in the API's own form.
pub(crate) async fn listing(
    gateway: &Gateway,
    listing: Listing<'_>,
    is_json: bool,
    mut print: impl FnMut(&[Value]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut left = if listing.range.is_all { u64::MAX } else { listing.range.limit };
    let mut cursor = listing.range.cursor.clone();
    let mut is_first = true;
    loop {
        let limit = left.min(PIECE_MAX).to_string();
        let mut query = listing.query.clone();
        query.extend([("limit", Some(limit.as_str())), ("cursor", cursor.as_deref())]);
        let mut answer = gateway.get(listing.path, &query).await?;
        let Some(Value::Array(entries)) = answer.get_mut(listing.member).map(Value::take) else {
            bail!(
                "the gateway's answer to GET {} has no list `{}`; is it of another version?",
                listing.path,
                listing.member
            );
        };
        let next = answer.get("cursor").and_then(Value::as_str).map(str::to_owned);
        if is_json {
            paper::text_of(piece(listing.member, &entries, std::mem::take(&mut is_first)))?;
        } else {
            print(&entries)?;
        }
        left = left.saturating_sub(u64::try_from(entries.len()).unwrap_or(u64::MAX));
        if next.is_some() && next == cursor {
            bail!("the gateway gives the same cursor again and again: {}", next.unwrap_or_default());
        }
        if left == 0 || next.is_none() {
            return end(next, is_json);
        }
        cursor = next;
    }
}

/// A piece of the JSON document; the first opens it.
fn piece(member: &str, entries: &[Value], is_first: bool) -> String {
    let mut text = if is_first { format!("{{\"{member}\":[") } else { String::new() };
    for (at, entry) in entries.iter().enumerate() {
        text.push_str(if is_first && at == 0 { "\n" } else { ",\n" });
        text.push_str(&entry.to_string());
    }
    text
}

/// Says where to go on.
fn end(next: Option<String>, is_json: bool) -> anyhow::Result<()> {
    if is_json {
        return paper::line(format_args!("\n],\"cursor\":{}}}", Value::from(next)));
    }
    if let Some(next) = next {
        let text = format!("there are more: --all, or go on with --cursor {next}");
        paper::aside(Tone::Quiet.paint_aside(&text));
    }
    Ok(())
}
