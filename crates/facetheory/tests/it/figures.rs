//! The figures of the cache, counted and not timed: store calls, renders and bodies put.

use std::sync::Arc;
use std::time::Duration;

use facetheory::render::Renderer;
use facetheory::{Intent, Mode, PageKey, Policy, Served, State, Visit};
use tabletheory_core::Seconds;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::scene::{Fleet, Origin, Tally, Worker};

const CLIENTS: usize = 1000;
const LATENCY: Duration = Duration::from_millis(3);
const RENDER: Duration = Duration::from_secs(2);

/// A page, its origin and a fleet whose store takes its time.
struct Site {
    fleet: Fleet,
    origin: Arc<dyn Renderer>,
    policy: Policy,
}

impl Site {
    async fn new(takes: Duration) -> Self {
        let mut fleet = Fleet::new().await;
        fleet.latency = LATENCY;
        let origin = Arc::new(Origin::of(&fleet.tally, "/news", &"news ".repeat(2000), takes));
        Self { fleet, origin, policy: Policy::fresh_for(Seconds(60)) }
    }

    fn tally(&self) -> &Tally {
        &self.fleet.tally
    }

    fn visit(&self) -> Visit {
        Visit::to(PageKey::path("/news")).policy(self.policy.clone())
    }

    async fn get(&self, worker: &Worker) -> Served {
        worker.isr.serve(&self.visit(), &self.origin).await.unwrap()
    }

    /// Clients of one worker, all at once. The work beside their answers is done in their tasks.
    fn clients(&self, worker: &Worker, how_many: usize) -> Vec<JoinHandle<Option<State>>> {
        let one = || {
            let (isr, visit, origin) = (worker.isr.clone(), self.visit(), Arc::clone(&self.origin));
            worker.process.spawn(async move {
                let served = isr.serve(&visit, &origin).await.ok()?;
                if let Some(later) = served.later {
                    later.run().await;
                }
                Some(served.state)
            })
        };
        (0..how_many).map(|_| one()).collect()
    }
}

async fn served(clients: Vec<JoinHandle<Option<State>>>) -> usize {
    let mut served = 0;
    for client in clients {
        served += usize::from(client.await.is_ok_and(|state| state.is_some()));
    }
    served
}

#[tokio::test(start_paused = true)]
async fn a_hit_asks_the_store_nothing_while_the_metadata_are_remembered() {
    let site = Site::new(Duration::ZERO).await;
    let worker = site.fleet.worker("a");
    site.get(&worker).await;
    site.tally().reset();
    for _ in 0..CLIENTS {
        assert_eq!(site.get(&worker).await.state, State::Hit);
    }
    assert_eq!((site.tally().get("store"), site.tally().get("body-gets")), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_hit_asks_the_store_once_when_they_are_not() {
    let site = Site::new(Duration::ZERO).await;
    let worker = site.fleet.worker("a");
    site.get(&worker).await;
    for _ in 0..10 {
        sleep(Duration::from_secs(1)).await;
        site.tally().reset();
        // However many come at once.
        assert_eq!(served(site.clients(&worker, 50)).await, 50);
        assert_eq!((site.tally().get("store"), site.tally().get("hit")), (1, 50));
    }
}

#[tokio::test(start_paused = true)]
async fn a_hit_copies_nothing_of_the_body() {
    let site = Site::new(Duration::ZERO).await;
    let worker = site.fleet.worker("a");
    let rendered = site.get(&worker).await;
    let hits = [site.get(&worker).await, site.get(&worker).await];
    for hit in hits {
        assert_eq!(hit.state, State::Hit);
        assert_eq!(hit.body.bytes().as_ptr(), rendered.body.bytes().as_ptr());
    }
}

#[tokio::test(start_paused = true)]
async fn a_regeneration_with_a_request_takes_four_calls_and_one_body() {
    let site = Site { policy: blocking(), ..Site::new(RENDER).await };
    let worker = site.fleet.worker("a");
    for round in 0..3 {
        site.tally().reset();
        let visit = site.visit().intent(Intent::from_request_id(format!("r-{round}")));
        let served = worker.isr.serve(&visit, &site.origin).await.unwrap();
        assert_eq!(served.state, State::Miss);
        let tally = site.tally();
        let calls = ["store", "BatchGetItem", "TransactWriteItems", "body-puts", "renders"];
        eprintln!("regeneration {round}: {:?}", calls.map(|name| (name, tally.get(name))));
        assert_eq!(calls.map(|name| tally.get(name)), [4, 2, 2, 1, 1]);
        sleep(Duration::from_secs(61)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_regeneration_without_a_request_takes_four_calls_and_one_body() {
    let site = Site { policy: blocking(), ..Site::new(RENDER).await };
    let worker = site.fleet.worker("a");
    for _ in 0..3 {
        site.tally().reset();
        site.get(&worker).await;
        let calls = ["store", "BatchGetItem", "UpdateItem", "TransactWriteItems", "body-puts"];
        assert_eq!(calls.map(|name| site.tally().get(name)), [4, 2, 1, 1, 1]);
        sleep(Duration::from_secs(61)).await;
    }
}

fn blocking() -> Policy {
    Policy { mode: Mode::Blocking, ..Policy::fresh_for(Seconds(60)) }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_clients_of_each_of_three_workers_have_a_cold_page_rendered_once() {
    let site = Site::new(RENDER).await;
    let workers = ["a", "b", "c"].map(|name| site.fleet.worker(name));
    let clients = workers.iter().flat_map(|worker| site.clients(worker, CLIENTS)).collect();
    assert_eq!(served(clients).await, 3 * CLIENTS);
    report("cold", site.tally());
    let counted = ["renders", "publishes", "body-puts", "miss"].map(|name| site.tally().get(name));
    assert_eq!(counted, [1, 1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_clients_of_each_of_three_workers_have_an_expired_page_rendered_once() {
    for policy in [Policy::fresh_for(Seconds(60)), blocking()] {
        let site = Site { policy, ..Site::new(RENDER).await };
        let workers = ["a", "b", "c"].map(|name| site.fleet.worker(name));
        for worker in &workers {
            site.get(worker).await;
        }
        sleep(Duration::from_secs(61)).await;
        site.tally().reset();
        let clients = workers.iter().flat_map(|worker| site.clients(worker, CLIENTS)).collect();
        assert_eq!(served(clients).await, 3 * CLIENTS);
        report("expired", site.tally());
        let counted = ["renders", "publishes", "body-puts"].map(|name| site.tally().get(name));
        assert_eq!(counted, [1, 1, 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_killed_costs_one_render_more() {
    let policy = Policy { wait: Duration::from_secs(30), ..blocking() };
    let site = Site { policy, ..Site::new(RENDER).await };
    let mut workers = ["a", "b", "c"].map(|name| site.fleet.worker(name));
    let doomed = site.clients(&workers[0], CLIENTS);
    sleep(RENDER / 2).await;
    let clients: Vec<_> = workers[1..].iter().flat_map(|worker| site.clients(worker, CLIENTS)).collect();
    sleep(Duration::from_millis(100)).await;
    workers[0].kill(&site.fleet);
    assert_eq!(served(doomed).await, 0);
    assert_eq!(served(clients).await, 2 * CLIENTS);
    report("killed", site.tally());
    let [renders, takeovers, publishes] =
        ["renders", "taken-over", "publishes"].map(|name| site.tally().get(name));
    assert!(renders <= 1 + takeovers, "{renders} renders, {takeovers} takeovers");
    assert_eq!((takeovers, publishes), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_read_at_most_twenty_times_a_second() {
    let policy = Policy { wait: Duration::from_secs(30), ..blocking() };
    let site = Site { policy, ..Site::new(Duration::from_secs(20)).await };
    let (a, b) = (site.fleet.worker("a"), site.fleet.worker("b"));
    let mut clients = site.clients(&a, 1);
    sleep(Duration::from_millis(100)).await;
    let mut busiest = 0;
    for _ in 0..15 {
        let before = site.tally().get("store.b");
        // New ones come all the time.
        for _ in 0..20 {
            clients.extend(site.clients(&b, 5));
            sleep(Duration::from_millis(50)).await;
        }
        busiest = busiest.max(site.tally().get("store.b") - before);
    }
    eprintln!("waiting: at most {busiest} calls a second, {} in all", site.tally().get("store.b"));
    assert!(busiest <= 20, "{busiest} calls in one second");
    assert_eq!(served(clients).await, 1 + 15 * 20 * 5);
    assert_eq!(site.tally().get("renders"), 1);
}

#[tokio::test(start_paused = true)]
async fn those_who_come_after_a_failure_ask_the_store_three_times_a_second_at_most() {
    let policy = Policy { backoff: Duration::from_secs(60), ..blocking() };
    let site = Site { policy, ..Site::new(RENDER).await };
    let site = Site { origin: Arc::new(Origin::of(site.tally(), "/other", "", Duration::ZERO)), ..site };
    let worker = site.fleet.worker("a");
    assert_eq!(served(site.clients(&worker, 1)).await, 0);
    site.tally().reset();
    for _ in 0..100 {
        assert_eq!(served(site.clients(&worker, 10)).await, 0);
        sleep(Duration::from_millis(100)).await;
    }
    eprintln!("put off: {} calls in ten seconds", site.tally().get("store"));
    assert_eq!(site.tally().get("renders"), 0);
    assert!(site.tally().get("store") <= 3 * 10 + 3);
}

fn report(what: &str, tally: &Tally) {
    let names = ["renders", "publishes", "body-puts", "store", "store.a", "store.b", "store.c", "taken-over"];
    eprintln!("{what}: {:?}", names.map(|name| (name, tally.get(name))));
}
