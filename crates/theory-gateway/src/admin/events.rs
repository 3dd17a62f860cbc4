//! What happened last: as a list, and as a stream of server-sent events for those who watch.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Duration, MissedTickBehavior, interval};

use super::components::Components;
use super::overview::underway;
use super::problem::Problem;
use super::query::Query;
use super::view;

/// How often those who watch are told.
const EVERY: Duration = Duration::from_secs(1);

/// `GET /api/events`
pub(super) fn list(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["limit"])?;
    let limit = query.number("limit", 100, 500)?;
    let happenings = parts.telemetry.happenings(0);
    Ok(json!({ "events": happenings.iter().rev().take(limit).map(view::happening).collect::<Vec<_>>() }))
}

/// `GET /api/live`: each second a `pulse` with the renders under way, and a `happening` for each that happened. It ends when
/// nobody listens, and when everything does.
pub(super) fn live(
    parts: &Arc<Components>,
    ending: watch::Receiver<bool>,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let seen = parts.telemetry.happenings(0).last().map_or(0, |last| last.number);
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold(
        (Arc::clone(parts), ticks, ending, seen),
        |(parts, mut ticks, mut ending, mut seen)| async move {
            let ended = async {
                // Whoever would say it being gone means the same.
                let _ = ending.wait_for(|ending| *ending).await;
            };
            tokio::select! {
                _ = ticks.tick() => {}
                () = ended => return None,
            }
            let mut text = String::new();
            for happening in parts.telemetry.happenings(seen) {
                seen = happening.number;
                text.push_str(&format!("event: happening\ndata: {}\n\n", view::happening(&happening)));
            }
            let pulse = json!({ "now_ms": parts.now().millis(), "underway": underway(&parts) });
            text.push_str(&format!("event: pulse\ndata: {pulse}\n\n"));
            Some((Bytes::from(text), (parts, ticks, ending, seen)))
        },
    )
}
