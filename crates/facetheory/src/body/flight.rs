//! One read per body at a time: who asks for what is being read already waits for that read and shares its outcome.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;

use super::content::Body;
use super::digest::Stored;
use super::error::BodyError;
use super::pointer::Pointer;

/// What a read ends with.
pub(super) type Outcome = Result<Option<Body>, BodyError>;
/// A body as somebody asks for it: those who expect other bytes do not share a read.
type Wish = (Pointer, Option<Stored>);

/// The reads under way.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<Wish, WeakShared<BoxFuture<'static, Outcome>>>>);

impl Flights {
    /// The outcome of `read`, or of the read for the same wish that is under way. It goes on while anybody waits for it.
    pub(super) async fn join(
        &self,
        wish: Wish,
        read: impl Future<Output = Outcome> + Send + 'static,
    ) -> Outcome {
        let passenger = {
            let mut flights = self.0.lock();
            let flight = flights.get(&wish).and_then(WeakShared::upgrade).unwrap_or_else(|| {
                let flight = read.boxed().shared();
                let weak = flight.downgrade().expect("a future that was never polled is not over");
                flights.insert(wish.clone(), weak);
                flight
            });
            Passenger { flights: self, wish, flight: Some(flight) }
        };
        passenger.flight.clone().expect("it is taken only when the passenger leaves").await
    }

    /// Reads that began before now are not shared with those who ask from now on: they may have missed what was put.
    pub(super) fn forget(&self, pointer: &str) {
        self.0.lock().retain(|(other, _), _| other.as_str() != pointer);
    }
}

impl fmt::Debug for Flights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Flights").field(&self.0.lock().len()).finish()
    }
}

/// Takes the flight off the map when the last one leaves it, also if that one was cancelled.
struct Passenger<'a> {
    flights: &'a Flights,
    wish: Wish,
    flight: Option<Shared<BoxFuture<'static, Outcome>>>,
}

impl Drop for Passenger<'_> {
    fn drop(&mut self) {
        // Dropped outside the lock: the last one drops the read itself.
        self.flight = None;
        let mut flights = self.flights.0.lock();
        if flights.get(&self.wish).is_some_and(|flight| flight.upgrade().is_none()) {
            flights.remove(&self.wish);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    fn wish() -> Wish {
        (Pointer::parse("a").unwrap(), None)
    }

    #[tokio::test]
    async fn flights_leave_nothing_behind() {
        let flights = Flights::default();
        join_all((0..10).map(|_| flights.join(wish(), async { Ok(None) }))).await;
        assert!(flights.0.lock().is_empty());

        let mut cancelled = Box::pin(flights.join(wish(), std::future::pending()));
        assert!(futures_util::poll!(&mut cancelled).is_pending());
        assert_eq!(flights.0.lock().len(), 1);
        drop(cancelled);
        assert!(flights.0.lock().is_empty());
    }

    #[tokio::test]
    async fn who_is_cancelled_does_not_stop_the_others() {
        let flights = Flights::default();
        let (send, receive) = futures_util::future::abortable(std::future::pending::<()>());
        let mut first = Box::pin(flights.join(wish(), async move {
            let _ = send.await;
            Ok(None)
        }));
        let mut second = Box::pin(flights.join(wish(), async { panic!("the first read is shared") }));
        assert!(futures_util::poll!(&mut first).is_pending());
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(first);
        receive.abort();
        assert!(second.await.unwrap().is_none());
    }

    #[tokio::test]
    async fn after_a_put_nobody_joins_a_read_that_began_before() {
        let flights = Flights::default();
        let mut early = Box::pin(flights.join(wish(), std::future::pending()));
        assert!(futures_util::poll!(&mut early).is_pending());
        flights.forget("a");
        assert!(flights.join(wish(), async { Ok(None) }).await.unwrap().is_none());
    }
}
