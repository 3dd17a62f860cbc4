//! The work of a batch: it is cut into requests, several are under way at once, and what the store leaves is asked for again,
//! later. Every operation of a batch may be repeated: it reads, or it writes a whole item or deletes one.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use tabletheory_core::{Operation, StoreError, StoreExt};

use crate::db::Db;
use crate::db::backoff::Attempts;
use crate::flight::Flights;

/// How many requests are under way at once, unless told otherwise.
const CONCURRENCY: usize = 4;

/// The operations of a batch, by their places.
pub(super) trait Work {
    type Request: Operation;

    /// How many operations one request takes.
    const REQUEST_MAX: usize;

    /// How many operations there are.
    fn count(&self) -> usize;

    /// The request for the operations at these places.
    fn request(&self, places: &[usize]) -> Self::Request;

    /// Takes what was answered, and says which places were left; `None` if something was left that stands at none.
    fn take(&mut self, answer: <Self::Request as Operation>::Output) -> Option<HashSet<usize>>;
}

/// What became of one operation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fate {
    Done,
    /// The store left it each time.
    Left,
    Failed(StoreError),
}

/// How a batch is done.
pub(super) struct Manner {
    pub(super) concurrency: usize,
    pub(super) progress: Option<Box<dyn FnMut(usize, usize) + Send>>,
}

impl Default for Manner {
    fn default() -> Self {
        Self { concurrency: CONCURRENCY, progress: None }
    }
}

impl fmt::Debug for Manner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manner").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

/// Operations that go in one request.
struct Chunk {
    places: Vec<usize>,
    attempts: Attempts,
    /// What came of the attempt before.
    before: Option<Before>,
    /// An answer that was lost. Since then nobody knows whether something was written.
    lost: Option<StoreError>,
}

enum Before {
    Left,
    Failed(StoreError),
}

/// What came of a request; nothing if it was not sent because the attempts are used up.
type Landing<O> = (Chunk, Option<Result<O, StoreError>>);

/// All requests of the batch, as they are sent first.
pub(super) fn requests<W: Work>(work: &W) -> Vec<W::Request> {
    let places: Vec<usize> = (0..work.count()).collect();
    places.chunks(W::REQUEST_MAX).map(|places| work.request(places)).collect()
}

/// Does the work, and says what became of each operation.
pub(super) async fn perform<W: Work>(db: &Db, work: &mut W, mut manner: Manner) -> Vec<Fate> {
    let total = work.count();
    let places: Vec<usize> = (0..total).collect();
    let mut waiting: VecDeque<Chunk> =
        places.chunks(W::REQUEST_MAX).map(|places| Chunk::new(db, places.to_vec())).collect();
    let mut flights: Flights<'_, Landing<<W::Request as Operation>::Output>> = Flights::new();
    let mut fates = Fates { fates: vec![None; total], settled: 0 };
    loop {
        while flights.len() < manner.concurrency.max(1)
            && let Some(chunk) = waiting.pop_front()
        {
            let request = work.request(&chunk.places);
            flights.push(fly(db.clone(), chunk, request));
        }
        let Some((chunk, answer)) = flights.next().await else { break };
        let before = fates.settled;
        match answer {
            None => fates.give_up(chunk),
            Some(Ok(answer)) => {
                // What cannot be told apart was all left: to do it again does no harm.
                let left = work.take(answer).unwrap_or_else(|| chunk.places.iter().copied().collect());
                waiting.extend(fates.answered(chunk, &left, db));
            }
            Some(Err(error)) => waiting.extend(fates.refused(chunk, error, db)),
        }
        if let Some(progress) = manner.progress.as_mut().filter(|_| fates.settled > before) {
            progress(fates.settled, total);
        }
    }
    fates.fates.into_iter().map(|fate| fate.expect("every chunk was settled")).collect()
}

/// Sends the request of a chunk; if it was sent before, after a while.
async fn fly<O: Operation>(db: Db, mut chunk: Chunk, request: O) -> Landing<O::Output> {
    if chunk.before.is_some() && !chunk.attempts.again().await {
        return (chunk, None);
    }
    let answer = db.store().send(request).await;
    (chunk, Some(answer))
}

impl Chunk {
    fn new(db: &Db, places: Vec<usize>) -> Self {
        let attempts = db.attempts();
        Self { places, attempts, before: None, lost: None }
    }

    /// A part of this chunk, with attempts of its own.
    fn part(&self, db: &Db, places: Vec<usize>, before: Option<Before>) -> Self {
        Self { before, lost: self.lost.clone(), ..Self::new(db, places) }
    }
}

/// What became of the operations so far.
struct Fates {
    fates: Vec<Option<Fate>>,
    settled: usize,
}

impl Fates {
    fn settle(&mut self, place: usize, fate: Fate) {
        self.settled += usize::from(self.fates[place].is_none());
        self.fates[place] = Some(fate);
    }

    /// Settles what was done, and gives what was left.
    fn answered(&mut self, mut chunk: Chunk, left: &HashSet<usize>, db: &Db) -> Option<Chunk> {
        let (left, done): (Vec<usize>, Vec<usize>) =
            chunk.places.iter().partition(|place| left.contains(place));
        for place in &done {
            self.settle(*place, Fate::Done);
        }
        match (left.is_empty(), done.is_empty()) {
            (true, _) => None,
            // The store is busy, but it does something: patience begins anew.
            (false, false) => Some(chunk.part(db, left, Some(Before::Left))),
            (false, true) => {
                chunk.before = Some(Before::Left);
                Some(chunk)
            }
        }
    }

    /// Settles what will not pass, and gives what is to be sent again.
    fn refused(&mut self, mut chunk: Chunk, error: StoreError, db: &Db) -> Vec<Chunk> {
        if error.is_ambiguous() && chunk.lost.is_none() {
            chunk.lost = Some(error.clone());
        }
        let is_retryable = error.is_retryable();
        // One operation that breaks a rule must not take the others of its request with it.
        if breaks_a_rule(&error) && chunk.places.len() > 1 {
            let (first, second) = chunk.places.split_at(chunk.places.len() / 2);
            return [first, second].map(|places| chunk.part(db, places.to_vec(), None)).into();
        }
        chunk.before = Some(Before::Failed(error));
        if is_retryable {
            return vec![chunk];
        }
        self.give_up(chunk);
        Vec::new()
    }

    fn give_up(&mut self, chunk: Chunk) {
        let fate = match (chunk.lost, chunk.before) {
            (Some(error), _) | (None, Some(Before::Failed(error))) => Fate::Failed(error),
            (None, Some(Before::Left) | None) => Fate::Left,
        };
        for place in chunk.places {
            self.settle(place, fate.clone());
        }
    }
}

/// Whether one operation of a request can be the reason why all of them were refused.
fn breaks_a_rule(error: &StoreError) -> bool {
    matches!(error, StoreError::Validation(_) | StoreError::ItemCollectionSizeLimitExceeded(_))
}
