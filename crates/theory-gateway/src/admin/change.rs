//! What operators change about pages: rendered again, purged, shown as they were. Each change leaves a line in the log and in
//! the list of events.

use facetheory::meta::{Group, Purge, Purged, Rollback};
use facetheory::{Regenerated, Tenant};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tabletheory_core::Seconds;
use tokio::time::Instant;

use super::backstage::Place;
use super::components::Components;
use super::pages::{no_page, tenant, wanted};
use super::problem::Problem;

/// For so long an older version is shown, unless it is said.
const HOLD_USUAL: i64 = 3600;

/// What is kept by HTTP's own rules is kept by each process for itself, and so is it forgotten.
const REACH: &str = "this process";

/// Which pages are meant: one by `url` or `id`; or those of a `tag`, of a `tenant`, or `all`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    url: Option<String>,
    id: Option<String>,
    tag: Option<String>,
    tenant: Option<String>,
    all: Option<bool>,
    hard: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedVersion {
    url: Option<String>,
    id: Option<String>,
    version: String,
    hold_s: Option<i64>,
}

/// What is meant by it.
enum Aim<'w> {
    Url(&'w str),
    Id(&'w str),
    Group(Vec<Option<Tenant>>, Group<'w>),
}

impl Wanted {
    fn aim(&self, parts: &Components) -> Result<Aim<'_>, Problem> {
        let all = self.all == Some(true);
        match (&self.url, &self.id, &self.tag, &self.tenant, all) {
            (Some(url), None, None, None, false) => Ok(Aim::Url(url)),
            (None, Some(id), None, None, false) => Ok(Aim::Id(id)),
            (None, None, Some(tag), None, false) if !tag.is_empty() => {
                Ok(Aim::Group(tenants(parts), Group::Tag(tag)))
            }
            (None, None, Some(tag), Some(name), false) if !tag.is_empty() => {
                Ok(Aim::Group(vec![Some(tenant(parts, name)?)], Group::Tag(tag)))
            }
            (None, None, None, Some(name), _) => Ok(Aim::Group(vec![Some(tenant(parts, name)?)], Group::All)),
            (None, None, None, None, true) => Ok(Aim::Group(tenants(parts), Group::All)),
            _ => Err(Problem::bad(
                "say which pages: one of `url`, `id`, `tag` (of a `tenant`, if you like), `tenant`, or `all`: true",
            )),
        }
    }
}

/// `POST /api/pages/revalidate`
pub(super) async fn revalidate(parts: &Components, wanted: Wanted) -> Result<Value, Problem> {
    if wanted.hard.is_some() {
        return Err(Problem::bad(
            "`hard` is for purges; a page that is revalidated stays until the new one is there",
        ));
    }
    match wanted.aim(parts)? {
        Aim::Url(url) => match parts.backstage.forget_address(url, Purge::Stale)? {
            Some(answers) => Ok(forgotten(parts, "revalidate", url, Purge::Stale, answers)),
            None => render(parts, &parts.backstage.resolve(url)?).await,
        },
        Aim::Id(id) => {
            let partition = self::wanted(parts, None, Some(id))?;
            let Some(meta) = parts.isr.meta().get(&partition).await?.meta else {
                return Err(no_page(&partition));
            };
            let place = meta.page.as_deref().and_then(|address| parts.backstage.resolve(address).ok());
            // A page that depends on headers or cookies is rendered when a visitor brings them.
            let same =
                |place: &Place| parts.isr.meta().partition(&place.key).is_ok_and(|other| other == partition);
            match place.filter(same) {
                Some(place) => render(parts, &place).await,
                None => {
                    parts.isr.invalidate_partition(&partition, Purge::Stale).await?;
                    note(parts, "revalidate", meta.page.as_deref().unwrap_or(id), "marked stale");
                    Ok(json!({ "what": "page", "id": id, "url": meta.page, "outcome": "marked-stale" }))
                }
            }
        }
        Aim::Group(tenants, group) => purge_groups(parts, &tenants, group, Purge::Stale, "revalidate").await,
    }
}

/// `POST /api/pages/purge`
pub(super) async fn purge(parts: &Components, wanted: Wanted) -> Result<Value, Problem> {
    let purge = if wanted.hard.unwrap_or(true) { Purge::Gone } else { Purge::Stale };
    let (what, id, url, purged) = match wanted.aim(parts)? {
        Aim::Group(tenants, group) => return purge_groups(parts, &tenants, group, purge, "purge").await,
        Aim::Url(url) => {
            if let Some(answers) = parts.backstage.forget_address(url, purge)? {
                return Ok(forgotten(parts, "purge", url, purge, answers));
            }
            let place = parts.backstage.resolve(url)?;
            let mut purged = parts.isr.invalidate(&place.key, purge).await?;
            if let Some(path) = place.key.page_path().filter(|_| place.has_variants) {
                purged =
                    parts.isr.invalidate_group(place.key.page_tenant(), Group::Path(path), purge).await?;
            }
            ("page", parts.isr.meta().partition(&place.key)?, Some(place.address), purged)
        }
        Aim::Id(id) => {
            let partition = self::wanted(parts, None, Some(id))?;
            let url = parts.isr.meta().get(&partition).await?.meta.and_then(|meta| meta.page);
            let purged = parts.isr.invalidate_partition(&partition, purge).await?;
            ("page", partition, url, purged)
        }
    };
    let outcome = match purged {
        Purged::Page => "purged",
        Purged::NoPage => "no-page",
        Purged::Group(_) => "purged-with-variants",
    };
    note(parts, "purge", url.as_deref().unwrap_or(id.as_str()), word(purge));
    Ok(
        json!({ "what": what, "id": id.as_str(), "url": url, "hard": purge == Purge::Gone, "outcome": outcome }),
    )
}

/// `POST /api/pages/rollback`
pub(super) async fn rollback(parts: &Components, wanted: WantedVersion) -> Result<Value, Problem> {
    let hold = Seconds(wanted.hold_s.unwrap_or(HOLD_USUAL));
    let (id, version) = (wanted.id.as_deref(), wanted.version.as_str());
    let partition = self::wanted(parts, wanted.url.as_deref(), id)?;
    let place = wanted.url.as_deref().map(|url| parts.backstage.resolve(url)).transpose()?;
    let rollback = match &place {
        Some(place) => parts.isr.rollback(&place.key, version, hold).await?,
        None => parts.isr.rollback_partition(&partition, version, hold).await?,
    };
    match rollback {
        Rollback::Shown(meta) => {
            let detail = format!("version {version} for {} s", hold.0);
            note(parts, "rollback", meta.page.as_deref().unwrap_or(partition.as_str()), &detail);
            Ok(json!({
                "id": partition.as_str(), "url": meta.page, "version": version, "hold_s": hold.0, "outcome": "shown",
            }))
        }
        Rollback::NoSuchVersion => {
            Err(Problem::missing("the page has no such version; list its versions first"))
        }
        Rollback::Lost => {
            let detail = "the page was published or purged meanwhile, and nothing was changed; look at its versions and try again";
            Err(Problem::new(StatusCode::CONFLICT, detail))
        }
    }
}

async fn render(parts: &Components, place: &Place) -> Result<Value, Problem> {
    let started = Instant::now();
    let outcome = match parts.backstage.regenerate(place).await {
        Ok(regenerated) => word_of(regenerated),
        Err(why) => {
            return Err(Problem::new(StatusCode::BAD_GATEWAY, format!("the page was not rendered: {why}")));
        }
    };
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    note(parts, "revalidate", &place.address, outcome);
    Ok(json!({ "what": "page", "url": place.address, "outcome": outcome, "ms": ms }))
}

async fn purge_groups(
    parts: &Components,
    tenants: &[Option<Tenant>],
    group: Group<'_>,
    purge: Purge,
    verb: &'static str,
) -> Result<Value, Problem> {
    let (what, tag) = match group {
        Group::Tag(tag) => ("tag", Some(tag)),
        _ => ("all", None),
    };
    // What is in memory goes first: that needs no store, which may be gone.
    let answers = parts.backstage.forget_group(tenants, tag, purge);
    for tenant in tenants {
        parts.isr.invalidate_group(tenant.as_ref(), group, purge).await?;
    }
    let names: Vec<Option<&str>> = tenants.iter().map(|tenant| tenant.as_ref().map(Tenant::as_str)).collect();
    let of = if names == [None] {
        String::new()
    } else {
        format!(" of {}", names.iter().map(|name| name.unwrap_or("no tenant")).collect::<Vec<_>>().join(", "))
    };
    note(
        parts,
        verb,
        &format!("{}{of}", tag.map_or_else(|| "all pages".to_owned(), |tag| format!("tag {tag}"))),
        word(purge),
    );
    let outcome = if purge == Purge::Gone { "purged" } else { "marked-stale" };
    Ok(json!({
        "what": what,
        "tag": tag,
        "tenants": names,
        "hard": purge == Purge::Gone,
        "outcome": outcome,
        "http_cache": { "answers": answers, "reach": REACH },
    }))
}

/// What is told after what an http cache keeps of an address was forgotten.
fn forgotten(parts: &Components, verb: &'static str, url: &str, purge: Purge, answers: usize) -> Value {
    note(parts, verb, url, word(purge));
    let outcome = match (answers, purge) {
        (0, _) => "nothing-kept",
        (_, Purge::Stale) => "marked-stale",
        (_, Purge::Gone) => "purged",
    };
    let is_hard = purge == Purge::Gone;
    json!({ "what": "http-cache", "url": url, "hard": is_hard, "outcome": outcome, "answers": answers, "reach": REACH })
}

/// The tenants of all sites, and none where a site has none.
fn tenants(parts: &Components) -> Vec<Option<Tenant>> {
    let mut tenants: Vec<Option<Tenant>> =
        parts.backstage.sites().into_iter().map(|site| site.tenant).collect();
    tenants.sort();
    tenants.dedup();
    tenants
}

/// Leaves a line about a change. Whoever has the token is one and the same.
pub(super) fn note(parts: &Components, verb: &'static str, what: &str, detail: &str) {
    tracing::info!(target: "theory::audit", who = "operator", verb, what, detail, "changed");
    parts.telemetry.noted(verb, Some(what.to_owned()), detail);
}

fn word(purge: Purge) -> &'static str {
    match purge {
        Purge::Stale => "stale",
        Purge::Gone => "gone",
    }
}

fn word_of(regenerated: Regenerated) -> &'static str {
    match regenerated {
        Regenerated::Published => "published",
        Regenerated::LeftToOthers => "left-to-others",
        Regenerated::NotKept => "not-kept",
        Regenerated::NotStored => "not-stored",
        Regenerated::Unkeepable => "unkeepable",
        Regenerated::Failed => "failed",
        _ => "store-failed",
    }
}
