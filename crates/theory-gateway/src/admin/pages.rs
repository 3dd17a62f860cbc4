//! Pages, leases and versions, as lists and one by one. Nothing is changed here.

use std::collections::HashMap;

use facetheory::record::{Journal, Meta};
use facetheory::{Partition, Tenant};
use serde_json::{Value, json};

use super::components::Components;
use super::problem::Problem;
use super::query::Query;
use super::view::{self, PageState};

const LISTED_USUAL: usize = 50;
const LISTED_MAX: usize = 500;
/// A list looks at so many pages before it says how far it came: a filter that fits nothing must not read a whole table.
const LOOKED_AT_MAX: usize = 5000;
/// Of pages that are filtered, so many are read at once.
const READ_AT_ONCE: usize = 200;
/// So many events are told of a page.
const EVENTS_MAX: usize = 50;

/// Which pages are listed.
struct Filter<'q> {
    prefix: Option<&'q str>,
    tenant: Option<&'q str>,
    state: Option<&'q str>,
    tag: Option<&'q str>,
}

impl<'q> Filter<'q> {
    fn read(query: &'q Query) -> Result<Self, Problem> {
        let state = query.get("state");
        if state.is_some_and(|state| !["fresh", "stale", "gone"].contains(&state)) {
            return Err(Problem::bad("`state` is fresh, stale or gone"));
        }
        Ok(Self { prefix: query.get("prefix"), tenant: query.get("tenant"), state, tag: query.get("tag") })
    }

    /// Whether it leaves anything out.
    fn is_some(&self) -> bool {
        self.prefix.or(self.tenant).or(self.state).or(self.tag).is_some()
    }

    fn takes(&self, meta: &Meta, state: PageState) -> bool {
        let begins = |prefix: &str| {
            let address = meta.page.as_deref().unwrap_or(&meta.pk);
            // With a path alone, whatever the host is.
            address.starts_with(prefix)
                || prefix.starts_with('/')
                    && address.find('/').is_some_and(|path| address[path..].starts_with(prefix))
        };
        self.prefix.is_none_or(begins)
            && self.tenant.is_none_or(|tenant| view::tenant(&meta.pk).as_deref() == Some(tenant))
            && self.state.is_none_or(|wanted| wanted == state.as_str())
            && self.tag.is_none_or(|tag| meta.tags.iter().any(|other| other == tag))
    }
}

/// `GET /api/pages`
pub(super) async fn list(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["prefix", "tenant", "state", "tag", "limit", "cursor"])?;
    let filter = Filter::read(&query)?;
    let limit = query.number("limit", LISTED_USUAL, LISTED_MAX)?;
    let (store, now) = (parts.isr.meta(), parts.now());
    let mut journals: HashMap<String, Option<Journal>> = HashMap::new();
    let (mut pages, mut malformed, mut looked_at) = (Vec::new(), 0, 0);
    let mut cursor = query.get("cursor").map(str::to_owned);
    loop {
        // Few of those that are read may be wanted, so more are read at once, and a list may be longer than was asked for.
        let wanted = limit - pages.len();
        let read = if filter.is_some() { wanted.max(READ_AT_ONCE) } else { wanted };
        let part = store.pages(read, cursor.as_deref()).await?;
        malformed += part.malformed;
        looked_at += part.pages.len().max(1);
        for meta in &part.pages {
            let Some(partition) = Partition::of_row(&meta.pk) else { continue };
            if !journals.contains_key(partition.site()) {
                // What was purged in a site is read once for all its pages.
                let journal = store.get(&partition).await?.journal;
                journals.insert(partition.site().to_owned(), journal);
            }
            let journal = journals.get(partition.site()).and_then(Option::as_ref);
            let state = PageState::of(meta, journal, now);
            if filter.takes(meta, state) {
                pages.push(view::page(meta, state, now));
            }
        }
        cursor = part.cursor;
        if cursor.is_none() || pages.len() >= limit || looked_at >= LOOKED_AT_MAX {
            break;
        }
    }
    Ok(json!({ "pages": pages, "malformed": malformed, "cursor": cursor }))
}

/// `GET /api/pages/show`
pub(super) async fn show(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["url", "id"])?;
    let partition = wanted(parts, query.get("url"), query.get("id"))?;
    let look = parts.isr.meta().watch(&partition).await?;
    let now = parts.now();
    let versions = parts.isr.meta().versions(&partition, None).await?;
    let meta = look.meta.as_ref();
    if meta.is_none() && look.lock.is_none() && versions.versions.is_empty() {
        return Err(no_page(&partition));
    }
    let address = meta.and_then(|meta| meta.page.clone());
    let mut events = parts.telemetry.happenings(0);
    events.retain(|happening| happening.page.is_some() && happening.page == address);
    let events: Vec<Value> = events.iter().rev().take(EVENTS_MAX).map(view::happening).collect();
    let shown = meta.and_then(|meta| meta.current_sk.as_deref());
    let state = |meta| PageState::of(meta, look.journal.as_ref(), now);
    Ok(json!({
        "id": partition.as_str(),
        "page": meta.map(|meta| view::page(meta, state(meta), now)),
        "meta": meta.map(view::meta_row),
        "lock": look.lock.as_ref().map(|lock| json!({
            "is_held": lock.is_held(now.seconds()),
            "expires_at": view::moment(tabletheory_core::Timestamp::from_seconds(lock.lease_expires_at)),
            "failures": lock.fail_count,
            "next_attempt_at": lock.next_attempt_ms.and_then(|ms| view::moment(tabletheory_core::Timestamp::from_millis(ms))),
        })),
        "malformed": look.malformed,
        "versions": versions.versions.iter().map(|version| view::version(version, shown)).collect::<Vec<_>>(),
        "events": events,
    }))
}

/// `GET /api/pages/versions`
pub(super) async fn versions(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["url", "id", "cursor"])?;
    let partition = wanted(parts, query.get("url"), query.get("id"))?;
    let look = parts.isr.meta().get(&partition).await?;
    let page = parts.isr.meta().versions(&partition, query.get("cursor")).await?;
    if look.meta.is_none() && page.versions.is_empty() {
        return Err(no_page(&partition));
    }
    let shown = look.meta.as_ref().and_then(|meta| meta.current_sk.as_deref());
    let versions: Vec<Value> = page.versions.iter().map(|version| view::version(version, shown)).collect();
    Ok(json!({
        "id": partition.as_str(),
        "url": look.meta.as_ref().and_then(|meta| meta.page.clone()),
        "versions": versions,
        "cursor": page.cursor,
    }))
}

/// `GET /api/leases`
pub(super) async fn leases(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["limit", "cursor"])?;
    let limit = query.number("limit", LISTED_USUAL, LISTED_MAX)?;
    let (store, now) = (parts.isr.meta(), parts.now());
    let page = store.leases(limit, query.get("cursor")).await?;
    let mut leases = Vec::with_capacity(page.leases.len());
    for lease in &page.leases {
        // There are few, and who looks at them wants to know of which page they are.
        let url = store.get(&lease.partition).await?.meta.and_then(|meta| meta.page);
        leases.push(view::lease(lease, url.as_deref(), now));
    }
    Ok(json!({ "leases": leases, "cursor": page.cursor }))
}

/// The page that is meant, by its address or by its partition.
pub(super) fn wanted(parts: &Components, url: Option<&str>, id: Option<&str>) -> Result<Partition, Problem> {
    match (url, id) {
        (Some(url), None) => Ok(parts.isr.meta().partition(&parts.backstage.resolve(url)?.key)?),
        (None, Some(id)) => {
            let detail = "`id` is no page's; take it from the list of pages";
            Partition::of_row(id).ok_or_else(|| Problem::bad(detail))
        }
        _ => Err(Problem::bad("say which page with `url` or with `id`, and not with both")),
    }
}

/// A tenant of some site.
pub(super) fn tenant(parts: &Components, name: &str) -> Result<Tenant, Problem> {
    let sites = parts.backstage.sites();
    let known = sites.into_iter().filter_map(|site| site.tenant);
    let mut known: Vec<Tenant> = known.collect();
    known.sort();
    known.dedup();
    if let Some(tenant) = known.iter().find(|tenant| tenant.as_str() == name) {
        return Ok(tenant.clone());
    }
    let names: Vec<&str> = known.iter().map(Tenant::as_str).collect();
    let there_are = if names.is_empty() {
        "sites have none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    Err(Problem::missing(format!("there is no such tenant; {there_are}")))
}

pub(super) fn no_page(partition: &Partition) -> Problem {
    Problem::missing(format!(
        "nothing is kept of this page ({partition}); visit it, or warm it, and it will be"
    ))
}
