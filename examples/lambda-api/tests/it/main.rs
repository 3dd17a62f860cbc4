//! The API as Lambda runs it: limits, orders that are taken once, bodies of any bytes, stores that are gone.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

use std::time::Duration;

use lambda_api::Order;
use limited::Limiter;
use serde_json::Value;
use tabletheory::Db;
use theory_lambda::testing::{Call, DynamoDb, HttpAnswer, Launched, Runtime};
use theory_synth::metric;

const TIME: Duration = Duration::from_secs(20);
/// So much later than its end an answer counts: it may take a while on its way through a busy machine.
const GRACE: Duration = Duration::from_secs(5);

/// The API with its tables and its Lambda.
struct World {
    tables: DynamoDb,
    lambda: Runtime,
    function: Launched,
}

impl World {
    async fn start() -> Self {
        let (tables, lambda) =
            (DynamoDb::start().await.unwrap(), Runtime::start().await.unwrap().with_grace(GRACE));
        let db = tables.db();
        db.create_table::<Order>().await.unwrap();
        Limiter::new(db.clone().with_table::<limited::RateLimitRecord>("limits"))
            .create_table()
            .await
            .unwrap();
        idempotent::Idempotency::in_table(db, "requests").create_table().await.unwrap();
        let function = launch(&tables, &lambda);
        Self { tables, lambda, function }
    }

    /// The same, with a process whose limiter was answered: the first calls of a process may take longer than that waits for them.
    async fn start_warm() -> Self {
        let world = Self::start().await;
        for _ in 0..40 {
            let call = Call::get("/orders/1/attachment").from("198.51.100.200");
            assert_eq!(world.send(call).await.status, 404);
            if world.told(metric::LIMIT_ALLOWED).await > 0 {
                return world;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        panic!("the limiter does not reach its table: {:?}", world.function.complaints());
    }

    async fn send(&self, call: Call) -> HttpAnswer {
        self.lambda.invoke(call.event(), TIME).await.http()
    }

    async fn orders(&self) -> Vec<Order> {
        self.db().scan::<Order>().await.unwrap()
    }

    fn db(&self) -> Db {
        self.tables.db()
    }

    /// How much of a figure was told so far. What was printed may still be on its way.
    async fn told(&self, figure: &str) -> u64 {
        // It is printed before the answer, and read beside this task, which therefore steps aside more than once: whoever wakes from a
        // machine that stood still may be the first to go on.
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let lines = self.function.lines();
        let figures = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        figures.filter_map(|line| line[figure].as_u64()).sum()
    }
}

fn launch(tables: &DynamoDb, lambda: &Runtime) -> Launched {
    let mut environment = tables.environment();
    let names = [("RATE_LIMIT_TABLE_NAME", "limits"), ("IDEMPOTENCY_TABLE_NAME", "requests")];
    environment.extend(names.map(|(name, value)| (name.to_owned(), value.to_owned())));
    lambda.launch(env!("CARGO_BIN_EXE_lambda-api"), environment).unwrap()
}

fn order(key: &str, item: &str) -> Call {
    let body = format!(r#"{{"item": "{item}"}}"#);
    Call::post("/orders").header("idempotency-key", key).header("content-type", "application/json").body(body)
}

#[tokio::test]
async fn an_order_that_is_sent_again_is_answered_again_and_taken_once() {
    let world = World::start().await;
    let first = world.send(order("k-1", "tea")).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (201, ""), "{first:?}");
    let again = world.send(order("k-1", "tea")).await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
    assert_eq!(again.body, first.body);
    let other = world.send(order("k-1", "coffee")).await;
    assert_eq!(other.status, 422, "{other:?}");
    assert_eq!(world.send(Call::post("/orders").body("{}")).await.status, 400, "a key is needed");
    let orders = world.orders().await;
    assert_eq!(orders.len(), 1);
    assert_eq!(first.text(), serde_json::to_string(&orders[0]).unwrap());
    assert_eq!(world.told(metric::REQUEST_REPLAYED).await, 1);
    assert_eq!(world.told(metric::REQUEST_REFUSED).await, 1);

    // Another process knows of it too.
    let World { tables, lambda, function } = world;
    function.kill().await;
    let function = launch(&tables, &lambda);
    let world = World { tables, lambda, function };
    let again = world.send(order("k-1", "tea")).await;
    assert_eq!((again.header("idempotent-replayed"), &again.body), ("true", &first.body));
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_come_back_and_others_are_not() {
    let world = World::start_warm().await;
    let allowed_before = world.told(metric::LIMIT_ALLOWED).await;
    let undecided_before = world.told(metric::LIMIT_FAIL_OPEN).await;
    let (mut denied, mut unlimited) = (None, 0);
    // On a slow machine a few are given back meanwhile.
    for _ in 0..300 {
        // Whatever a caller says about its address.
        let call = Call::get("/orders/1/attachment").header("x-forwarded-for", "198.51.100.99");
        let answer = world.send(call).await;
        if answer.status == 429 {
            denied = Some(answer);
            break;
        }
        assert_eq!(answer.status, 404);
        unlimited += u64::from(answer.header("ratelimit").is_empty());
    }
    let denied = denied.expect("more than five in a second are too many");
    assert_ne!(denied.header("retry-after"), "");
    assert_eq!(denied.header("content-type"), "application/problem+json");
    assert_eq!(world.send(Call::get("/orders/1/attachment").from("198.51.100.1")).await.status, 404);
    assert_eq!(world.told(metric::LIMIT_DENIED).await, 1);
    assert!(world.told(metric::LIMIT_ALLOWED).await - allowed_before >= 10);
    // Whose limit is not told is let pass while the table stands still for longer than the limiter waits.
    assert!(unlimited <= world.told(metric::LIMIT_FAIL_OPEN).await - undecided_before, "{unlimited}");
}

#[tokio::test]
async fn bodies_of_any_bytes_come_in_and_go_out_as_they_are() {
    let world = World::start().await;
    let taken = world.send(order("k-1", "print")).await;
    let id = serde_json::from_slice::<Order>(&taken.body).unwrap().id;
    let path = format!("/orders/{id}/attachment");
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let kept = world.send(Call::of("PUT", &path).bytes(&bytes)).await;
    assert_eq!(kept.status, 204, "{kept:?}");
    let given = world.send(Call::get(&path)).await;
    assert_eq!((given.status, given.body.len()), (200, bytes.len()));
    assert_eq!(given.body, bytes);
    let text = world.send(Call::of("PUT", &path).body("plain ä")).await;
    assert_eq!(text.status, 204);
    assert_eq!(world.send(Call::get(&path)).await.body, "plain ä".as_bytes());
    let missing = world.send(Call::of("PUT", "/orders/none/attachment").body("x")).await;
    assert_eq!(missing.status, 404, "{missing:?}");
}

#[tokio::test]
async fn without_its_tables_nothing_is_taken_and_nobody_waits_for_the_end() {
    let world = World::start_warm().await;
    world.send(order("k-1", "tea")).await;
    let undecided_before = world.told(metric::LIMIT_FAIL_OPEN).await;
    world.tables.stop();
    let refused = world.lambda.invoke(order("k-2", "tea").event(), Duration::from_secs(6)).await.http();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(world.told(metric::LIMIT_FAIL_OPEN).await - undecided_before, 1);
    world.tables.resume().await.unwrap();
    let mut taken = world.send(order("k-2", "tea")).await;
    for _ in 0..20 {
        if taken.status == 201 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        taken = world.send(order("k-2", "tea")).await;
    }
    assert_eq!(taken.status, 201, "{taken:?}");
    assert_eq!(world.orders().await.len(), 2);
}

#[tokio::test]
async fn two_processes_that_get_the_same_order_at_once_take_it_once() {
    let world = World::start().await;
    let other_lambda = Runtime::start().await.unwrap();
    let _other = launch(&world.tables, &other_lambda);
    for round in 0..5 {
        let event = order(&format!("k-{round}"), "tea").event();
        let (one, other) =
            tokio::join!(world.lambda.invoke(event.clone(), TIME), other_lambda.invoke(event, TIME));
        let mut statuses = [one.http().status, other.http().status];
        statuses.sort_unstable();
        assert!(statuses == [201, 201] || statuses == [201, 409], "{statuses:?}");
        assert_eq!(world.orders().await.len(), round + 1);
    }
}
