//! The table as the model sees it: rows that only requests change. A request is evaluated once for each content of the rows,
//! by the conditions and updates that the store evaluates, and remembered.

use std::collections::HashMap;
use std::fmt;

use parking_lot::Mutex;
use tabletheory_core::expr::{Condition, Update};
use tabletheory_core::store::op::{TransactAction, TransactWriteItems};
use tabletheory_core::{Item, Request, Value};

use super::recipe::Recipe;
use super::rows::{Rows, View};
use super::rules::Rules;

/// A content of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RowsId(u32);

/// What the service says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is done.
    Done,
    /// Nothing is done, because of the conditions in these places, as bits.
    Refused(u8),
}

/// All contents of the rows that were met, and what the requests made of them.
pub(super) struct Server {
    rules: Rules,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    contents: Vec<(Rows, View)>,
    /// Rows have no hash, and their text says all that is in them.
    ids: HashMap<String, RowsId>,
    requests: HashMap<Recipe, Request>,
    outcomes: HashMap<(RowsId, Recipe), (RowsId, Answer)>,
}

/// One write of a request.
struct Write<'a> {
    key: Item,
    action: TransactAction,
    condition: Option<&'a Condition>,
}

impl Server {
    pub(super) const EMPTY: RowsId = RowsId(0);

    pub(super) fn new(rules: Rules) -> Self {
        let mut known = Known::default();
        assert_eq!(known.intern(Rows::new()), Self::EMPTY);
        Self { rules, known: Mutex::new(known) }
    }

    pub(super) fn view(&self, rows: RowsId) -> View {
        self.known.lock().contents[rows.index()].1
    }

    /// What the request of a recipe makes of the rows.
    pub(super) fn apply(&self, rows: RowsId, recipe: Recipe) -> (RowsId, Answer) {
        let known = &mut *self.known.lock();
        if let Some(outcome) = known.outcomes.get(&(rows, recipe)) {
            return *outcome;
        }
        let request = known.requests.entry(recipe).or_insert_with(|| self.rules.request(recipe));
        let (after, answer) = perform(request, &known.contents[rows.index()].0);
        let outcome = (known.intern(after), answer);
        known.outcomes.insert((rows, recipe), outcome);
        outcome
    }

    /// How many contents of the rows were met, and how many evaluations of requests.
    pub(super) fn counts(&self) -> (usize, usize) {
        let known = self.known.lock();
        (known.contents.len(), known.outcomes.len())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

impl RowsId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Known {
    fn intern(&mut self, rows: Rows) -> RowsId {
        let next = RowsId(u32::try_from(self.contents.len()).expect("the model is small"));
        let id = *self.ids.entry(format!("{rows:?}")).or_insert(next);
        if id == next {
            let view = View::of(&rows);
            self.contents.push((rows, view));
        }
        id
    }
}

/// What a request makes of the rows: all its writes, or none and the places of the conditions that do not hold.
fn perform(request: &Request, rows: &Rows) -> (Rows, Answer) {
    let writes = writes(request);
    let absent = Item::new();
    let refused = writes.iter().enumerate().filter(|(_, write)| {
        let item = rows.get(&sort_key(&write.key)).unwrap_or(&absent);
        write.condition.is_some_and(|condition| !condition.holds(item))
    });
    let places = refused.fold(0, |places, (place, _)| places | 1 << place);
    if places != 0 {
        return (rows.clone(), Answer::Refused(places));
    }
    let mut after = rows.clone();
    for write in writes {
        let sort_key = sort_key(&write.key);
        match write.action {
            TransactAction::Put { item } => drop(after.insert(sort_key, item)),
            TransactAction::Delete { .. } => drop(after.remove(&sort_key)),
            TransactAction::Update { key, update } => {
                let changed = update.apply(after.get(&sort_key).unwrap_or(&key)).expect("rows hold numbers");
                after.insert(sort_key, changed);
            }
            TransactAction::ConditionCheck { .. } => {}
        }
    }
    (after, Answer::Done)
}

fn writes(request: &Request) -> Vec<Write<'_>> {
    match request {
        Request::TransactWriteItems(transaction) => transact_writes(transaction),
        Request::PutItem(put) => {
            let action = TransactAction::Put { item: put.item.clone() };
            vec![Write { key: put.item.clone(), action, condition: put.condition.as_ref() }]
        }
        Request::DeleteItem(delete) => {
            let action = TransactAction::Delete { key: delete.key.clone() };
            vec![Write { key: delete.key.clone(), action, condition: delete.condition.as_ref() }]
        }
        Request::UpdateItem(update) => {
            let changes = update.update.clone().unwrap_or(Update { actions: Vec::new() });
            let action = TransactAction::Update { key: update.key.clone(), update: changes };
            vec![Write { key: update.key.clone(), action, condition: update.condition.as_ref() }]
        }
        other => panic!("the cache does not write with {}", other.name()),
    }
}

fn transact_writes(transaction: &TransactWriteItems) -> Vec<Write<'_>> {
    let write = |write: &tabletheory_core::store::op::TransactWrite| match &write.action {
        TransactAction::Put { item } => item.clone(),
        TransactAction::Update { key, .. }
        | TransactAction::Delete { key }
        | TransactAction::ConditionCheck { key } => key.clone(),
    };
    let writes = transaction.writes.iter();
    writes
        .map(|one| Write { key: write(one), action: one.action.clone(), condition: one.condition.as_ref() })
        .collect()
}

fn sort_key(key: &Item) -> String {
    key.get("sk").and_then(Value::as_s).expect("every row has a sort key").to_owned()
}
