//! Routes whose pages are kept and regenerated.

use std::sync::Arc;

use facetheory::{Mode, Policy};
use http::{HeaderName, header};
use serde_json::Value;
use tabletheory_core::Seconds;

use super::form::{Form, List, Word, Wrong, one_of};
use super::pattern::{Pattern, names};
use super::raw::Raw;
use super::section::Section;
use super::source::Source;
use super::span::{Patience, Window};
use super::word::Cookie;
use crate::page::may_be_keyed;
use crate::settings::{Chosen, KeyRule, PageRoute};

/// Parameters that say how somebody came to a page and nothing about the page.
const TRACKERS: &[&str] = &[
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "utm_id",
    "utm_source_platform",
    "utm_creative_format",
    "utm_marketing_tactic",
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "gad_source",
    "gad_campaignid",
    "srsltid",
    "msclkid",
    "yclid",
    "ysclid",
    "twclid",
    "ttclid",
    "igshid",
    "igsh",
    "li_fat_id",
    "epik",
    "rdt_cid",
    "sccid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "_hsenc",
    "_hsmi",
    "vero_id",
    "_ga",
    "_gl",
    "_gac",
];
const TAG_BYTES_MAX: usize = 256;
const DAY: i64 = 86_400;

/// What counts for pages whose route does not say it.
pub(super) struct Defaults {
    /// How long they are fresh, and who said so.
    pub(super) revalidate: (Seconds, Source),
    /// What passes them by.
    pub(super) bypass: Vec<HeaderName>,
}

/// A page that is kept and regenerated.
pub(super) fn read(route: &Section<'_>, pattern: &Pattern, defaults: &Defaults) -> PageRoute {
    let policy = policy(route, defaults);
    let names = |key| match route.find(key) {
        Some(_) => route.get::<List<HeaderName>>(key).map(|(List(names), _)| names).unwrap_or_default(),
        None => route.or(key, List(Vec::new())).0,
    };
    let key = KeyRule {
        query: route.or("query", Query(all_but_trackers())).0,
        headers: names("headers"),
        cookies: route
            .or("cookies", List::<Cookie>(Vec::new()))
            .0
            .into_iter()
            .map(|Cookie(name)| name)
            .collect(),
    };
    check_headers(route, &key.headers);
    let page = PageRoute {
        policy: Arc::new(policy),
        key,
        bypass: route.or("bypass", List(defaults.bypass.clone())).0,
        tags: tags(route, pattern),
        tag_header: route.maybe("tag_header"),
        follow_origin: route.or("follow_origin", route.find("revalidate").is_none()),
    };
    let is_keyed = |header: &HeaderName| {
        page.key.headers.contains(header) || *header == header::COOKIE && !page.key.cookies.is_empty()
    };
    for header in page.bypass.iter().filter(|header| is_keyed(header)) {
        let text = format!(
            "has `{header}`, and it makes another page too: requests with it are kept, or they are not"
        );
        route.refuse("bypass", text);
    }
    page
}

fn policy(route: &Section<'_>, defaults: &Defaults) -> Policy {
    let (revalidate, source) = defaults.revalidate.clone();
    let (Window(revalidate), _) = route.or_from("revalidate", Window(revalidate), source);
    let default = Policy::fresh_for(revalidate);
    let window = |key, default| route.or(key, Window(default)).0;
    let time = |key, default| route.or(key, Patience(default)).0;
    let mut policy = Policy {
        stale_max: window("stale", default.stale_max),
        stale_if_error: window("stale_if_error", default.stale_if_error),
        negative: window("negative", default.negative),
        ..default
    };
    // A page that may be served for long is kept for longer, unless somebody says otherwise.
    let served = revalidate.0.max(policy.negative.0) + policy.stale_max.0.max(policy.stale_if_error.0);
    policy.retention = window("retention", Seconds(policy.retention.0.max(served.saturating_add(DAY))));
    policy.mode = route.or("mode", When(policy.mode)).0;
    policy.wait = time("wait", policy.wait);
    policy.render_max = time("render_max", policy.render_max);
    policy.versions = route.or("versions", policy.versions);
    if let Err(error) = policy.check() {
        let key = match &error {
            facetheory::Error::RetentionTooShort { .. } => "retention",
            facetheory::Error::Window { name: "stale_max", .. } => "stale",
            facetheory::Error::Window { name, .. } => name,
            _ => "revalidate",
        };
        route.refuse(key, format!("cannot be: {error}"));
    }
    policy
}

/// When somebody waits for a render.
struct When(Mode);

const MODES: [(&str, Mode); 2] = [("background", Mode::Background), ("blocking", Mode::Blocking)];

impl Word for When {
    fn word(text: &str) -> Result<Self, String> {
        one_of(text, &MODES).map(Self)
    }

    fn written(&self) -> String {
        MODES.iter().find(|(_, mode)| *mode == self.0).map_or("", |(name, _)| name).to_owned()
    }
}

/// Which parameters make another page.
struct Query(Chosen);

fn all_but_trackers() -> Chosen {
    Chosen::AllBut(TRACKERS.iter().map(|name| (*name).to_owned()).collect())
}

impl Form for Query {
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong> {
        if raw.text().map(str::trim) == Some("*") {
            return Ok(Self(Chosen::AllBut(Vec::new())));
        }
        let List(names) = List::<String>::read(raw)?;
        if names.iter().any(|name| name == "*") {
            return Err("write `\"*\"` alone for all parameters, or a list of their names".into());
        }
        Ok(Self(Chosen::These(names)))
    }

    fn shown(&self) -> Value {
        match &self.0 {
            Chosen::AllBut(names) if names.is_empty() => Value::from("*"),
            Chosen::AllBut(_) => Value::from("all but those of trackers"),
            Chosen::These(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// Headers that cannot make another page: they are about the connection, the caller or the body.
fn check_headers(route: &Section<'_>, headers: &[HeaderName]) {
    for header in headers {
        let advice = match header.as_str() {
            "cookie" => "`cookies` names single ones",
            "authorization" => "answers to it are private; `bypass` passes such requests on",
            "host" => "the host is a part of every key",
            "accept-encoding" => "pages are kept once, and compressed here",
            _ if may_be_keyed(header) => continue,
            _ => "it says nothing about the page",
        };
        route.refuse("headers", format!("cannot have `{header}`: {advice}; leave it out"));
    }
}

fn tags(route: &Section<'_>, pattern: &Pattern) -> Vec<String> {
    let List(tags) = route.or("tags", List::<String>(Vec::new()));
    let known = pattern.names();
    for tag in &tags {
        if tag.len() > TAG_BYTES_MAX {
            route.refuse("tags", format!("has one of {} bytes: 256 are allowed", tag.len()));
        }
        if let Some(name) = names(tag).find(|name| !known.contains(name)) {
            let name = super::problem::shown(name);
            route.refuse("tags", format!("has `{{{name}}}`, and the path names no such part"));
        }
    }
    tags
}
