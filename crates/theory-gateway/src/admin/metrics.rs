//! The numbers that are told to Prometheus. Labels are routes and words of this program, never what a client sent.

use super::components::Components;
use super::exposition::Exposition;
use super::process::Process;
use super::view::seconds_between;

/// `GET /metrics`
pub(super) fn metrics(parts: &Components) -> String {
    let mut text = Exposition::default();
    requests(&mut text, parts);
    renders(&mut text, parts);
    limits(&mut text, parts);
    bodies(&mut text, parts);
    process(&mut text, parts);
    text.text()
}

fn requests(text: &mut Exposition, parts: &Components) {
    let meters = parts.telemetry.meters();
    let readings: Vec<_> = meters.iter().map(|meter| (meter, meter.reading())).collect();
    text.family(
        "theory_requests_total",
        "counter",
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
            text.number("theory_requests_total", &labels, count);
        }
    }
    text.family("theory_request_seconds", "histogram", "How long answers took, by route.");
    for (meter, reading) in &readings {
        let labels = [("site", meter.site()), ("route", meter.route())];
        text.times("theory_request_seconds", &labels, &reading.latency);
    }
    text.family("theory_response_bytes_total", "counter", "Bytes of bodies that were sent, by route.");
    for (meter, reading) in &readings {
        let labels = [("site", meter.site()), ("route", meter.route())];
        text.number("theory_response_bytes_total", &labels, reading.bytes);
    }
}

fn renders(text: &mut Exposition, parts: &Components) {
    let (rendered, failed, times) = parts.telemetry.renders();
    text.family("theory_renders_total", "counter", "Renders of pages by how they ended.");
    text.number("theory_renders_total", &[("result", "rendered")], rendered);
    text.number("theory_renders_total", &[("result", "failed")], failed);
    text.family("theory_render_seconds", "histogram", "How long renders took.");
    text.times("theory_render_seconds", &[], &times);
    let underway = parts.telemetry.underway().0;
    text.alone("theory_renders_underway", "gauge", "Renders under way in this process.", underway);
    let kinds = parts.telemetry.kinds();
    text.family("theory_events_total", "counter", "Events of the cache by kind.");
    for (kind, count) in &kinds {
        text.number("theory_events_total", &[("kind", kind)], count);
    }
    text.family(
        "theory_store_errors_total",
        "counter",
        "Calls of a store that failed, by what was to be kept there.",
    );
    let failed = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
    text.number("theory_store_errors_total", &[("store", "pages")], failed("store-failed"));
    text.number("theory_store_errors_total", &[("store", "bodies")], failed("body-failed"));
    text.number("theory_store_errors_total", &[("store", "limits")], parts.limiter.counts().store_failures);
}

fn limits(text: &mut Exposition, parts: &Components) {
    let counts = parts.limiter.counts();
    text.family("theory_limit_decisions_total", "counter", "Decisions about limits by who made them.");
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
        text.number("theory_limit_decisions_total", &[("source", source), ("verdict", verdict)], count);
    }
    let help = "Decisions that this process made alone, because the store did not answer. They are among those of the store.";
    text.alone("theory_limit_counted_alone_total", "counter", help, counts.counted_alone);
    let help = "Denials of policies that only watch. They are among the denied.";
    text.alone("theory_limit_shadow_denials_total", "counter", help, counts.denied_in_shadow);
}

fn bodies(text: &mut Exposition, parts: &Components) {
    let usage = parts.isr.bodies().usage();
    text.alone("theory_hot_bytes", "gauge", "Bytes of bodies in memory.", usage.hot_bytes);
    text.alone("theory_hot_bodies", "gauge", "Bodies in memory.", usage.hot_bodies);
    text.family("theory_body_reads_total", "counter", "Reads of bodies by where they were.");
    text.number("theory_body_reads_total", &[("from", "memory")], usage.hot_hits);
    text.number("theory_body_reads_total", &[("from", "store")], usage.gets);
    text.alone("theory_body_writes_total", "counter", "Bodies that were written.", usage.puts);
    text.alone("theory_body_written_bytes_total", "counter", "Their bytes.", usage.put_bytes);
}

fn process(text: &mut Exposition, parts: &Components) {
    text.family("theory_build_info", "gauge", "The version of the program.");
    text.number("theory_build_info", &[("version", parts.version)], 1);
    let uptime = seconds_between(parts.telemetry.started(), parts.now());
    text.alone("theory_uptime_seconds", "gauge", "For how long it has been running.", uptime);
    let process = Process::now();
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Bytes of memory.", process.memory_bytes),
        ("process_open_fds", "Files and sockets that are open.", process.open_files),
        ("process_max_fds", "Files and sockets that may be open.", process.open_files_max),
        ("process_threads", "Threads.", process.threads),
    ] {
        if let Some(value) = value {
            text.alone(name, "gauge", help, value);
        }
    }
}
