//! One process of a function: what its environment says, the time of its invocations, and what it counts. It is made before the
//! initialisation, which takes from it what belongs to all invocations.

use std::sync::Arc;
use std::time::Duration;

use facetheory::body::{BodySettings, S3Settings};
use facetheory::{Bodies, Isr, MetaStore};
use limited::RateLimitLayer;
use tabletheory::Db;
use tabletheory_core::Clock;
use tabletheory_core::sys::SystemClock;
use theory_synth::environment;

use crate::error::Error;
use crate::figures::Figures;
use crate::queue::{Regeneration, SqsQueue};
use crate::store::Timely;
use crate::time::Time;

/// How long before its end an invocation begins to end, unless something else is said.
const BUFFER: Duration = Duration::from_millis(500);

/// One process of a function. Clones are the same process.
///
/// ```
/// use theory_lambda::Process;
///
/// let process = Process::new("site");
/// assert_eq!(process.name(), "site");
/// ```
#[derive(Debug, Clone)]
pub struct Process {
    name: Arc<str>,
    time: Time,
    figures: Figures,
    clock: Arc<dyn Clock>,
    buffer: Duration,
}

impl Process {
    /// A process of the function of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let (time, figures) = (Time::default(), Figures::default());
        Self { name: name.into(), time, figures, clock: Arc::new(SystemClock), buffer: BUFFER }
    }

    /// The process that Lambda has started.
    ///
    /// # Errors
    /// If Lambda has not.
    pub fn from_env() -> Result<Self, Error> {
        // The runtime library would panic over one that is missing.
        for variable in ["AWS_LAMBDA_RUNTIME_API", "AWS_LAMBDA_FUNCTION_VERSION"] {
            variable_of(variable).ok_or(Error::NotLambda { variable })?;
        }
        let variable = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE";
        let megabytes = variable_of(variable).and_then(|megabytes| megabytes.parse::<i32>().ok());
        megabytes.ok_or(Error::NotLambda { variable })?;
        let variable = "AWS_LAMBDA_FUNCTION_NAME";
        let name = variable_of(variable).ok_or(Error::NotLambda { variable })?;
        Ok(Self::new(&name))
    }

    /// With another buffer than half a second: the step in which an invocation ends (see the crate's documentation).
    #[must_use]
    pub fn with_buffer(mut self, buffer: Duration) -> Self {
        self.buffer = buffer;
        self
    }

    /// With another clock, for tests.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it counts.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// DynamoDB as the environment asks for it ([`Db::lambda`]), whose calls end before the invocation under way does. Models find their
    /// tables by the variables that they name.
    ///
    /// # Errors
    /// If the environment asks for something that cannot be.
    pub async fn db(&self) -> Result<Db, Error> {
        Ok(self.timely(&Db::lambda().await?))
    }

    /// The same database, whose calls end before the invocation under way does.
    #[must_use]
    pub fn timely(&self, db: &Db) -> Db {
        let time = self.time.clone();
        db.over(|store| Arc::new(Timely::new(store, time)))
    }

    /// The same layer, whose decisions are counted.
    #[must_use]
    pub fn counted(&self, layer: RateLimitLayer) -> RateLimitLayer {
        layer.on_decision(self.figures.decisions())
    }

    /// The pages in the table that `FACETHEORY_CACHE_TABLE_NAME` names, with bodies in the bucket of `FACETHEORY_ISR_BUCKET` below
    /// `FACETHEORY_ISR_PREFIX`. What happens to them is counted.
    ///
    /// # Errors
    /// If there is no bucket, or its name or the prefix are none.
    pub fn isr(&self, db: &Db) -> Result<Isr, Error> {
        Ok(self.observed(Isr::new(MetaStore::new(db.clone()), bodies()?)))
    }

    /// The same pages, and what happens to them is counted.
    #[must_use]
    pub fn observed(&self, isr: Isr) -> Isr {
        isr.with_observer(Arc::new(self.figures.clone()))
    }

    /// Who renders stale pages: whoever reads the queue of `FACETHEORY_REGENERATION_QUEUE_URL`; without one, who finds them stale.
    ///
    /// # Errors
    /// If there is no region.
    pub async fn regeneration(&self) -> Result<Regeneration, Error> {
        match variable_of(environment::REGENERATION_QUEUE) {
            None => Ok(Regeneration::Await),
            Some(url) => Ok(Regeneration::Queue(Arc::new(SqsQueue::connect(url).await?))),
        }
    }

    pub(crate) fn time(&self) -> &Time {
        &self.time
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(crate) fn buffer(&self) -> Duration {
        self.buffer
    }
}

fn bodies() -> Result<Bodies, Error> {
    let missing = |variable, expected| Error::Environment { variable, expected };
    let bucket = variable_of(environment::ISR_BUCKET)
        .ok_or(missing(environment::ISR_BUCKET, "the bucket with the bodies of pages"))?;
    let region = variable_of("AWS_REGION").ok_or(missing("AWS_REGION", "the bucket's region"))?;
    let endpoint = variable_of("AWS_ENDPOINT_URL_S3").or_else(|| variable_of("AWS_ENDPOINT_URL"));
    let s3 = S3Settings { path_style: endpoint.is_some(), endpoint, ..S3Settings::new(&bucket, region) };
    let prefix = variable_of(environment::ISR_PREFIX).unwrap_or_default();
    let settings = BodySettings { prefix, ..BodySettings::default() };
    Bodies::s3(&s3)
        .and_then(|bodies| bodies.with_settings(settings))
        .map_err(|source| Error::Bodies { bucket, source })
}

/// A variable of the environment. One that is empty counts as missing.
pub(crate) fn variable_of(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
