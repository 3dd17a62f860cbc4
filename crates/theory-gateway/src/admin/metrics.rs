//! The numbers that are told to Prometheus. Labels are routes and words of this program, never what a client sent.

use super::components::Components;
use super::exposition::Exposition;
use super::numbers::{Kind, Numbers};
use super::process::Process;
use super::view::seconds_between;

/// `GET /metrics`
pub(super) fn metrics(parts: &Components) -> String {
    let mut text = Exposition::default();
    tell(parts, &mut text);
    text.text()
}

/// Everything that is counted.
pub(crate) fn tell(parts: &Components, numbers: &mut impl Numbers) {
    requests(numbers, parts);
    renders(numbers, parts);
    limits(numbers, parts);
    bodies(numbers, parts);
    http_cache(numbers, parts);
    process(numbers, parts);
}

fn requests(numbers: &mut impl Numbers, parts: &Components) {
    let meters = parts.telemetry.meters();
    let readings: Vec<_> = meters.iter().map(|meter| (meter, meter.reading())).collect();
    numbers.family(
        "theory_requests_total",
        Kind::Counter,
        "Requests by route, class of status and what became of them.",
    );
    for (meter, reading) in &readings {
        for (outcome, class, count) in reading.each() {
            let status = format!("{class}xx");
            let labels = [
                ("site", meter.site()),
                ("route", meter.route()),
                ("status", &status),
                ("outcome", outcome.as_str()),
            ];
            numbers.number(&labels, count);
        }
    }
    numbers.family("theory_request_seconds", Kind::Histogram, "How long answers took, by route.");
    for (meter, reading) in &readings {
        let labels = [("site", meter.site()), ("route", meter.route())];
        numbers.times(&labels, &reading.latency);
    }
    numbers.family("theory_response_bytes_total", Kind::Counter, "Bytes of bodies that were sent, by route.");
    for (meter, reading) in &readings {
        let labels = [("site", meter.site()), ("route", meter.route())];
        numbers.number(&labels, reading.bytes);
    }
}

fn renders(numbers: &mut impl Numbers, parts: &Components) {
    let (rendered, failed, times) = parts.telemetry.renders();
    numbers.family("theory_renders_total", Kind::Counter, "Renders of pages by how they ended.");
    numbers.number(&[("result", "rendered")], rendered);
    numbers.number(&[("result", "failed")], failed);
    numbers.family("theory_render_seconds", Kind::Histogram, "How long renders took.");
    numbers.times(&[], &times);
    let underway = parts.telemetry.underway().0;
    numbers.alone(
        "theory_renders_underway",
        Kind::Gauge,
        "Renders under way in this process.",
        underway as u64,
    );
    let kinds = parts.telemetry.kinds();
    numbers.family("theory_events_total", Kind::Counter, "Events of the cache by kind.");
    for (kind, count) in &kinds {
        numbers.number(&[("kind", kind)], *count);
    }
    numbers.family(
        "theory_store_errors_total",
        Kind::Counter,
        "Calls of a store that failed, by what was to be kept there.",
    );
    let failed = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
    numbers.number(&[("store", "pages")], failed("store-failed"));
    numbers.number(&[("store", "bodies")], failed("body-failed"));
    numbers.number(&[("store", "limits")], parts.limiter.counts().store_failures);
}

fn limits(numbers: &mut impl Numbers, parts: &Components) {
    let counts = parts.limiter.counts();
    numbers.family("theory_limit_decisions_total", Kind::Counter, "Decisions about limits by who made them.");
    let denied_by_store = counts.denied.saturating_sub(counts.denied_from_memory);
    let allowed_by_store = counts.allowed.saturating_sub(counts.leased);
    for (source, verdict, count) in [
        ("store", "allowed", allowed_by_store),
        ("store", "denied", denied_by_store),
        ("lease", "allowed", counts.leased),
        ("memory", "denied", counts.denied_from_memory),
        ("failed-open", "allowed", counts.failed_open),
        ("failed-closed", "denied", counts.failed_closed),
    ] {
        numbers.number(&[("source", source), ("verdict", verdict)], count);
    }
    let help = "Decisions that this process made alone, because the store did not answer. They are among those of the store.";
    numbers.alone("theory_limit_counted_alone_total", Kind::Counter, help, counts.counted_alone);
    let help = "Denials of policies that only watch. They are among the denied.";
    numbers.alone("theory_limit_shadow_denials_total", Kind::Counter, help, counts.denied_in_shadow);
}

fn bodies(numbers: &mut impl Numbers, parts: &Components) {
    let usage = parts.isr.bodies().usage();
    numbers.alone("theory_hot_bytes", Kind::Gauge, "Bytes of bodies in memory.", usage.hot_bytes);
    numbers.alone("theory_hot_bodies", Kind::Gauge, "Bodies in memory.", usage.hot_bodies);
    numbers.family("theory_body_reads_total", Kind::Counter, "Reads of bodies by where they were.");
    numbers.number(&[("from", "memory")], usage.hot_hits);
    numbers.number(&[("from", "store")], usage.gets);
    numbers.alone("theory_body_writes_total", Kind::Counter, "Bodies that were written.", usage.puts);
    numbers.alone("theory_body_written_bytes_total", Kind::Counter, "Their bytes.", usage.put_bytes);
}

fn http_cache(numbers: &mut impl Numbers, parts: &Components) {
    let kept = parts.backstage.http_cache();
    let help = "Bytes that routes of the kind http-cache keep in memory.";
    numbers.alone("theory_http_cache_bytes", Kind::Gauge, help, kept.bytes);
    numbers.alone("theory_http_cache_max_bytes", Kind::Gauge, "Bytes that they may keep.", kept.bytes_max);
    numbers.alone(
        "theory_http_cache_addresses",
        Kind::Gauge,
        "Addresses of which they keep answers.",
        kept.addresses as u64,
    );
}

fn process(numbers: &mut impl Numbers, parts: &Components) {
    numbers.family("theory_build_info", Kind::Gauge, "The version of the program.");
    numbers.number(&[("version", parts.version)], 1);
    let uptime = seconds_between(parts.telemetry.started(), parts.now()).unsigned_abs();
    numbers.alone("theory_uptime_seconds", Kind::Gauge, "For how long it has been running.", uptime);
    let process = Process::now();
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Bytes of memory.", process.memory_bytes),
        ("process_open_fds", "Files and sockets that are open.", process.open_files),
        ("process_max_fds", "Files and sockets that may be open.", process.open_files_max),
        ("process_threads", "Threads.", process.threads),
    ] {
        if let Some(value) = value {
            numbers.alone(name, Kind::Gauge, help, value);
        }
    }
}
