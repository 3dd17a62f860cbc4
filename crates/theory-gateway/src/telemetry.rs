//! What the gateway does, counted: answers by route, status and outcome, how long they took, renders, who asks most, and what
//! happened last. Counting an answer takes no lock and no memory; everything is bounded, and only routes are labels.

mod consumer;
mod happening;
mod histogram;
mod live;
mod meter;
mod outcome;
mod series;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use facetheory::{Event, Observer, PageKey, State};
use http::StatusCode;
use parking_lot::{Mutex, RwLock};
use tabletheory_core::{Clock, Timestamp};

pub use consumer::Consumer;
pub use happening::Happening;
pub use histogram::Distribution;
pub use live::Underway;
pub use meter::{Meter, Reading};
pub use outcome::Outcome;
pub use series::Sample;

use consumer::Consumers;
use happening::{Happenings, detail};
use histogram::Histogram;
use live::Live;
use series::{Series, Totals};

/// Routes beyond these share one meter: a file that is read again and again must not grow the process.
const METERS_MAX: usize = 1000;
/// The label of what no route answered, and of routes beyond the bound.
const OTHER: &str = "other";

/// What the gateway does, counted.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use http::StatusCode;
/// use tabletheory_core::{ManualClock, Timestamp};
/// use theory_gateway::telemetry::{Outcome, Telemetry};
///
/// let telemetry = Telemetry::new(Arc::new(ManualClock::at(Timestamp::from_seconds(0))));
/// let news = telemetry.meter("blog", "/news/{slug}");
/// news.answered(StatusCode::OK, Outcome::Hit, 1024, Duration::from_micros(80));
/// assert_eq!(telemetry.reading().of(Outcome::Hit), 1);
/// ```
#[derive(Debug)]
pub struct Telemetry {
    clock: Arc<dyn Clock>,
    started: Timestamp,
    threads: usize,
    meters: RwLock<Vec<Arc<Meter>>>,
    rendered: AtomicU64,
    failed: AtomicU64,
    render_times: Histogram,
    live: Live,
    happenings: Mutex<Happenings>,
    consumers: Consumers,
    series: Mutex<Series>,
}

impl Telemetry {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        let started = clock.now();
        Arc::new(Self {
            clock,
            started,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            meters: RwLock::default(),
            rendered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            render_times: Histogram::default(),
            live: Live::default(),
            happenings: Mutex::default(),
            consumers: Consumers::new(started),
            series: Mutex::new(Series::new(started)),
        })
    }

    /// The meter of a route, which is to be kept by whoever answers for it. The same names have the same meter.
    #[must_use]
    pub fn meter(&self, site: &str, route: &str) -> Arc<Meter> {
        let is_it = |meter: &&Arc<Meter>| meter.site() == site && meter.route() == route;
        if let Some(meter) = self.meters.read().iter().find(is_it) {
            return Arc::clone(meter);
        }
        let mut meters = self.meters.write();
        // Somebody may have made it meanwhile.
        if let Some(meter) = meters.iter().find(is_it) {
            return Arc::clone(meter);
        }
        if meters.len() >= METERS_MAX {
            drop(meters);
            return self.other();
        }
        let meter = Arc::new(Meter::new(site, route, self.threads));
        meters.push(Arc::clone(&meter));
        meter
    }

    /// The meter of what no route answered.
    #[must_use]
    pub fn other(&self) -> Arc<Meter> {
        let is_it = |meter: &&Arc<Meter>| meter.site() == OTHER && meter.route() == OTHER;
        let mut meters = self.meters.write();
        if let Some(meter) = meters.iter().find(is_it) {
            return Arc::clone(meter);
        }
        let meter = Arc::new(Meter::new(OTHER, OTHER, self.threads));
        meters.push(Arc::clone(&meter));
        meter
    }

    /// Counts an answer of a route by its names. Whoever counts often keeps the [`meter`](Self::meter).
    pub fn answered(
        &self,
        site: &str,
        route: &str,
        status: StatusCode,
        outcome: Outcome,
        bytes: u64,
        took: Duration,
    ) {
        self.meter(site, route).answered(status, outcome, bytes, took);
    }

    /// Counts that somebody asked under a policy, for the list of those who ask most.
    pub fn asked(&self, policy: &str, id: &str, decision: &limited::Decision) {
        self.consumers.asked(policy, id, decision.verdict == limited::Verdict::Denied);
    }

    /// Writes down what an operator did, or anything else worth a line.
    pub fn noted(&self, kind: &'static str, page: Option<String>, detail: &str) {
        self.happenings.lock().push(self.clock.now(), kind, page, detail);
    }

    /// Time has passed. To be called once a second or so: the plots over time are made of it.
    pub fn tick(&self) {
        let (now, totals) = (self.clock.now(), self.totals());
        self.series.lock().tick(now, &totals);
        self.consumers.tick(now);
    }

    /// Since when it counts.
    #[must_use]
    pub fn started(&self) -> Timestamp {
        self.started
    }

    /// What was counted of all routes together.
    #[must_use]
    pub fn reading(&self) -> Reading {
        let mut sum = Reading::default();
        self.meters.read().iter().for_each(|meter| meter.add_to(&mut sum));
        sum
    }

    /// The meters of all routes.
    #[must_use]
    pub fn meters(&self) -> Vec<Arc<Meter>> {
        self.meters.read().clone()
    }

    /// How many renders ended well, how many failed, and how long they took.
    #[must_use]
    pub fn renders(&self) -> (u64, u64, Distribution) {
        let mut times = Distribution::default();
        self.render_times.add_to(&mut times);
        (self.rendered.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed), times)
    }

    /// How many renders are under way in this process, and the oldest of them.
    #[must_use]
    pub fn underway(&self) -> (usize, Vec<Underway>) {
        self.live.read()
    }

    /// What happened after the one with this number, oldest first.
    #[must_use]
    pub fn happenings(&self, after: u64) -> Vec<Happening> {
        self.happenings.lock().after(after)
    }

    /// How often each kind of event has happened. Visitors that were served are counted by [`Reading`].
    #[must_use]
    pub fn kinds(&self) -> BTreeMap<&'static str, u64> {
        self.happenings.lock().kinds()
    }

    /// Who asked most in the last ten to twenty minutes, most first.
    #[must_use]
    pub fn consumers(&self, limit: usize) -> Vec<Consumer> {
        self.consumers.top(limit)
    }

    /// Samples of ten seconds for half an hour, and of a minute for three hours.
    #[must_use]
    pub fn samples(&self) -> [Vec<Sample>; 2] {
        let totals = self.totals();
        self.series.lock().read(self.clock.now(), &totals)
    }

    fn totals(&self) -> Totals {
        Totals {
            answers: self.reading(),
            rendered: self.rendered.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    /// Counts the beginnings and ends of renders.
    fn count_render(&self, page: Option<&PageKey>, event: &Event) {
        match event {
            Event::Rendering => {
                if let Some(page) = page {
                    self.live.began(page, self.clock.now());
                }
                return;
            }
            Event::Rendered { took } => {
                self.rendered.fetch_add(1, Ordering::Relaxed);
                self.render_times.record(*took);
            }
            Event::RenderFailed { took, .. } => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                self.render_times.record(*took);
            }
            Event::RenderDropped { .. } => {}
            _ => return,
        }
        if let Some(page) = page {
            self.live.ended(page);
        }
    }
}

impl Observer for Telemetry {
    fn saw(&self, page: Option<&PageKey>, event: &Event) {
        // Each visitor comes by here, and whoever answers has counted it.
        if matches!(event, Event::Served(state) if *state != State::StaleError) {
            return;
        }
        self.count_render(page, event);
        match detail(event) {
            Some(detail) => {
                let (now, page) = (self.clock.now(), page.and_then(PageKey::address));
                self.happenings.lock().push(now, event.name(), page, &detail);
            }
            None => self.happenings.lock().count(event.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{ManualClock, Seconds};

    use super::*;

    fn telemetry() -> (Arc<ManualClock>, Arc<Telemetry>) {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1000)));
        (Arc::clone(&clock), Telemetry::new(clock))
    }

    #[test]
    fn one_route_has_one_meter_and_routes_without_end_share_one() {
        let (_, telemetry) = telemetry();
        assert!(Arc::ptr_eq(&telemetry.meter("a", "/"), &telemetry.meter("a", "/")));
        for number in 0..2 * METERS_MAX {
            telemetry.answered("a", &number.to_string(), StatusCode::OK, Outcome::Hit, 0, Duration::ZERO);
        }
        assert!(telemetry.meters().len() <= METERS_MAX + 1);
        assert_eq!(telemetry.reading().count(), 2 * METERS_MAX as u64);
    }

    #[test]
    fn a_render_is_under_way_until_it_ends_however_it_ends() {
        let (_, telemetry) = telemetry();
        let (page, took) = (PageKey::path("/news"), Duration::from_millis(5));
        let why = "down".to_owned();
        for end in
            [Event::Rendered { took }, Event::RenderFailed { took, why }, Event::RenderDropped { took }]
        {
            telemetry.saw(Some(&page), &Event::Rendering);
            assert_eq!(telemetry.underway().0, 1);
            telemetry.saw(Some(&page), &end);
            assert_eq!(telemetry.underway().0, 0);
        }
        let (rendered, failed, times) = telemetry.renders();
        assert_eq!((rendered, failed, times.count()), (1, 1, 2));
        assert_eq!(telemetry.kinds()["rendering"], 3);
        assert_eq!(telemetry.happenings(0).len(), 3);
    }

    #[test]
    fn visitors_leave_no_line_each() {
        let (_, telemetry) = telemetry();
        for state in State::ALL {
            telemetry.saw(Some(&PageKey::path("/")), &Event::Served(state));
        }
        assert_eq!(telemetry.happenings(0).len(), 1, "that the application failed is worth one");
    }

    #[test]
    fn what_happens_is_drawn_over_time() {
        let (clock, telemetry) = telemetry();
        let meter = telemetry.meter("a", "/");
        for _ in 0..60 {
            meter.answered(StatusCode::BAD_GATEWAY, Outcome::Failed, 7, Duration::from_millis(3));
            clock.advance(Seconds(1));
            telemetry.tick();
        }
        let [short, long] = telemetry.samples();
        assert_eq!((short.len(), short.iter().map(|sample| sample.errors).sum::<u64>()), (6, 60));
        assert_eq!(long.iter().map(|sample| sample.bytes).sum::<u64>(), 420);
    }
}
