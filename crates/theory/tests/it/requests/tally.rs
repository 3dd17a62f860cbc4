//! What handlers leave in the table: which runs there were, and how often the effect happened.

use std::collections::BTreeSet;

use tabletheory::{Db, Model};

/// The tally of one request.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "tallies", rename_all = "PascalCase")]
pub(super) struct Tally {
    #[model(pk)]
    pub(super) request: String,
    /// The name of each run; a set, so that a run whose write is sent twice is counted once.
    #[model(omit_empty)]
    pub(super) runs: BTreeSet<String>,
    /// How often the effect happened.
    pub(super) effects: Option<u64>,
}

/// Counts a run that begins.
pub(super) async fn count_run(db: &Db, request: &str, run: &str) {
    let update = db.update(Tally::key(request)).change(Tally::RUNS.add(BTreeSet::from([run.to_owned()])));
    update.or_create().silently().await.expect("a run is counted");
}
