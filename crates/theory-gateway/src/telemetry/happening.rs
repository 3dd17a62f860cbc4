//! What happened last, for people who look: events of the cache and changes by operators, bounded and numbered.

use std::collections::{BTreeMap, VecDeque};

use facetheory::{Event, State};
use tabletheory_core::Timestamp;

const HAPPENINGS_MAX: usize = 500;
const TEXT_CHARS_MAX: usize = 300;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happening {
    /// Its number: each is greater than the one before.
    pub number: u64,
    /// When.
    pub at: Timestamp,
    /// What, in a word.
    pub kind: &'static str,
    /// The page, if it concerns one.
    pub page: Option<String>,
    /// What else is to be said.
    pub detail: String,
}

/// The last of them, and how often each kind has happened.
#[derive(Debug, Default)]
pub(super) struct Happenings {
    last: VecDeque<Happening>,
    number: u64,
    kinds: BTreeMap<&'static str, u64>,
}

impl Happenings {
    pub(super) fn push(&mut self, at: Timestamp, kind: &'static str, page: Option<String>, detail: &str) {
        self.count(kind);
        if self.last.len() >= HAPPENINGS_MAX {
            self.last.pop_front();
        }
        self.number += 1;
        self.last.push_back(Happening { number: self.number, at, kind, page, detail: shown(detail) });
    }

    /// Counts what is not worth a line.
    pub(super) fn count(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    pub(super) fn after(&self, number: u64) -> Vec<Happening> {
        self.last.iter().filter(|happening| happening.number > number).cloned().collect()
    }

    pub(super) fn kinds(&self) -> BTreeMap<&'static str, u64> {
        self.kinds.clone()
    }
}

/// What is to be said of an event; nothing if it is not worth a line.
pub(super) fn detail(event: &Event) -> Option<String> {
    Some(match event {
        Event::Served(State::StaleError) => "stale-error".to_owned(),
        Event::Served(_) | Event::Rendering | Event::FoundFresh | Event::StoreNotAwaited => return None,
        Event::Rendered { took } | Event::RenderDropped { took } => format!("{} ms", took.as_millis()),
        Event::RenderFailed { took, why } => format!("{why} ({} ms)", took.as_millis()),
        Event::PublishLost(to) => format!("to {to:?}"),
        Event::NotKept(refusal) => refusal.as_str().to_owned(),
        Event::BackedOff { until } => match jiff::Timestamp::from_millisecond(until.millis()) {
            Ok(until) => format!("until {until:.0}"),
            Err(_) => String::new(),
        },
        Event::StoreFailed { why } | Event::BodyFailed { why } => why.clone(),
        Event::Purged(purge) => format!("{purge:?}").to_lowercase(),
        Event::Swept { bodies, bytes } => format!("{bodies} bodies, {bytes} bytes"),
        _ => String::new(),
    })
}

/// A text of others, short and without what would move a cursor.
fn shown(text: &str) -> String {
    text.chars()
        .take(TEXT_CHARS_MAX)
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_bounded_and_numbered() {
        let mut happenings = Happenings::default();
        for number in 0..2000 {
            happenings.push(Timestamp::from_seconds(number), "published", None, "a\u{1b}[31m");
        }
        let all = happenings.after(0);
        assert_eq!(all.len(), HAPPENINGS_MAX);
        assert_eq!((all[0].number, all[HAPPENINGS_MAX - 1].number), (1501, 2000));
        assert_eq!(happenings.after(1999).len(), 1);
        assert_eq!(happenings.kinds()["published"], 2000);
        assert_eq!(all[0].detail, "a\u{fffd}[31m");
    }
}
