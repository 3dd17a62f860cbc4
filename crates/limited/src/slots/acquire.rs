//! Taking a slot: a guess, one conditional write, and what its refusal says.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tabletheory::Db;
use tabletheory::tenure::Tenure;
use tabletheory_core::Timestamp;

use super::held::Slot;
use super::protocol::{Settled, Shared};
use super::row::{Rows, draw};
use super::tenure::{TERM_MAX, TERM_MIN, span_until};
use super::view::View;
use crate::error::Error;
use crate::limit::Limit;
use crate::policy::Policy;
use crate::record::table_of;
use crate::subject::{Subject, partition};

/// As many slots as one row holds without becoming dear.
const LIMIT_MAX: usize = 256;
/// About so many rows are known at once, at 3 KB each for the largest limit.
const ROWS_KNOWN: usize = 1_024;
/// Each refusal tells the row as it is, so that only others who were faster lead to another.
const ATTEMPTS_MAX: usize = 8;
/// How long to wait when others were always faster: slots come and go at that moment.
const RACE_PAUSE: Duration = Duration::from_millis(20);

/// Slots under one name: so many for each identifier, for a term.
///
/// ```
/// use std::time::Duration;
///
/// use limited::RateLimitRecord;
/// use limited::slots::{Acquire, Slots};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// RateLimitRecord::ensure_table(&db).await?;
/// let slots = Slots::new(db, "exports", 1, Duration::from_secs(30))?;
///
/// let Acquire::Acquired(slot) = slots.try_acquire("user:7").await? else { panic!("nobody else is here") };
/// assert!(matches!(slots.try_acquire("user:7").await?, Acquire::Full { .. }));
/// assert!(matches!(slots.try_acquire("user:8").await?, Acquire::Acquired(_)));
/// slot.release().await?;
/// assert!(matches!(slots.try_acquire("user:7").await?, Acquire::Acquired(_)));
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Slots {
    shared: Arc<Shared>,
    known: Arc<Cache<String, Arc<View>>>,
    name: Arc<str>,
    limit: usize,
    term: Duration,
}

/// What [`Slots::try_acquire`] came to.
///
/// ```
/// use std::time::Duration;
///
/// use limited::slots::Acquire;
///
/// let full = Acquire::Full { retry_after: Duration::from_secs(3) };
/// assert!(!matches!(full, Acquire::Acquired(_)));
/// ```
#[derive(Debug)]
#[must_use = "a slot that was acquired and dropped stays taken until it lapses"]
pub enum Acquire {
    /// A slot is ours for the term.
    Acquired(Slot),
    /// None is free, or others were faster to take those that were.
    Full {
        /// When the first of them lapses. One may be given back before.
        retry_after: Duration,
    },
}

impl Slots {
    /// At most `limit` slots at once for each identifier, each for `term` unless it is renewed. They stand in the table that `db`
    /// keeps a [`RateLimitRecord`](crate::RateLimitRecord) in.
    ///
    /// # Errors
    /// [`Error::Policy`] if the name is none for a policy; [`Error::Setting`] if the limit is not 1 to 256, or the term not
    /// between a tenth of a second and an hour.
    pub fn new(db: Db, name: &str, limit: usize, term: Duration) -> Result<Self, Error> {
        // A name of slots is one of a policy: keys are made of both.
        let named = Policy::new(name, [Limit::per_second(1)])?;
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(Error::Setting { name: "limit", reason: "slots are 1 to 256" });
        }
        if !(TERM_MIN..=TERM_MAX).contains(&term) {
            let reason = "it is not between a tenth of a second and an hour";
            return Err(Error::Setting { name: "term", reason });
        }
        let rows = Rows { table: table_of(&db) };
        let (store, clock, entropy) =
            (Arc::clone(db.store()), Arc::clone(db.clock()), Arc::clone(db.entropy()));
        let shared = Arc::new(Shared { store, rows, clock, entropy });
        let known = Arc::new(Cache::new(ROWS_KNOWN));
        Ok(Self { shared, known, name: named.shared_name(), limit, term })
    }

    /// Takes a slot for an identifier, if one is free. One UpdateItem if this process guesses a free slot, or none is free; one
    /// more for each wrong guess, which are few.
    ///
    /// # Errors
    /// [`Error::NoIdentifier`]; [`Error::Store`], and then, if its answer was lost, a slot may be taken until it lapses or this
    /// process asks again.
    pub async fn try_acquire(&self, subject: impl Into<Subject<'_>>) -> Result<Acquire, Error> {
        let partition = partition(&self.name, None, subject.into().identifier)?;
        let view = self.view(&partition);
        let Shared { rows, clock, entropy, .. } = &*self.shared;
        let mut attempt = view.first(clock.now(), &**entropy, draw(&**entropy));
        for _ in 0..ATTEMPTS_MAX {
            let tenure = Tenure::begin(&**clock, self.term);
            let (number, token) = (attempt.slot, attempt.token);
            let write = rows.acquire(&partition, number, &token, &tenure);
            let settled = match self.shared.settle(&partition, write).await {
                Ok(settled) => settled,
                Err(error) => {
                    // Without an answer the attempt is dropped, and becomes a ghost.
                    if !error.is_ambiguous() {
                        attempt.answered();
                    }
                    return Err(error.into());
                }
            };
            attempt.answered();
            match settled {
                Settled::Done(output) => {
                    view.learn(&output.attributes.unwrap_or_default(), tenure.asked_at);
                    let (shared, term) = (Arc::clone(&self.shared), self.term);
                    let slot = Slot { shared, view, partition, number, token, tenure, term };
                    return Ok(Acquire::Acquired(slot));
                }
                Settled::Refused(row) => {
                    view.learn(&row, tenure.asked_at);
                    if let Some(until_ms) = view.full_until(tenure.asked_at) {
                        return Ok(full(until_ms, clock.now()));
                    }
                    attempt = view.next(tenure.asked_at, &**entropy, token);
                }
            }
        }
        attempt.answered();
        Ok(Acquire::Full { retry_after: RACE_PAUSE })
    }

    fn view(&self, partition: &str) -> Arc<View> {
        let made = || Ok::<_, std::convert::Infallible>(Arc::new(View::new(self.limit)));
        match self.known.get_or_insert_with(partition, made) {
            Ok(view) => view,
            Err(never) => match never {},
        }
    }
}

fn full(until_ms: i64, now: Timestamp) -> Acquire {
    Acquire::Full { retry_after: span_until(until_ms, now).max(RACE_PAUSE) }
}

/// Without what is known about identifiers.
impl std::fmt::Debug for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Slots");
        shown.field("name", &self.name).field("limit", &self.limit).field("term", &self.term);
        shown.finish_non_exhaustive()
    }
}
