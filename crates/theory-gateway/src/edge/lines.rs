//! All connections of a listener: how many there are of whom, which of them wait for their clients for too long, and what they
//! are told.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::answers::Awaits;
use super::line::{Line, Order};

/// How often all lines are looked at during a span of stillness.
const LOOKS: u32 = 4;

/// All connections of a listener.
#[derive(Debug)]
pub(super) struct Lines {
    per_address_max: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next_id: u64,
    lines: HashMap<u64, Watched>,
    by_network: HashMap<IpAddr, usize>,
    /// What all were told, and whoever comes later is told too.
    order: Option<Order>,
}

#[derive(Debug)]
struct Watched {
    line: Weak<Line>,
    awaits: Option<Awaits>,
    /// How many looks in a row found it waiting for its client, and no further than before.
    still: u32,
}

/// After how many looks a client that does not move has had its time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Looks {
    pub(super) request: u32,
    pub(super) taking: u32,
}

impl Looks {
    /// So that the shorter of two spans is looked at a few times. Also: how long it is from one look to the next.
    pub(super) fn new(request: Duration, taking: Duration) -> (Self, Duration) {
        let pause = (request.min(taking) / LOOKS).max(Duration::from_millis(1));
        let looks =
            |span: Duration| u32::try_from(span.as_nanos().div_ceil(pause.as_nanos())).unwrap_or(u32::MAX);
        (Self { request: looks(request), taking: looks(taking) }, pause)
    }
}

impl Lines {
    pub(super) fn new(per_address_max: usize) -> Arc<Self> {
        Arc::new(Self { per_address_max, open: Mutex::default() })
    }

    /// A line, unless there are enough from that address.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr, place: OwnedSemaphorePermit) -> Option<Arc<Line>> {
        let network = network(address);
        let mut open = self.open.lock();
        let count = open.by_network.entry(network).or_default();
        if *count >= self.per_address_max {
            if *count == 0 {
                open.by_network.remove(&network);
            }
            return None;
        }
        *count += 1;
        let id = open.next_id;
        open.next_id += 1;
        let lines = Arc::clone(self);
        let line = Arc::new(Line::new(id, place, move || lines.close(id, network)));
        let watched = Watched { line: Arc::downgrade(&line), awaits: None, still: 0 };
        open.lines.insert(id, watched);
        let order = open.order;
        drop(open);
        if let Some(order) = order {
            line.give(order);
        }
        Some(line)
    }

    /// A line is gone.
    pub(super) fn close(&self, id: u64, network: IpAddr) {
        let mut open = self.open.lock();
        open.lines.remove(&id);
        if let Some(count) = open.by_network.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                open.by_network.remove(&network);
            }
        }
    }

    /// Looks at all lines. A client that is to send a request, or to take some of its answers, and has not moved for so many
    /// looks: its line is asked to end, and one look later it is ended. An answer that is not taken beside others that are is
    /// ended alone.
    pub(super) fn look(&self, Looks { request, taking }: Looks) {
        let mut looked_at = Vec::new();
        for watched in self.open.lock().lines.values_mut() {
            let Some(line) = watched.line.upgrade() else {
                continue;
            };
            let awaits = line.awaits();
            let is_still = awaits.is_some() && awaits == watched.awaits;
            watched.still = if is_still { watched.still + 1 } else { 0 };
            watched.awaits = awaits;
            let still_max = if matches!(awaits, Some(Awaits::Taking { .. })) { taking } else { request };
            // The last reference takes the line out of the map, which must not happen under the lock.
            looked_at.push((line, watched.still.checked_sub(still_max)));
        }
        for (line, too_still) in looked_at {
            line.answers().end_untaken(taking);
            match too_still {
                None => {}
                Some(0) => line.give(Order::Drain),
                Some(_) => line.give(Order::Close),
            }
        }
    }

    /// Tells all lines, and whoever comes later.
    pub(super) fn order(&self, order: Order) {
        let lines = {
            let mut open = self.open.lock();
            open.order = Some(order);
            open.lines.values().filter_map(|watched| watched.line.upgrade()).collect::<Vec<_>>()
        };
        for line in lines {
            line.give(order);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.open.lock().lines.len()
    }
}

/// What counts as one address: with IPv6, the network that one customer gets.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::AbortHandle;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::edge::answers::Begun;

    fn open(lines: &Arc<Lines>, address: &str) -> Option<Arc<Line>> {
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        lines.open(address.parse().unwrap(), place)
    }

    #[test]
    fn an_address_is_what_one_customer_has() {
        let lines = Lines::new(1);
        let _four = open(&lines, "192.0.2.1").unwrap();
        assert!(open(&lines, "192.0.2.1").is_none());
        assert!(open(&lines, "::ffff:192.0.2.1").is_none());
        assert!(open(&lines, "192.0.2.2").is_some());
        let _six = open(&lines, "2001:db8:1:2:3::4").unwrap();
        assert!(open(&lines, "2001:db8:1:2:ffff::").is_none());
        assert!(open(&lines, "2001:db8:1:3::").is_some());
    }

    #[test]
    fn a_line_that_is_gone_leaves_nothing_behind() {
        let lines = Lines::new(1);
        drop(open(&lines, "192.0.2.1").unwrap());
        assert!(lines.is_empty() && lines.open.lock().by_network.is_empty());
        assert!(open(&lines, "192.0.2.1").is_some());
    }

    #[test]
    fn who_comes_after_an_order_hears_it_too() {
        let lines = Lines::new(2);
        let before = open(&lines, "192.0.2.1").unwrap();
        lines.order(Order::Drain);
        let after = open(&lines, "192.0.2.1").unwrap();
        assert_eq!((before.order(), after.order()), (Order::Drain, Order::Drain));
        lines.order(Order::Close);
        before.give(Order::Drain);
        assert_eq!(before.order(), Order::Close, "a stronger order stays");
    }

    #[test]
    fn a_client_that_does_not_move_is_told_to_end_and_then_ended() {
        let lines = Lines::new(3);
        let looks = Looks { request: 2, taking: 4 };
        let idle = open(&lines, "192.0.2.1").unwrap();
        let working = open(&lines, "192.0.2.1").unwrap();
        let taking = open(&lines, "192.0.2.1").unwrap();
        let _begun = working.answers().begin(None);
        let mut owed = taking.answers().begin(None);
        owed.owe();
        let mut orders = Vec::new();
        for _ in 0..6 {
            lines.look(looks);
            orders.push((idle.order(), working.order(), taking.order()));
        }
        use Order::{Close, Drain, GoOn};
        let expected = [
            (GoOn, GoOn, GoOn),
            (GoOn, GoOn, GoOn),
            (Drain, GoOn, GoOn),
            (Close, GoOn, GoOn),
            (Close, GoOn, Drain),
            (Close, GoOn, Close),
        ];
        assert_eq!(orders, expected);
    }

    /// An answer beside others, which has something to be taken, and what tells that it was ended.
    fn answer(line: &Arc<Line>) -> (Arc<Mutex<Begun>>, AbortHandle) {
        let (end, _registration) = AbortHandle::new_pair();
        let begun = line.answers().begin(Some(end.clone())).share();
        begun.lock().owe();
        (begun, end)
    }

    /// After how many looks this answer is ended, with something happening before each.
    fn ended_after(
        end: &AbortHandle,
        lines: &Lines,
        looks: usize,
        mut before: impl FnMut(usize),
    ) -> Option<usize> {
        (0..looks).position(|count| {
            before(count);
            lines.look(Looks { request: 2, taking: 4 });
            end.is_aborted()
        })
    }

    #[test]
    fn one_answer_that_is_not_taken_is_ended_beside_those_that_are() {
        let lines = Lines::new(1);
        let line = open(&lines, "192.0.2.1").unwrap();
        let ((_stalled, end), (taken, end_of_taken)) = (answer(&line), answer(&line));
        let looks = ended_after(&end, &lines, 40, |_| taken.lock().note_taken(128 * 1024));
        assert_eq!(looks, Some(1 + 4), "the other one had its turn with the second look");
        assert!(!end_of_taken.is_aborted() && line.order() == Order::GoOn, "nobody else is touched");
    }

    #[test]
    fn short_answers_that_come_and_go_hide_none_that_is_not_taken() {
        let lines = Lines::new(1);
        let line = open(&lines, "192.0.2.1").unwrap();
        let (_stalled, end) = answer(&line);
        let looks = ended_after(&end, &lines, 40, |_| {
            let (quick, _) = answer(&line);
            quick.lock().note_taken(4);
            quick.lock().settle();
        });
        assert_eq!((looks, line.order()), (Some(4), Order::GoOn));
    }

    #[test]
    fn a_client_that_takes_nothing_at_all_is_let_go_with_its_line() {
        let lines = Lines::new(1);
        let line = open(&lines, "192.0.2.1").unwrap();
        let answers = [answer(&line), answer(&line)];
        assert_eq!(ended_after(&answers[0].1, &lines, 40, |_| {}), Some(4));
        assert!(answers[1].1.is_aborted());
        assert_eq!(line.order(), Order::Drain);
    }

    #[test]
    fn nobody_lets_go_of_a_line_whose_other_requests_are_running() {
        let lines = Lines::new(1);
        let line = open(&lines, "192.0.2.1").unwrap();
        let (_stalled, end) = answer(&line);
        let _running = line.answers().begin(None);
        assert_eq!(ended_after(&end, &lines, 40, |_| {}), Some(4));
        (0..40).for_each(|_| lines.look(Looks { request: 2, taking: 4 }));
        assert_eq!(line.order(), Order::GoOn);
    }

    #[test]
    fn answers_that_are_taken_now_and_then_go_on() {
        let lines = Lines::new(1);
        let line = open(&lines, "192.0.2.1").unwrap();
        let answers = [answer(&line), answer(&line), answer(&line)];
        // The second piece waits behind the first.
        answers.iter().for_each(|(begun, _)| begun.lock().owe());
        let take = |count: usize| answers[count % 3].0.lock().note_taken(1);
        assert_eq!(ended_after(&answers[0].1, &lines, 60, take), None);
        assert!(!answers[1].1.is_aborted() && !answers[2].1.is_aborted());
        for (begun, _) in answers {
            begun.lock().settle();
            begun.lock().settle();
        }
        assert_eq!(line.awaits(), Some(Awaits::Request { after: 3 }), "nothing is left of them");
    }

    #[test]
    fn an_answer_may_wait_for_its_turn_on_a_slow_connection() {
        let lines = Lines::new(1);
        let line = open(&lines, "192.0.2.1").unwrap();
        // What was before it has nothing to do with it.
        (0..200).for_each(|_| answer(&line).0.lock().settle());
        let ((_waiting, end), (taken, _)) = (answer(&line), answer(&line));
        let looks = ended_after(&end, &lines, 80, |_| taken.lock().note_taken(8 * 1024));
        assert_eq!(looks, Some(31 + 4), "after two turns of 16 looks it is still, for 4 looks");
    }

    #[test]
    fn the_shorter_span_is_looked_at_a_few_times() {
        let (looks, pause) = Looks::new(Duration::from_secs(15), Duration::from_secs(30));
        assert_eq!((looks.request, looks.taking, pause), (4, 8, Duration::from_millis(3750)));
        let (looks, pause) = Looks::new(Duration::ZERO, Duration::from_secs(1));
        assert_eq!((looks.request, looks.taking, pause), (0, 1000, Duration::from_millis(1)));
    }
}
