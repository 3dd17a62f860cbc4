//! The row of a job. While it waits or is worked on it stands in the index `ready` under the time when it may be taken;
//! when it has ended it does not, because its `due` is gone.

use tabletheory::{Attribute, Model};

/// A job.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "jobs", table_env = "JOBS_TABLE", pk = "JOB#{id}")]
#[model(index(name = "ready", pk = "QUEUE#{queue}", sk = "{due:013}"))]
pub struct Job {
    /// Which job.
    pub id: String,
    /// Which queue it belongs to.
    pub queue: String,
    /// What is to be done.
    pub payload: String,
    /// When it may be taken (again), in milliseconds since 1970. A worker that takes it moves it into the future.
    pub due: Option<u64>,
    /// How often it was taken.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Counts the changes. Whoever holds the newest one holds the job.
    #[model(version)]
    pub version: u64,
    /// When an ended job may be forgotten, in seconds since 1970.
    #[model(ttl)]
    pub forget_at: Option<u64>,
}

/// How a job ended.
#[derive(Attribute, Debug, Clone, PartialEq)]
#[attribute(rename_all = "snake_case")]
pub enum Outcome {
    /// Done, with this result.
    Done(String),
    /// Tried too often; this was the last complaint.
    Dead(String),
}
