//! What is counted in an invocation, told to CloudWatch as one line of the log in its embedded metric format: no call, no
//! permission, and nothing that could fail beside the answer. The names are those that alarms watch.

use std::collections::BTreeMap;
use std::sync::Arc;

use facetheory::{Event, Observer, PageKey, State};
use http::Response;
use idempotent::Unperformed;
use limited::{Decision, Source};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tabletheory_core::Timestamp;
use theory_synth::metric;

/// A figure has not more values in one line; CloudWatch refuses the line otherwise.
const VALUES_MAX: usize = 100;

const REPLAYED: &str = "idempotent-replayed";

/// What is counted. Clones count together.
///
/// ```
/// use tabletheory_core::Timestamp;
/// use theory_lambda::Figures;
/// use theory_synth::metric;
///
/// let figures = Figures::default();
/// figures.add(metric::ARCHIVED, 3);
/// let line = figures.line("archiver", "r-1", Timestamp::from_millis(1_700_000_000_000)).expect("something was counted");
/// assert!(line.contains(r#""Archived":3"#) && line.contains(r#""FunctionName":"archiver""#));
/// assert_eq!(figures.line("archiver", "r-2", Timestamp::from_millis(1_700_000_000_001)), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Figures(Arc<Mutex<Counted>>);

#[derive(Debug, Default)]
struct Counted {
    counts: BTreeMap<&'static str, u64>,
    spans_ms: BTreeMap<&'static str, Vec<u64>>,
}

impl Figures {
    /// Counts so many of a figure, which is one of [`theory_synth::metric`].
    pub fn add(&self, figure: &'static str, count: u64) {
        if count > 0 {
            *self.0.lock().counts.entry(figure).or_default() += count;
        }
    }

    /// Whom a layer of limits tells its decisions: `layer.on_decision(figures.decisions())`.
    pub fn decisions(&self) -> impl Fn(&str, &Decision) + Send + Sync + 'static {
        let figures = self.clone();
        move |_who, decision| figures.add(of_decision(decision), 1)
    }

    /// Counts what an answer says of a request that happens once.
    pub(crate) fn answered<B>(&self, response: &Response<B>) {
        if response.headers().contains_key(REPLAYED) {
            self.add(metric::REQUEST_REPLAYED, 1);
        }
        let refused = response.extensions().get::<Unperformed>();
        if refused.is_some_and(|refused| refused.is_running() || refused.is_mismatch()) {
            self.add(metric::REQUEST_REFUSED, 1);
        }
    }

    /// The line that tells what was counted since the last one, if anything was.
    #[must_use]
    pub fn line(&self, function: &str, invocation: &str, now: Timestamp) -> Option<String> {
        let Counted { counts, spans_ms } = std::mem::take(&mut *self.0.lock());
        if counts.is_empty() && spans_ms.is_empty() {
            return None;
        }
        let (mut metrics, mut members) = (Vec::new(), Map::new());
        for (name, count) in counts {
            metrics.push(json!({ "Name": name, "Unit": "Count" }));
            members.insert(name.to_owned(), count.into());
        }
        for (name, values) in spans_ms {
            metrics.push(json!({ "Name": name, "Unit": "Milliseconds" }));
            members.insert(name.to_owned(), values.into());
        }
        let told = json!([{ "Namespace": metric::NAMESPACE, "Dimensions": [[metric::DIMENSION]], "Metrics": metrics }]);
        members.insert("_aws".to_owned(), json!({ "Timestamp": now.millis(), "CloudWatchMetrics": told }));
        members.insert(metric::DIMENSION.to_owned(), function.into());
        members.insert("requestId".to_owned(), invocation.into());
        Some(Value::Object(members).to_string())
    }

    fn took(&self, figure: &'static str, took: std::time::Duration) {
        let mut counted = self.0.lock();
        let values = counted.spans_ms.entry(figure).or_default();
        if values.len() < VALUES_MAX {
            values.push(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        }
    }
}

/// Where the store did not answer, nobody decided, or each process for itself, of which there may be a thousand: that is no
/// allowance.
fn of_decision(decision: &Decision) -> &'static str {
    match decision.source {
        _ if !decision.is_allowed() => metric::LIMIT_DENIED,
        Source::FailedOpen | Source::Local => metric::LIMIT_FAIL_OPEN,
        _ => metric::LIMIT_ALLOWED,
    }
}

impl Observer for Figures {
    fn saw(&self, _page: Option<&PageKey>, event: &Event) {
        match event {
            Event::Served(State::Hit | State::WaitHit) => self.add(metric::ISR_HIT, 1),
            Event::Served(State::Miss | State::Uncached) => self.add(metric::ISR_MISS, 1),
            Event::Served(State::Stale) => self.add(metric::ISR_STALE, 1),
            Event::Served(State::StaleError) => self.add(metric::ISR_STALE_AFTER_ERROR, 1),
            Event::Rendered { took } => self.took(metric::REGENERATION_MS, *took),
            // One that was given up at the end of its time has failed for whoever waits for the page.
            Event::RenderFailed { took, .. } | Event::RenderDropped { took } => {
                self.add(metric::REGENERATION_FAILED, 1);
                self.took(metric::REGENERATION_MS, *took);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn told(figures: &Figures) -> Value {
        let line = figures.line("site", "r-1", Timestamp::from_millis(7)).expect("something was counted");
        assert!(!line.contains('\n'), "CloudWatch reads one line");
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn a_line_declares_every_figure_that_it_carries() {
        let figures = Figures::default();
        figures.add(metric::ISR_HIT, 0);
        assert_eq!(figures.line("site", "r-1", Timestamp::from_millis(7)), None);
        figures.saw(None, &Event::Served(State::Stale));
        figures.saw(None, &Event::Rendered { took: Duration::from_millis(12) });
        figures.saw(None, &Event::RenderDropped { took: Duration::from_millis(30) });
        assert_eq!(
            told(&figures),
            json!({
                "_aws": { "Timestamp": 7, "CloudWatchMetrics": [{
                    "Namespace": "TableTheory", "Dimensions": [["FunctionName"]],
                    "Metrics": [
                        { "Name": "IsrStale", "Unit": "Count" },
                        { "Name": "RegenerationFailed", "Unit": "Count" },
                        { "Name": "RegenerationMs", "Unit": "Milliseconds" },
                    ],
                }] },
                "FunctionName": "site", "requestId": "r-1",
                "IsrStale": 1, "RegenerationFailed": 1, "RegenerationMs": [12, 30],
            })
        );
    }

    #[test]
    fn a_figure_has_no_more_values_than_cloudwatch_takes() {
        let figures = Figures::default();
        for _ in 0..VALUES_MAX + 50 {
            figures.saw(None, &Event::Rendered { took: Duration::from_millis(1) });
        }
        assert_eq!(told(&figures)["RegenerationMs"].as_array().map(Vec::len), Some(VALUES_MAX));
    }

    #[test]
    fn every_way_to_serve_a_page_is_a_figure() {
        for state in State::ALL {
            let figures = Figures::default();
            figures.saw(None, &Event::Served(state));
            let is_told = figures.line("site", "r-1", Timestamp::from_millis(7)).is_some();
            assert!(is_told, "{state}");
        }
    }
}
