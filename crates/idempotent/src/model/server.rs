//! The table as the model sees it: one row that only requests change. A request is evaluated once for each content of the row,
//! by the conditions and updates that the store evaluates, and remembered.

use std::collections::HashMap;
use std::fmt;

use parking_lot::Mutex;
use tabletheory_core::{Item, Request};

use super::recipe::{Attempt, Moment, Recipe};
use super::rules::{Rules, attempt_of, moment_of, nothing};
use crate::moment;
use crate::standing::{integer, text};

/// A content of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RowId(u32);

/// What the row says, decoded once for each content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    pub(super) completed: bool,
    pub(super) processing: bool,
    pub(super) owner: Attempt,
    pub(super) hash: u8,
    pub(super) locked_until: Option<Moment>,
    pub(super) expires_at: Moment,
    /// Whose answer is in it.
    pub(super) answer: Option<Attempt>,
}

/// All contents of the row that were met, and what the requests made of them.
pub(super) struct Server {
    rules: Rules,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    contents: Vec<(Option<Item>, Option<View>)>,
    /// Items have no hash, and their text says all that is in them.
    ids: HashMap<String, RowId>,
    requests: HashMap<Recipe, Request>,
    outcomes: HashMap<(RowId, Recipe), (RowId, bool)>,
}

impl Server {
    pub(super) const EMPTY: RowId = RowId(0);

    pub(super) fn new(rules: Rules) -> Self {
        let mut known = Known::default();
        assert_eq!(known.intern(None), Self::EMPTY);
        Self { rules, known: Mutex::new(known) }
    }

    pub(super) fn view(&self, row: RowId) -> Option<View> {
        self.known.lock().contents[row.index()].1
    }

    pub(super) fn item(&self, row: RowId) -> Option<Item> {
        self.known.lock().contents[row.index()].0.clone()
    }

    /// What the request of a recipe makes of the row, and whether it is done.
    pub(super) fn apply(&self, row: RowId, recipe: Recipe) -> (RowId, bool) {
        let known = &mut *self.known.lock();
        if let Some(outcome) = known.outcomes.get(&(row, recipe)) {
            return *outcome;
        }
        let request = known.requests.entry(recipe).or_insert_with(|| self.rules.request(recipe));
        let outcome = match perform(request, known.contents[row.index()].0.as_ref()) {
            Some(after) => (known.intern(after), true),
            None => (row, false),
        };
        known.outcomes.insert((row, recipe), outcome);
        outcome
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

impl RowId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Known {
    fn intern(&mut self, item: Option<Item>) -> RowId {
        let next = RowId(u32::try_from(self.contents.len()).expect("the model is small"));
        let id = *self.ids.entry(format!("{item:?}")).or_insert(next);
        if id == next {
            let view = item.as_ref().map(view);
            self.contents.push((item, view));
        }
        id
    }
}

/// What a request makes of the row, or nothing if its condition does not hold.
fn perform(request: &Request, item: Option<&Item>) -> Option<Option<Item>> {
    let absent = nothing();
    let holds = |condition: &Option<tabletheory_core::expr::Condition>| {
        condition.as_ref().is_none_or(|condition| condition.holds(item.unwrap_or(&absent)))
    };
    match request {
        Request::UpdateItem(update) => holds(&update.condition).then(|| {
            let changes = update.update.as_ref().expect("every update changes something");
            Some(changes.apply(item.unwrap_or(&update.key)).expect("the row holds numbers"))
        }),
        Request::PutItem(put) => holds(&put.condition).then(|| Some(put.item.clone())),
        Request::DeleteItem(delete) => holds(&delete.condition).then_some(None),
        other => panic!("the protocol does not write with {}", other.name()),
    }
}

fn view(item: &Item) -> View {
    let status = text(item, "Status").expect("every row has a status");
    let locked_until = text(item, "LockedUntil").and_then(moment::parse);
    let hash = text(item, "RequestHash").and_then(|hash| hash.strip_prefix('h')?.parse().ok());
    View {
        completed: status == "COMPLETED",
        processing: status == "PROCESSING",
        owner: attempt_of(text(item, "LockToken").expect("every row has a token")),
        hash: hash.expect("every row has a hash"),
        locked_until: locked_until.map(|until| moment_of(until.seconds())),
        expires_at: moment_of(integer(item, "ExpiresAt").expect("every row is over some time")),
        answer: text(item, "Response").map(attempt_of),
    }
}
