//! Example, documentation and the list of keys agree with each other and with what is read.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tabletheory_engine::Durability;

use super::{load, load_with};
use crate::config::{EXAMPLE, KEYS, Known, Scope, Source};
use crate::settings::{BodyPlace, StorePlace};

const BOOK: &str = include_str!("../../../../../docs/configuration.md");

/// Keys that are tables.
const TABLES: [&str; 10] = [
    "tls",
    "admin",
    "store",
    "tables",
    "bodies",
    "memory",
    "telemetry",
    "site",
    "rate_limits",
    "idempotency",
];

fn is_table(known: &Known) -> bool {
    let is_list = known.name == "route" || known.name == "limits" && known.scope == Scope::Top;
    let is_short = known.name == "origin" && known.scope == Scope::Site;
    is_list || is_short || TABLES.contains(&known.name)
}

/// The table that a heading begins.
fn scope(heading: &str) -> Scope {
    let name = heading.trim_matches(['[', ']']).rsplit('.').next().unwrap_or_default();
    match name {
        "tls" => Scope::Tls,
        "admin" => Scope::Admin,
        "store" => Scope::Store,
        "tables" => Scope::Tables,
        "bodies" => Scope::Bodies,
        "memory" => Scope::Memory,
        "limits" => Scope::Limits,
        "telemetry" => Scope::Telemetry,
        "site" => Scope::Site,
        "origin" => Scope::Origin,
        "route" => Scope::Route,
        "rate_limits" => Scope::RateLimit,
        "idempotency" => Scope::Idempotency,
        other => panic!("{other} is no table"),
    }
}

/// The keys that the example shows, also those that are commented out.
fn shown_keys() -> BTreeSet<(Scope, String)> {
    let mut current = Scope::Top;
    let mut keys = BTreeSet::new();
    for line in EXAMPLE.lines().map(|line| line.strip_prefix('#').unwrap_or(line)) {
        // A comment for people has a space behind its sign.
        if line.starts_with('[') {
            current = scope(line);
        } else if let Some((key, _)) = line.split_once(" = ")
            && !line.starts_with(' ')
        {
            keys.insert((current, key.to_owned()));
        }
    }
    keys
}

#[test]
fn the_example_works_as_it_stands() {
    let settings = load(EXAMPLE).expect("the example is right").settings;
    assert_eq!((settings.sites.len(), settings.sites[0].routes.len()), (1, 4));
}

/// The example once named the folders of rows and bodies, and a service that was told `--data` kept them beside its settings.
#[test]
fn whoever_uses_the_example_can_still_say_where_data_is() {
    let settings = load_with(EXAMPLE, &[], &[("--data", "/var/lib/theory")]).expect("it is right").settings;
    let folder = PathBuf::from("/var/lib/theory/store");
    assert_eq!(settings.store, StorePlace::Embedded { folder, durability: Durability::Sync });
    assert_eq!(settings.bodies, BodyPlace::Folder(PathBuf::from("/var/lib/theory/bodies")));
}

#[test]
fn the_example_shows_every_key_and_no_other() {
    let known: BTreeSet<(Scope, String)> = KEYS
        .iter()
        .filter(|known| !is_table(known))
        .map(|known| (known.scope, known.name.to_owned()))
        .collect();
    assert_eq!(shown_keys(), known);
}

#[test]
fn what_the_example_comments_out_could_be_said() {
    let kinds = EXAMPLE
        .replace("kind = \"embedded\"", "kind = \"dynamodb\"")
        .replace("kind = \"dir\"", "kind = \"s3\"")
        .replace("\ndurability = ", "\n#durability = ");
    let said = |line: &str| {
        let is_key = line.strip_prefix('#').is_some_and(|rest| !rest.starts_with([' ', '#']));
        let is_left =
            ["#origin", "#dir", "#durability", "#token_file"].iter().any(|left| line.starts_with(left));
        if is_key && !is_left { line[1..].to_owned() } else { line.to_owned() }
    };
    let text: Vec<String> = kinds.lines().map(said).collect();
    let effective = load(&text.join("\n")).unwrap_or_else(|error| panic!("{error}"));
    for key in ["token", "bucket", "prefix", "endpoint", "region", "cert", "key"] {
        let values = effective.explanation.values();
        let is_said = |source: &Source| matches!(source, Source::File { .. });
        assert!(values.iter().any(|value| value.key == key && is_said(&value.source)), "{key}");
    }
}

#[test]
fn defaults_are_what_the_list_says() {
    let text = "[[route]]\npath = '/p'\nidempotency = true\nrate_limits = [{name = 'made of the path', limit = '1/s'}]\n\
                [[route]]\npath = '/c'\nkind = 'http-cache'\n[[route]]\npath = '/x'\nkind = 'pass'";
    let text = text.replace("made of the path", "n");
    let flags = [("--origin", "http://127.0.0.1:3000")];
    let effective = load_with(&text, &[], &flags).unwrap_or_else(|error| panic!("{error}"));
    let site = load("[[site]]\norigin = 'http://a'").expect("a site");
    let values = effective.explanation.values().iter().chain(site.explanation.values());
    let mut seen = BTreeSet::new();
    for value in values.filter(|value| value.source == Source::Default) {
        let name: String = value.table.rsplit('.').next().unwrap_or_default().to_owned();
        let name = name.split('[').next().unwrap_or_default();
        let scope = if name.is_empty() { Scope::Top } else { scope(name) };
        let known = Known::find(scope, value.key).expect("it is in the list");
        seen.insert((scope, value.key));
        let is_made = ["path", "dir"].contains(&value.key) || (scope, value.key) == (Scope::Site, "name");
        // Routes that are not written are of the kind that suits them.
        let is_unwritten = scope == Scope::Route && ["kind", "bypass"].contains(&value.key);
        if !is_made && !is_unwritten {
            assert_eq!(value.text(), known.default, "{}.{}", value.table, value.key);
        }
    }
    assert!(seen.len() > 55, "{}", seen.len());
}

#[test]
fn the_documentation_tells_every_key() {
    for known in KEYS {
        let default = match known.default {
            "" => "—".to_owned(),
            default if default.contains(' ') && default != "POST, PATCH" => default.to_owned(),
            default => format!("`{default}`"),
        };
        let outside: Vec<String> =
            known.flag.iter().chain(known.variables).map(|name| format!("`{name}`")).collect();
        let row = format!("| `{}` | {default} | {} | {} |", known.name, known.meaning, outside.join(" "));
        let row = row.replace("  |", " |");
        let heading = format!("### {}\n", known.scope.heading());
        let section = BOOK.split_once(&heading).unwrap_or_else(|| panic!("{heading} is missing")).1;
        let section = section.split("\n#").next().unwrap_or_default();
        assert!(section.contains(&row), "docs/configuration.md has not in its section {heading}{row}");
    }
}

#[test]
fn variables_and_flags_are_told_apart() {
    let mut flags: Vec<&str> = KEYS.iter().filter_map(|known| known.flag).collect();
    let count = flags.len();
    flags.sort_unstable();
    flags.dedup();
    assert_eq!(flags.len(), count, "no flag means two keys");
    for known in KEYS {
        assert!(known.flag.is_none_or(|flag| flag.starts_with("--")));
        assert!(known.meaning.ends_with('.') && !known.meaning.contains('|'), "{}", known.name);
    }
}
