//! Visitors of many pages. One asks for every page once, which fills a cache; one asks for any, evenly or mostly for the
//! same few.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::page::{KEY_DIGITS, Page, get};
use crate::http::dialog::Dialog;

/// How a visitor chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Every page as often as every other.
    Uniform,
    /// The page of rank r with a chance in proportion to 1 ÷ r, as Zipf found it for words.
    Hot,
}

impl Choice {
    pub(crate) const ALL: [Self; 2] = [Self::Uniform, Self::Hot];

    /// As it stands in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Hot => "hot",
        }
    }
}

/// A request of which only the digits of the page change, and what the answer must contain.
#[derive(Debug)]
struct Asking {
    request: Vec<u8>,
    digits_at: usize,
    mark: Vec<u8>,
}

impl Asking {
    fn new(bytes: usize) -> Self {
        let path = Page::numbered(bytes, 0).path;
        let request = get(&path).into_bytes();
        let digits_at = "GET ".len() + path.len() - KEY_DIGITS;
        Self { request, digits_at, mark: vec![b'0'; KEY_DIGITS] }
    }

    fn about(&mut self, mut key: u64) -> &[u8] {
        for digit in self.mark.iter_mut().rev() {
            *digit = b"0123456789"[(key % 10) as usize];
            key /= 10;
        }
        self.request[self.digits_at..][..KEY_DIGITS].copy_from_slice(&self.mark);
        &self.request
    }

    fn check(&self, body: &[u8]) -> Result<()> {
        ensure!(
            body.starts_with(&self.mark),
            "page {} was asked for, and another came: {}",
            String::from_utf8_lossy(&self.mark),
            String::from_utf8_lossy(&body[..body.len().min(40)])
        );
        Ok(())
    }
}

/// Asks for any of so many pages, and never ends by itself.
#[derive(Debug)]
pub(crate) struct Visitor {
    asking: Asking,
    choice: Choice,
    keys: u64,
    random: u64,
}

impl Visitor {
    /// The visitor with this number in a round.
    pub(crate) fn new(choice: Choice, bytes: usize, keys: u64, round: u32, number: u64) -> Self {
        let seed = (u64::from(round) << 32 | number).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { asking: Asking::new(bytes), choice, keys, random: seed }
    }

    fn choose(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        match self.choice {
            Choice::Uniform => self.random % self.keys,
            Choice::Hot => {
                let part = (self.random >> 11) as f64 / (1u64 << 53) as f64;
                let rank = rank(part, self.keys);
                // Ranks lie anywhere among the pages, not side by side as they were filled.
                rank.wrapping_mul(0x9E37_79B1) % self.keys
            }
        }
    }
}

/// The rank, from 0, that has this part of all visits before it.
fn rank(part: f64, keys: u64) -> u64 {
    let rank = (keys as f64).powf(part) - 1.0;
    (0..=63).rev().fold(0, |found, bit| {
        let more = found | 1 << bit;
        if more < keys && more as f64 <= rank { more } else { found }
    })
}

impl Dialog for Visitor {
    fn next(&mut self) -> Option<&[u8]> {
        let key = self.choose();
        Some(self.asking.about(key))
    }

    fn check(&self, body: &[u8]) -> Result<()> {
        self.asking.check(body)
    }
}

/// Asks for pages that nobody asked for yet, together with others, until all are there or the time is over.
#[derive(Debug)]
pub(crate) struct Pioneer {
    asking: Asking,
    /// The next page, for all of them.
    next: Rc<Cell<u64>>,
    keys: u64,
    until: Instant,
}

impl Pioneer {
    /// So many of them, from the page `next`.
    pub(crate) fn party(
        bytes: usize,
        next: &Rc<Cell<u64>>,
        keys: u64,
        until: Instant,
        count: u64,
    ) -> Vec<Self> {
        let pioneer = |_| Self { asking: Asking::new(bytes), next: Rc::clone(next), keys, until };
        (0..count).map(pioneer).collect()
    }
}

impl Dialog for Pioneer {
    fn next(&mut self) -> Option<&[u8]> {
        let key = self.next.get();
        if key >= self.keys || Instant::now() > self.until {
            return None;
        }
        self.next.set(key + 1);
        Some(self.asking.about(key))
    }

    fn check(&self, body: &[u8]) -> Result<()> {
        self.asking.check(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ranks_follow_their_parts() {
        for (part, expected) in [(0.0, 0), (0.5, 999), (0.999_999_9, 999_997)] {
            assert_eq!(rank(part, 1_000_000), expected, "{part}");
        }
        assert_eq!(rank(0.7, 1), 0);
    }

    #[test]
    fn half_of_the_hot_visits_go_to_few_pages() {
        let mut visitor = Visitor::new(Choice::Hot, 500, 1_000_000, 1, 1);
        let mut seen: Vec<u64> = (0..10_000).map(|_| visitor.choose()).collect();
        assert!(seen.iter().all(|key| *key < 1_000_000));
        seen.sort_unstable();
        seen.dedup();
        assert!((2_000..8_000).contains(&seen.len()), "{} pages", seen.len());
    }

    #[test]
    fn a_visitor_asks_for_a_page_and_wants_that_page() {
        let mut visitor = Visitor::new(Choice::Uniform, 500, 10, 1, 1);
        let request = String::from_utf8(visitor.next().expect("it never ends").to_vec()).expect("text");
        let key: u64 =
            request[request.find('-').expect("a key") + 1..][..KEY_DIGITS].parse().expect("digits");
        assert_eq!(request, get(&Page::numbered(500, key).path));
        assert!(visitor.check(format!("{key:08} and more").as_bytes()).is_ok());
        assert!(visitor.check(b"00000011 and more").is_err());
    }

    #[test]
    fn pioneers_ask_for_every_page_once() {
        let next = Rc::new(Cell::new(3));
        let mut party = Pioneer::party(500, &next, 8, Instant::now() + Duration::from_secs(60), 2);
        let mut asked = 0;
        while party.iter_mut().any(|pioneer| Dialog::next(pioneer).is_some()) {
            asked += 1;
        }
        assert_eq!((asked, next.get()), (5, 8));
    }
}
