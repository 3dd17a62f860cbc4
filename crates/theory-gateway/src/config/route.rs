//! What is done with the paths of a pattern.

use std::sync::Arc;

use http::header::{self, HeaderName};
use tabletheory_core::Seconds;

use super::door::{self, Names};
use super::form::{Count, Word, one_of};
use super::page::{self, Defaults};
use super::pattern::{Pattern, Patterns};
use super::scope::Scope;
use super::section::Section;
use super::size::Size;
use super::source::Source;
use crate::settings::{CacheRoute, PassRoute, Route, RouteKind};

const VARIANTS: u32 = 16;
const KEPT_BYTES: u64 = 16 << 20;
/// Every path.
const EVERYWHERE: &str = "/{*path}";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    HttpCache,
    Pass,
}

const KINDS: [(&str, Kind); 3] =
    [("page", Kind::Page), ("http-cache", Kind::HttpCache), ("pass", Kind::Pass)];

impl Word for Kind {
    fn word(text: &str) -> Result<Self, String> {
        one_of(text, &KINDS)
    }

    fn written(&self) -> String {
        KINDS.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name).to_owned()
    }
}

/// What is done with a client's wish for something newer than what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoCache {
    Ignore,
    Obey,
}

const NO_CACHE: [(&str, NoCache); 2] = [("ignore", NoCache::Ignore), ("obey", NoCache::Obey)];

impl Word for NoCache {
    fn word(text: &str) -> Result<Self, String> {
        one_of(text, &NO_CACHE)
    }

    fn written(&self) -> String {
        NO_CACHE.iter().find(|(_, wish)| wish == self).map_or("", |(name, _)| name).to_owned()
    }
}

/// Keys that only one kind has.
const ONLY: [(Kind, &[&str]); 3] = [
    (
        Kind::Page,
        &[
            "revalidate",
            "stale",
            "stale_if_error",
            "negative",
            "retention",
            "mode",
            "wait",
            "render_max",
            "versions",
            "query",
            "headers",
            "cookies",
            "bypass",
            "tags",
            "tag_header",
            "follow_origin",
        ],
    ),
    (Kind::HttpCache, &["variants_max", "kept_max", "client_no_cache"]),
    (Kind::Pass, &["upgrade"]),
];

/// The routes of a site. Where none is written, everything is a page; where some are, everything else is passed on.
pub(super) fn read(
    site: &Section<'_>,
    name: &str,
    revalidate: &(Seconds, Source),
    names: &mut Names,
) -> Vec<Route> {
    let mut patterns = Patterns::default();
    let defaults = Defaults { revalidate: revalidate.clone(), bypass: vec![header::AUTHORIZATION] };
    let written = site.tables("route", Scope::Route);
    let mut routes: Vec<Route> = written
        .iter()
        .filter_map(|section| {
            let pattern = pattern(section)?;
            section.call(format!("{} {}", title(site, name), pattern.0));
            if let Err(error) = patterns.try_add(&pattern) {
                section.refuse("path", error);
                return None;
            }
            Some(route(section, pattern, Kind::Page, &defaults, name, names))
        })
        .collect();
    let (kind, bypass) = match written.is_empty() {
        true => (Kind::Page, unwritten_bypass()),
        false => (Kind::Pass, Vec::new()),
    };
    let defaults = Defaults { bypass, ..defaults };
    let pattern = Pattern(EVERYWHERE.to_owned());
    if patterns.try_add(&pattern).is_ok() {
        let table = format!("{}[{}]", site.full("route"), written.len());
        let section = Section::nowhere(site.reader(), Scope::Route, &table).heard(false);
        section.call(format!("{} {} (not written)", title(site, name), pattern.0));
        section.explain("path", pattern.0.as_str().into(), Source::Default);
        routes.push(route(&section, pattern, kind, &defaults, name, names));
    }
    routes
}

/// What passes pages by where no route is written: callers that are somebody, and the headers with which the client of Next's App Router asks
/// for parts of a page. Its answers say `Vary` with them, so a page could not be kept without.
fn unwritten_bypass() -> Vec<HeaderName> {
    let next =
        ["rsc", "next-router-state-tree", "next-router-prefetch", "next-router-segment-prefetch", "next-url"];
    let parts = next.into_iter().map(HeaderName::from_static);
    [header::AUTHORIZATION, header::COOKIE].into_iter().chain(parts).collect()
}

fn title(site: &Section<'_>, name: &str) -> String {
    if site.is_written() { format!("site {name}, route") } else { "route".to_owned() }
}

fn pattern(section: &Section<'_>) -> Option<Pattern> {
    if section.find("path").is_none() {
        section.refuse("path", "is missing: write which paths are meant, such as `/blog/{slug}`");
    }
    section.get::<Pattern>("path").map(|(pattern, _)| pattern)
}

fn route(
    section: &Section<'_>,
    pattern: Pattern,
    kind: Kind,
    defaults: &Defaults,
    site: &str,
    names: &mut Names,
) -> Route {
    let kind = section.or("kind", kind);
    for (owner, keys) in ONLY.iter().filter(|(owner, _)| *owner != kind) {
        for key in keys.iter() {
            if let Some(source) = section.writes(key) {
                let (key, owner, kind) = (section.full(key), owner.written(), kind.written());
                let text =
                    format!("`{key}` is for kind = \"{owner}\", and this route is \"{kind}\": leave it out");
                section.reader().refuse(source, text);
            }
        }
    }
    let kind = match kind {
        Kind::Page => RouteKind::Page(Arc::new(page::read(section, &pattern, defaults))),
        Kind::HttpCache => RouteKind::HttpCache(Arc::new(CacheRoute {
            variants_max: section.or("variants_max", Count::<1, 1000>(VARIANTS)).0 as usize,
            body_bytes_max: section.or("kept_max", Size::<1024>(KEPT_BYTES)).bytes(),
            obeys_clients: section.or("client_no_cache", NoCache::Ignore) == NoCache::Obey,
        })),
        Kind::Pass => RouteKind::Pass(Arc::new(PassRoute { upgrade: section.or("upgrade", true) })),
    };
    let limits = door::limits(section, &pattern, site, names);
    let idempotency = door::idempotency(section);
    Route { pattern: pattern.0, kind, limits, idempotency }
}
