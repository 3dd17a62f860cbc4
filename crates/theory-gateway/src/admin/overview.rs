//! Everything at a glance: what a dashboard asks for every two seconds.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::backstage::Kept;
use super::components::Components;
use super::figures::Figures;
use super::limits;
use super::problem::Problem;
use super::process::Process;
use super::query::Query;
use super::view::seconds_between;
use crate::telemetry::{Outcome, Reading, Sample, Underway};

/// What is told of now is of so many milliseconds.
const NOW_MS: i64 = 60_000;
/// No more renders under way are listed.
const UNDERWAY_MAX: usize = 50;

/// `GET /api/overview`
pub(super) async fn overview(
    parts: &Components,
    figures: &Figures,
    query: Option<&str>,
) -> Result<Value, Problem> {
    let query = Query::read(query, &["series"])?;
    let series = query.get("series").unwrap_or("all");
    if !["all", "short", "long", "none"].contains(&series) {
        return Err(Problem::bad("`series` is all, short, long or none"));
    }
    let now = parts.now();
    let [short, long] = parts.telemetry.samples();
    let reading = parts.telemetry.reading();
    let figures = figures.read(parts).await;
    let samples = |name: &str, samples: &[Sample]| {
        (series == "all" || series == name).then(|| samples.iter().map(sample).collect::<Vec<_>>())
    };
    Ok(json!({
        "version": parts.version,
        "now_ms": now.millis(),
        "started_ms": parts.telemetry.started().millis(),
        "uptime_s": seconds_between(parts.telemetry.started(), now),
        "outcomes": Outcome::ALL.map(Outcome::as_str),
        "hit_ratio": reading.hit_ratio(),
        "totals": totals(parts, &reading),
        "now": lately(&short, now.millis()),
        "series": { "short": samples("short", &short), "long": samples("long", &long) },
        "underway": underway(parts),
        "limits": limits::counts(parts),
        "store": figures["store"],
        "bodies": figures["bodies"],
        "http_cache": http_cache(parts),
        "process": Process::now().view(),
        "sites": sites(parts),
    }))
}

/// Renders under way in this process.
pub(super) fn underway(parts: &Components) -> Value {
    let (count, renders) = parts.telemetry.underway();
    let now = parts.now();
    let view = |render: &Underway| {
        let for_ms = now.millis().saturating_sub(render.since.millis()).max(0);
        json!({ "page": render.page, "tenant": render.tenant, "for_ms": for_ms })
    };
    json!({ "count": count, "renders": renders.iter().take(UNDERWAY_MAX).map(view).collect::<Vec<_>>() })
}

/// What routes of the kind `http-cache` keep in this process.
fn http_cache(parts: &Components) -> Value {
    let Kept { bytes, bytes_max, addresses } = parts.backstage.http_cache();
    json!({ "bytes": bytes, "bytes_max": bytes_max, "addresses": addresses })
}

fn totals(parts: &Components, reading: &Reading) -> Value {
    let (rendered, failed, times) = parts.telemetry.renders();
    let outcomes: Map<String, Value> =
        Outcome::ALL.into_iter().map(|outcome| (outcome.to_string(), reading.of(outcome).into())).collect();
    let classes: Map<String, Value> =
        (1..=5).map(|class| (format!("{class}xx"), reading.of_class(class).into())).collect();
    json!({
        "requests": reading.count(),
        "bytes": reading.bytes,
        "errors": reading.of_class(5),
        "outcomes": outcomes,
        "classes": classes,
        "p50_ms": ms(reading.latency.quantile(0.5)),
        "p95_ms": ms(reading.latency.quantile(0.95)),
        "p99_ms": ms(reading.latency.quantile(0.99)),
        "rendered": rendered,
        "render_failed": failed,
        "render_p50_ms": ms(times.quantile(0.5)),
        "render_p99_ms": ms(times.quantile(0.99)),
        "kinds": parts.telemetry.kinds(),
    })
}

/// What happened in the last minute.
#[expect(clippy::cast_precision_loss, reason = "rates and ratios for people")]
fn lately(samples: &[Sample], now_ms: i64) -> Value {
    let lately: Vec<&Sample> =
        samples.iter().filter(|sample| sample.start.millis() + sample.span_ms > now_ms - NOW_MS).collect();
    let span_s = lately.iter().map(|sample| sample.span_ms).sum::<i64>() as f64 / 1000.0;
    let sum = |of: &dyn Fn(&Sample) -> u64| lately.iter().map(|sample| of(sample)).sum::<u64>();
    let of = |is: fn(Outcome) -> bool| {
        sum(&|sample| {
            Outcome::ALL
                .into_iter()
                .filter(|outcome| is(*outcome))
                .map(|it| sample.outcomes[it as usize])
                .sum()
        })
    };
    let rate = |count: u64| if span_s > 0.0 { round(count as f64 / span_s) } else { 0.0 };
    let of_cache = of(Outcome::is_of_cache);
    let quantiles = lately.iter().rev().find_map(|sample| sample.quantiles);
    json!({
        "requests_per_s": rate(of(|_| true)),
        "errors_per_s": rate(sum(&|sample| sample.errors)),
        "renders_per_s": rate(sum(&|sample| sample.rendered + sample.failed)),
        "bytes_per_s": rate(sum(&|sample| sample.bytes)),
        "hit_ratio": (of_cache > 0).then(|| of(Outcome::is_from_cache) as f64 / of_cache as f64),
        "p50_ms": ms(quantiles.map(|[half, _, _]| half)),
        "p95_ms": ms(quantiles.map(|[_, most, _]| most)),
        "p99_ms": ms(quantiles.map(|[_, _, nearly_all]| nearly_all)),
    })
}

fn sample(sample: &Sample) -> Value {
    json!({
        "start_ms": sample.start.millis(),
        "span_ms": sample.span_ms,
        "served": sample.outcomes,
        "errors": sample.errors,
        "bytes": sample.bytes,
        "rendered": sample.rendered,
        "render_failed": sample.failed,
        "p50_ms": ms(sample.quantiles.map(|[half, _, _]| half)),
        "p95_ms": ms(sample.quantiles.map(|[_, most, _]| most)),
        "p99_ms": ms(sample.quantiles.map(|[_, _, nearly_all]| nearly_all)),
    })
}

fn sites(parts: &Components) -> Vec<Value> {
    let meters = parts.telemetry.meters();
    let view = |site: super::backstage::SiteStatus| {
        let route = |(pattern, kind): &(String, &'static str)| {
            let meter = meters.iter().find(|meter| meter.site() == site.name && meter.route() == pattern);
            let reading = meter.map(|meter| meter.reading()).unwrap_or_default();
            json!({
                "pattern": pattern,
                "kind": kind,
                "requests": reading.count(),
                "errors": reading.of_class(5),
                "hit_ratio": reading.hit_ratio(),
                "p99_ms": ms(reading.latency.quantile(0.99)),
            })
        };
        json!({
            "name": site.name,
            "hosts": site.hosts,
            "tenant": site.tenant.as_ref().map(facetheory::Tenant::as_str),
            "origin": site.origin,
            "health": site.health,
            "detail": site.detail,
            "routes": site.routes.iter().map(route).collect::<Vec<_>>(),
        })
    };
    parts.backstage.sites().into_iter().map(view).collect()
}

/// Milliseconds, to the microsecond.
fn ms(time: Option<Duration>) -> Option<f64> {
    time.map(|time| round(time.as_secs_f64() * 1000.0))
}

fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
