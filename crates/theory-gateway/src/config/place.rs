//! Where rows and bodies are, what tables are called, and how much is in memory.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tabletheory_engine::Durability;

use super::form::{Word, one_of};
use super::scope::Scope;
use super::section::Section;
use super::size::Size;
use super::source::Source;
use super::span::{Patience, Span};
use crate::settings::{BodyPlace, MemoryBounds, StorePlace, Tables};

const INTERVAL_MS: u64 = 100;
const TABLE_NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=255;
const PREFIX_BYTES_MAX: usize = 127;
/// With less, recent writes would go to files one by one.
const ROWS_BYTES_MIN: u64 = 4 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreKind {
    Embedded,
    Memory,
    DynamoDb,
}

const STORES: [(&str, StoreKind); 3] =
    [("embedded", StoreKind::Embedded), ("memory", StoreKind::Memory), ("dynamodb", StoreKind::DynamoDb)];

impl Word for StoreKind {
    fn word(text: &str) -> Result<Self, String> {
        one_of(text, &STORES)
    }

    fn written(&self) -> String {
        STORES.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name).to_owned()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Dir,
    Memory,
    S3,
}

const BODIES: [(&str, BodyKind); 3] =
    [("dir", BodyKind::Dir), ("memory", BodyKind::Memory), ("s3", BodyKind::S3)];

impl Word for BodyKind {
    fn word(text: &str) -> Result<Self, String> {
        one_of(text, &BODIES)
    }

    fn written(&self) -> String {
        BODIES.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name).to_owned()
    }
}

/// What an answered write survives.
struct Survives(Durability);

impl Word for Survives {
    fn word(text: &str) -> Result<Self, String> {
        let wrong = || "it is one of sync, interval, interval:250ms, memory".to_owned();
        let durability = match text.split_once(':') {
            None if text == "sync" => Durability::Sync,
            None if text == "interval" => Durability::Interval(INTERVAL_MS),
            None if text == "memory" => Durability::Memory,
            Some(("interval", span)) => {
                let Patience(span) = Patience::word(span).map_err(|_| wrong())?;
                Durability::Interval(u64::try_from(span.as_millis()).map_err(|_| wrong())?)
            }
            _ => return Err(wrong()),
        };
        Ok(Self(durability))
    }

    fn written(&self) -> String {
        match self.0 {
            Durability::Sync => "sync".to_owned(),
            Durability::Interval(ms) => {
                format!("interval:{}", Span(Duration::from_millis(ms)).written())
            }
            Durability::Memory => "memory".to_owned(),
        }
    }
}

/// Where rows are.
pub(super) fn store(top: &Section<'_>, data: &Path) -> StorePlace {
    let store = top.table("store", Scope::Store);
    let kind = store.or("kind", StoreKind::Embedded);
    let only = |keys: &[&str], owner: StoreKind| only_for(&store, keys, kind == owner, &owner.written());
    only(&["dir", "durability"], StoreKind::Embedded);
    only(&["endpoint", "region"], StoreKind::DynamoDb);
    match kind {
        StoreKind::Memory => StorePlace::Memory,
        StoreKind::Embedded => {
            let folder = folder(&store, data.join("store"));
            let Survives(durability) = store.or("durability", Survives(Durability::Sync));
            StorePlace::Embedded { folder, durability }
        }
        StoreKind::DynamoDb => {
            let endpoint = endpoint(&store);
            StorePlace::DynamoDb { endpoint, region: store.maybe::<String>("region") }
        }
    }
}

/// Where bodies are, and how often those that nothing names are looked for.
pub(super) fn bodies(top: &Section<'_>, data: &Path, store: &StorePlace) -> (BodyPlace, Duration) {
    let bodies = top.table("bodies", Scope::Bodies);
    if matches!(store, StorePlace::DynamoDb { .. }) && bodies.find("kind").is_none() {
        bodies.refuse(
            "kind",
            "is not said, and rows in DynamoDB are shared by a fleet: write `s3`, or `dir` if all gateways share that folder",
        );
    }
    let default = if *store == StorePlace::Memory { BodyKind::Memory } else { BodyKind::Dir };
    let kind = bodies.or("kind", default);
    let only = |keys: &[&str], owner: BodyKind| only_for(&bodies, keys, kind == owner, &owner.written());
    only(&["dir"], BodyKind::Dir);
    only(&["bucket", "prefix", "endpoint", "region"], BodyKind::S3);
    let Patience(sweep_every) = bodies.or("sweep_every", Patience(Duration::from_secs(3600)));
    let place = match kind {
        BodyKind::Memory => {
            if *store != StorePlace::Memory {
                bodies.refuse("kind", "cannot be memory: rows are kept, and would name bodies that are forgotten at the end; write `dir` or `s3`, or [store] kind = \"memory\"");
            }
            BodyPlace::Memory
        }
        BodyKind::Dir => BodyPlace::Folder(folder(&bodies, data.join("bodies"))),
        BodyKind::S3 => s3(&bodies),
    };
    (place, sweep_every)
}

fn s3(bodies: &Section<'_>) -> BodyPlace {
    if bodies.find("bucket").is_none() {
        bodies.refuse("bucket", "is missing: S3 needs the name of a bucket");
    }
    let bucket = bodies.get::<String>("bucket").map(|(bucket, _)| bucket).unwrap_or_default();
    let prefix = bodies.maybe::<String>("prefix").unwrap_or_default();
    let is_part = |part: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_plain)
    };
    if !prefix.is_empty() && (prefix.len() > PREFIX_BYTES_MAX || !prefix.split('/').all(is_part)) {
        bodies.refuse(
            "prefix",
            "is no relative path of letters, digits, `-`, `_` and `.`, such as `isr/pages`",
        );
    }
    let endpoint = endpoint(bodies);
    BodyPlace::S3 { bucket, prefix, endpoint, region: bodies.maybe::<String>("region") }
}

fn endpoint(section: &Section<'_>) -> Option<String> {
    let endpoint = section.maybe::<String>("endpoint")?;
    let uri = endpoint.parse::<http::Uri>().ok();
    let is_http = uri.is_some_and(|uri| {
        let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some() && !has_user
    });
    if !is_http {
        section
            .refuse("endpoint", "is no address: write `http://` or `https://`, host and port, and no user");
    }
    Some(endpoint)
}

fn folder(section: &Section<'_>, default: std::path::PathBuf) -> std::path::PathBuf {
    match section.find("dir") {
        Some(_) => section.path("dir").map_or(default, |(folder, _)| folder),
        None => {
            section.explain("dir", Value::String(default.display().to_string()), Source::Default);
            default
        }
    }
}

/// Keys of one kind that the file says for another are mistakes. Variables are set for many programs, and are not.
fn only_for(section: &Section<'_>, keys: &[&str], is_this: bool, kind: &str) {
    for key in keys.iter().filter(|_| !is_this) {
        if let Some(source) = section.writes(key) {
            let text = format!("`{}` is for kind = \"{kind}\": leave it out", section.full(key));
            section.reader().refuse(source, text);
        }
    }
}

/// What a table can be called.
struct TableName(String);

impl Word for TableName {
    fn word(text: &str) -> Result<Self, String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        match TABLE_NAME_CHARS.contains(&text.len()) && text.bytes().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err("a table has 3 to 255 letters, digits, `-`, `_` and `.`".to_owned()),
        }
    }

    fn written(&self) -> String {
        self.0.clone()
    }
}

/// What tables are called.
pub(super) fn tables(top: &Section<'_>) -> Tables {
    let section = top.table("tables", Scope::Tables);
    let default = Tables::default();
    let named = |key, name: String| section.or(key, TableName(name)).0;
    let tables = Tables {
        cache: named("cache", default.cache),
        limits: named("limits", default.limits),
        requests: named("requests", default.requests),
        create: section.or("create", default.create),
    };
    // Their rows have different keys.
    if tables.cache == tables.limits || tables.cache == tables.requests {
        section.refuse("cache", "is the name of another table as well: give each its own");
    } else if tables.limits == tables.requests {
        section.refuse("limits", "is the name of `requests` as well: give each its own");
    }
    tables
}

/// How much is kept in memory: rows of an embedded store, what is known of pages, their bodies, and those of HTTP's own cache.
pub(super) fn memory(top: &Section<'_>) -> MemoryBounds {
    let memory = top.table("memory", Scope::Memory);
    let bytes = |name, default| memory.or(name, Size::<0>(default)).bytes();
    MemoryBounds {
        rows: memory.or("rows", Size::<ROWS_BYTES_MIN>(160 << 20)).bytes(),
        known: bytes("known", 96 << 20),
        pages: bytes("pages", 64 << 20),
        http_cache: bytes("http_cache", 64 << 20),
    }
}
