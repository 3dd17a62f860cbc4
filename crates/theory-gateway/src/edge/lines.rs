//! All connections of a listener: how many there are of whom, which of them wait for their clients for too long, and what they
//! are told.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::line::{Line, Order, Progress};

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
    progress: Progress,
    /// How many looks in a row found it waiting for its client, and no further than before.
    still: u32,
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
        let line = Arc::new(Line::new(Arc::clone(self), id, network, place));
        let watched = Watched { line: Arc::downgrade(&line), progress: line.progress(), still: 0 };
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

    /// Looks at all lines. Who was still for so many looks is asked to end, and one look later it is ended.
    pub(super) fn look(&self, looks: u32) {
        let mut orders = Vec::new();
        for watched in self.open.lock().lines.values_mut() {
            let Some(line) = watched.line.upgrade() else {
                continue;
            };
            let progress = line.progress();
            if !line.waits_for_client() || progress != watched.progress {
                *watched = Watched { line: Arc::downgrade(&line), progress, still: 0 };
            } else {
                watched.still += 1;
            }
            let still = watched.still;
            // The last reference takes the line out of the map, which must not happen under the lock.
            orders.push((line, still));
        }
        for (line, still) in orders {
            if still > looks {
                line.give(Order::Close);
            } else if still == looks {
                line.give(Order::Drain);
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
