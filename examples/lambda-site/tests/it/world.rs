//! The site with its tables, its bucket and its Lambda, all on loopback.

pub(crate) mod sqs;

use std::time::Duration;

use facetheory::MetaStore;
use lambda_site::Article;
use limited::Limiter;
use local_s3::LocalS3;
use serde_json::Value;
use tabletheory::Db;
use theory_lambda::testing::{Call, DynamoDb, HttpAnswer, Launched, Outcome, Runtime};
use theory_synth::metric;

/// What an invocation has, unless a test is about time.
pub(crate) const TIME: Duration = Duration::from_secs(20);
/// A render that nobody waits for to its end.
pub(crate) const ENDLESS_MS: u64 = 60_000;
/// So much later than its end an answer counts: it may take a while on its way through a busy machine, but not as long as a render.
const GRACE: Duration = Duration::from_secs(20);

/// The site and what is around it.
pub(crate) struct World {
    pub(crate) tables: DynamoDb,
    pub(crate) bucket: LocalS3,
    pub(crate) lambda: Runtime,
    environment: Vec<(String, String)>,
}

impl World {
    /// A site with one article, whose pages are fresh for three seconds. No process runs yet.
    pub(crate) async fn new() -> Self {
        let (tables, bucket) = (DynamoDb::start().await.unwrap(), LocalS3::start("bodies").await.unwrap());
        let lambda = lambda().await;
        let db = tables.db();
        db.create_table::<Article>().await.unwrap();
        MetaStore::in_table(db.clone(), "pages").create_table().await.unwrap();
        Limiter::new(db.clone().with_table::<limited::RateLimitRecord>("limits"))
            .create_table()
            .await
            .unwrap();
        let mut environment = tables.environment();
        environment.extend(bucket.environment().map(|(name, value)| (name.to_owned(), value.to_owned())));
        let names = [
            ("FACETHEORY_CACHE_TABLE_NAME", "pages"),
            ("FACETHEORY_ISR_BUCKET", bucket.bucket()),
            ("FACETHEORY_ISR_PREFIX", "isr"),
            ("RATE_LIMIT_TABLE_NAME", "limits"),
            ("SITE_FRESH_SECONDS", "3"),
        ];
        environment.extend(names.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let world = Self { tables, bucket, lambda, environment };
        world.write("one", "first", 0).await;
        world
    }

    /// With another variable in the environment of its processes.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.environment.retain(|(known, _)| known != name);
    }

    /// Starts a process, in place of the one that was there.
    pub(crate) fn launch(&self) -> Launched {
        self.launch_on(&self.lambda)
    }

    /// Starts a process that is warm when it is given.
    pub(crate) async fn launch_warm(&self) -> Launched {
        self.launch_warm_on(&self.lambda).await
    }

    /// Starts another process of the same function that is warm when it is given: it has met its tables, and its limiter was answered.
    /// The first calls of a process may take longer than that waits for them.
    pub(crate) async fn launch_warm_on(&self, lambda: &Runtime) -> Launched {
        let (function, event) = (self.launch_on(lambda), Call::get("/").from("198.51.100.200").event());
        for _ in 0..40 {
            assert_eq!(lambda.invoke(event.clone(), TIME).await.http().status, 200);
            if told(&function, metric::LIMIT_ALLOWED).await > 0 {
                return function;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        panic!("the limiter does not reach its table: {:?}", function.complaints());
    }

    /// Starts another process of the same function.
    pub(crate) fn launch_on(&self, lambda: &Runtime) -> Launched {
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        lambda.launch(env!("CARGO_BIN_EXE_lambda-site"), environment).unwrap()
    }

    /// Writes an article.
    pub(crate) async fn write(&self, slug: &str, text: &str, render_ms: u64) {
        let article = Article { slug: slug.into(), title: "News".into(), text: text.into(), render_ms };
        self.db().put(&article).await.unwrap();
    }

    /// Waits until somebody renders a page, and a little longer, so that he is in the middle of it.
    pub(crate) async fn until_rendering(&self) {
        let taken = async {
            while !self.is_leased().await {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(TIME, taken).await.expect("somebody takes the lease of a page");
        tokio::time::sleep(Duration::from_millis(300)).await;
    }

    /// Whether somebody has the lease of a page, or is gone and had it.
    pub(crate) async fn is_leased(&self) -> bool {
        let pages = MetaStore::in_table(self.db(), "pages");
        pages.leases(10, None).await.unwrap().leases.iter().any(|lease| lease.is_held)
    }

    pub(crate) fn db(&self) -> Db {
        self.tables.db()
    }

    pub(crate) async fn get(&self, path: &str) -> HttpAnswer {
        self.send(Call::get(path)).await.http()
    }

    pub(crate) async fn send(&self, call: Call) -> Outcome {
        self.lambda.invoke(call.event(), TIME).await
    }
}

/// The Lambda of one process.
pub(crate) async fn lambda() -> Runtime {
    Runtime::start().await.unwrap().with_grace(GRACE)
}

/// Waits until the page of the last answer is stale.
pub(crate) async fn until_stale() {
    tokio::time::sleep(Duration::from_millis(3_300)).await;
}

/// How much of a figure a process has told so far. What it printed may still be on its way.
pub(crate) async fn told(function: &Launched, figure: &str) -> u64 {
    // It is printed before the answer, and read beside this task, which therefore steps aside more than once: whoever wakes from a
    // machine that stood still may be the first to go on.
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let lines = function.lines();
    let figures = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    figures
        .map(|line| {
            let declared = line["_aws"]["CloudWatchMetrics"][0]["Metrics"].as_array().expect("figures");
            match &line[figure] {
                Value::Null => 0,
                value => {
                    assert!(declared.iter().any(|metric| metric["Name"] == figure), "{line}");
                    assert_eq!(line["FunctionName"], "tested");
                    value.as_u64().unwrap_or_else(|| value.as_array().map_or(0, |values| values.len() as u64))
                }
            }
        })
        .sum()
}
