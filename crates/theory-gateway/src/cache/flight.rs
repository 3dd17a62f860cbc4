//! Requests on their way to the application, by address: who comes later can wait for the answer of the one that is under way, and a
//! change of the address in the meantime is noticed, so that what was asked for before it is not kept after it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

/// How long is waited for another's answer before one asks oneself.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Everything under way.
#[derive(Debug, Default)]
pub(super) struct Flights {
    open: Mutex<HashMap<Arc<str>, Open>>,
}

/// What is under way for one address.
#[derive(Debug, Default)]
struct Open {
    flights: usize,
    /// How often the address was changed meanwhile.
    changes: u64,
    /// Ends when the answer that others wait for is there, or never will be.
    awaited: Option<watch::Receiver<()>>,
}

/// One request on its way.
#[derive(Debug)]
pub(super) struct Flight {
    flights: Arc<Flights>,
    key: Arc<str>,
    changes: u64,
    leading: Option<watch::Sender<()>>,
}

/// How one comes to an answer.
#[derive(Debug)]
pub(super) enum Boarding {
    /// By asking; others wait for it.
    Lead(Flight),
    /// By waiting for one that asked before.
    Wait(Wait),
}

/// Waiting for another's answer.
#[derive(Debug)]
pub(super) struct Wait(watch::Receiver<()>);

impl Wait {
    /// Ends when the answer is there, or never will be, or takes too long.
    pub(super) async fn over(mut self) {
        // Nothing is ever sent: the end of the sender is the message.
        let _ = tokio::time::timeout(WAIT_MAX, self.0.changed()).await;
    }
}

impl Flights {
    /// Leads, or waits for who does.
    pub(super) fn board(self: &Arc<Self>, key: &Arc<str>) -> Boarding {
        let mut open = self.open.lock();
        let known = open.entry(Arc::clone(key)).or_default();
        if let Some(awaited) = &known.awaited {
            return Boarding::Wait(Wait(awaited.clone()));
        }
        let (leading, awaited) = watch::channel(());
        known.awaited = Some(awaited);
        known.flights += 1;
        Boarding::Lead(self.flight(key, known.changes, Some(leading)))
    }

    /// Asks for oneself only.
    pub(super) fn alone(self: &Arc<Self>, key: &Arc<str>) -> Flight {
        let mut open = self.open.lock();
        let known = open.entry(Arc::clone(key)).or_default();
        known.flights += 1;
        self.flight(key, known.changes, None)
    }

    fn flight(self: &Arc<Self>, key: &Arc<str>, changes: u64, leading: Option<watch::Sender<()>>) -> Flight {
        Flight { flights: Arc::clone(self), key: Arc::clone(key), changes, leading }
    }

    /// The address was changed: what was asked for before says nothing about it any more.
    pub(super) fn change(&self, key: &str) {
        if let Some(known) = self.open.lock().get_mut(key) {
            known.changes += 1;
        }
    }

    /// All these addresses were changed.
    pub(super) fn change_all(&self, is_changed: impl Fn(&str) -> bool) {
        for (_, known) in self.open.lock().iter_mut().filter(|(key, _)| is_changed(key)) {
            known.changes += 1;
        }
    }

    /// How many addresses are asked for.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.open.lock().len()
    }
}

impl Flight {
    /// Whether the address was changed since this request set out.
    pub(super) fn is_outdated(&self) -> bool {
        self.flights.open.lock().get(&self.key).is_none_or(|known| known.changes != self.changes)
    }

    /// The answer is for nobody else: nobody needs to wait for it. Whether anybody could have.
    pub(super) fn release(&mut self) -> bool {
        let Some(_leading) = self.leading.take() else { return false };
        if let Some(known) = self.flights.open.lock().get_mut(&self.key) {
            known.awaited = None;
        }
        true
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.release();
        let mut open = self.flights.open.lock();
        if let Some(known) = open.get_mut(&self.key) {
            known.flights -= 1;
            if known.flights == 0 {
                open.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_comes_later_waits_until_the_first_has_landed() {
        let (flights, key): (_, Arc<str>) = (Arc::new(Flights::default()), "a".into());
        let Boarding::Lead(first) = flights.board(&key) else { panic!("nobody is under way") };
        let Boarding::Wait(wait) = flights.board(&key) else { panic!("the first is under way") };
        let waiting = tokio::spawn(wait.over());
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
        assert_eq!(flights.len(), 0);
    }

    #[test]
    fn who_releases_the_others_leaves_the_lead() {
        let (flights, key): (_, Arc<str>) = (Arc::new(Flights::default()), "a".into());
        let Boarding::Lead(mut first) = flights.board(&key) else { panic!("nobody is under way") };
        first.release();
        let Boarding::Lead(second) = flights.board(&key) else { panic!("the lead is free") };
        drop(first);
        assert!(matches!(flights.board(&key), Boarding::Wait(_)));
        drop(second);
        assert_eq!(flights.len(), 0);
    }

    #[test]
    fn a_change_is_noticed_by_all_that_set_out_before_it() {
        let (flights, key): (_, Arc<str>) = (Arc::new(Flights::default()), "a".into());
        let before = flights.alone(&key);
        flights.change("a");
        flights.change("b");
        let after = flights.alone(&key);
        assert!(before.is_outdated() && !after.is_outdated());
    }
}
