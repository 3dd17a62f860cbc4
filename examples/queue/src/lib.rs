//! A job queue in one table. A job is held by whoever moved it last: its version is the fence, its `due` the time after
//! which others may take it. There is no lock to release and nothing to clean up when a worker dies.

pub mod job;

use std::time::Duration;

use job::{Job, Outcome};
use tabletheory::table::TableError;
use tabletheory::{Db, Error};

/// How many jobs a worker looks at at once: others may be faster.
const LOOK_AHEAD: usize = 10;
/// An ended job is kept for a week.
const KEPT_SECONDS: u64 = 7 * 24 * 3600;

/// A queue of jobs.
#[derive(Debug, Clone)]
pub struct Queue {
    db: Db,
    name: String,
    /// How long a worker may be silent before others take its job.
    patience: Duration,
    attempts_max: u32,
}

/// What became of a job that was given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It will be tried again.
    Again,
    /// It was tried too often.
    Dead,
    /// It is somebody else's by now, and nothing was changed.
    Lost,
}

impl Queue {
    /// Opens a queue, with its table if need be.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn open(db: Db, name: impl Into<String>, patience: Duration) -> Result<Self, TableError> {
        db.table::<Job>().ensure().await?;
        Ok(Self { db, name: name.into(), patience, attempts_max: 3 })
    }

    /// Puts a job into the queue, once for each id: putting it twice changes nothing.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn put(&self, id: &str, payload: &str) -> Result<(), Error> {
        let job = Job {
            id: id.into(),
            queue: self.name.clone(),
            payload: payload.into(),
            due: Some(self.now()),
            attempts: 0,
            outcome: None,
            version: 0,
            forget_at: None,
        };
        match self.db.create(&job).await {
            Err(error) if error.is_condition_failed() => Ok(()),
            answer => Ok(answer.map(drop)?),
        }
    }

    /// Takes the job that has waited longest, if any is due. Nobody else gets it while the patience lasts.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn take(&self) -> Result<Option<Job>, Error> {
        loop {
            let due = Job::ready(self.name.as_str()).le(self.now());
            let due = self.db.query(due).limit(LOOK_AHEAD).await?;
            if due.is_empty() {
                return Ok(None);
            }
            // Whoever loses one of these to somebody faster tries the next, and then looks again.
            for job in due {
                if job.attempts >= self.attempts_max {
                    // It was never given back: it takes its workers with it.
                    self.change(self.ended(&job, Outcome::Dead("its workers died".into()))).await?;
                    continue;
                }
                let attempts = job.attempts + 1;
                if let Some(job) =
                    self.change(Job { due: Some(self.after(self.patience)), attempts, ..job }).await?
                {
                    return Ok(Some(job));
                }
            }
        }
    }

    /// Keeps a job for another span of patience. `None` if it is somebody else's by now.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn keep(&self, job: &Job) -> Result<Option<Job>, Error> {
        self.change(Job { due: Some(self.after(self.patience)), ..job.clone() }).await
    }

    /// Ends a job with its result. `None` if it is somebody else's by now: then the result does not count.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn finish(&self, job: &Job, result: &str) -> Result<Option<Job>, Error> {
        self.change(self.ended(job, Outcome::Done(result.into()))).await
    }

    /// Gives a job back. It is tried again later, each time twice as late, and ends as dead when it was tried too often.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn give_back(&self, job: &Job, complaint: &str) -> Result<Verdict, Error> {
        let dead = job.attempts >= self.attempts_max;
        let next = if dead {
            self.ended(job, Outcome::Dead(complaint.into()))
        } else {
            let pause = self.patience * 2_u32.saturating_pow(job.attempts);
            Job { due: Some(self.after(pause)), ..job.clone() }
        };
        Ok(match self.change(next).await? {
            None => Verdict::Lost,
            Some(_) if dead => Verdict::Dead,
            Some(_) => Verdict::Again,
        })
    }

    /// A job, whatever its state.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn job(&self, id: &str) -> Result<Option<Job>, Error> {
        Ok(self.db.get(Job::key(id)).consistent().await?)
    }

    /// How many jobs wait or are worked on.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn len(&self) -> Result<u64, Error> {
        Ok(self.db.query(Job::ready(self.name.as_str())).count().await?)
    }

    /// Whether no job waits or is worked on.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len().await? == 0)
    }

    async fn change(&self, job: Job) -> Result<Option<Job>, Error> {
        match self.db.save(&job).await {
            Ok(job) => Ok(Some(job)),
            Err(error) if error.is_version_conflict() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn ended(&self, job: &Job, outcome: Outcome) -> Job {
        let forget_at = self.now() / 1000 + KEPT_SECONDS;
        Job { due: None, outcome: Some(outcome), forget_at: Some(forget_at), ..job.clone() }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.db.clock().now().millis()).unwrap_or(0)
    }

    fn after(&self, span: Duration) -> u64 {
        self.now().saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
    }
}
