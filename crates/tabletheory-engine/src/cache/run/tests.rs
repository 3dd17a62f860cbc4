//! When runs are kept, and when they are given up.

use super::*;
use crate::cache::{RowCache, RowId, RowRef};

const ROWS: u64 = 7;
const STORED: [&[u8]; 3] = [b"one", b"", b"three"];

fn span() -> Span {
    Span::prefix(b"hashpk\0\0".to_vec())
}

fn asked(span: &Span) -> Asked<'_> {
    Asked { rows: ROWS, span, direction: Direction::Forward, limit: None }
}

fn row(key: &str) -> RowId {
    RowRef { rows: ROWS, key: key.as_bytes() }.into()
}

fn draft_of(cache: &RowCache, page: Asked<'_>) -> Option<Draft> {
    match cache.known(page) {
        Known::TooLittle(draft) => draft,
        Known::Run(run) => panic!("there is one: {run:?}"),
    }
}

fn draft(cache: &RowCache) -> Option<Draft> {
    draft_of(cache, asked(&span()))
}

fn rows_of(cache: &RowCache, page: Asked<'_>) -> Option<Vec<Vec<u8>>> {
    match cache.known(page) {
        Known::Run(run) => Some(run.rows().map(<[u8]>::to_vec).collect()),
        Known::TooLittle(_) => None,
    }
}

fn rows(cache: &RowCache) -> Option<Vec<Vec<u8>>> {
    rows_of(cache, asked(&span()))
}

fn keep(cache: &RowCache, mut draft: Draft) {
    assert!(STORED.iter().all(|row| draft.push(row)), "it is short");
    cache.keep(draft);
}

/// A cache that knows the run.
fn knowing() -> RowCache {
    let cache = RowCache::new(1 << 20);
    assert!(draft(&cache).is_none(), "it is looked for once");
    keep(&cache, draft(&cache).expect("it is looked for again"));
    cache
}

fn commit(cache: &RowCache, id: RowId) {
    cache.hold_alone(&id);
    cache.publish(id, None);
}

#[test]
fn a_run_that_is_looked_for_again_is_kept() {
    assert_eq!(rows(&knowing()), Some(STORED.map(<[u8]>::to_vec).to_vec()));
}

#[test]
fn a_run_without_rows_is_one_too() {
    let cache = RowCache::new(1 << 20);
    assert!(draft(&cache).is_none());
    cache.keep(draft(&cache).expect("it is looked for again"));
    assert_eq!(rows(&cache), Some(Vec::new()));
}

/// What other pages visit is for them to tell.
#[test]
fn no_two_pages_are_taken_for_each_other() {
    let cache = knowing();
    let span = span();
    let page = asked(&span);
    let within = |start: &[u8], end: &[u8]| Span { start: start.to_vec(), end: Some(end.to_vec()) };
    let others = [within(b"hashpk\0\0", b"hashpk\0\0z"), within(b"hashpk\0\0a", b"hashpk\0\x01")];
    for other in others.iter().map(asked).chain([
        Asked { direction: Direction::Backward, ..page },
        Asked { limit: Some(3), ..page },
        Asked { limit: Some(2), ..page },
        Asked { rows: ROWS + 1, ..page },
    ]) {
        assert_eq!(rows_of(&cache, other), None, "{other:?}");
    }
    let key = |start: &[u8], end: &[u8]| asked(&within(start, end)).key().expect("of one partition").1;
    assert_ne!(key(b"hashab", b"hashc"), key(b"hasha", b"hashbc"));
    assert!(rows_of(&cache, page).is_some());
}

#[test]
fn a_commit_in_the_partition_gives_its_runs_up() {
    let written = ["hashpk\0\0sk", "hashother\0\0"];
    for keys in [&written[..1], &written[..]] {
        let cache = knowing();
        let held: Vec<RowId> = keys.iter().map(|key| row(key)).collect();
        match &held[..] {
            [alone] => cache.hold_alone(alone),
            held => held.iter().for_each(|id| cache.hold(id)),
        }
        assert!(draft(&cache).is_none() && draft(&cache).is_none(), "while it is under way nothing is kept");
        held.into_iter().for_each(|id| cache.publish(id, None));
        assert!(draft(&cache).is_none(), "it begins anew");
        keep(&cache, draft(&cache).expect("it is looked for again"));
        assert!(rows(&cache).is_some());
    }
}

#[test]
fn so_does_a_commit_of_index_rows() {
    let cache = knowing();
    let slots = [Slot::of_row(ROWS, b"hashpk\0\0sk"); 2];
    cache.hold_runs(&slots);
    assert_eq!(rows(&cache), None);
    cache.publish_runs(&slots);
    assert_eq!(rows(&cache), None);
}

#[test]
fn commits_elsewhere_leave_runs_alone() {
    let cache = knowing();
    commit(&cache, row("hasipk\0\0sk"));
    commit(&cache, RowRef { rows: ROWS + 1, key: b"hashpk\0\0sk" }.into());
    assert!(rows(&cache).is_some());
}

#[test]
fn a_run_that_nobody_will_be_answered_with_takes_no_room() {
    let cache = knowing();
    let before = cache.rows.len();
    commit(&cache, row("hashpk\0\0sk"));
    assert_eq!(rows(&cache), None);
    assert_eq!(cache.rows.len(), before, "the row came, and the run went");
}

/// What it read may be from before the commit.
#[test]
fn what_a_slow_reader_brings_is_not_kept() {
    let cache = RowCache::new(1 << 20);
    assert!(draft(&cache).is_none());
    let slow = draft(&cache).expect("it is looked for again");
    commit(&cache, row("hashpk\0\0sk"));
    let before = cache.rows.len();
    keep(&cache, slow);
    assert_eq!(rows(&cache), None);
    assert_eq!(cache.rows.len(), before);
}

#[test]
fn a_partition_that_is_written_between_all_queries_is_never_copied() {
    let cache = RowCache::new(1 << 20);
    for _ in 0..100 {
        assert!(draft(&cache).is_none());
        commit(&cache, row("hashpk\0\0sk"));
    }
}

#[test]
fn a_long_run_is_given_up_until_something_is_written() {
    let cache = RowCache::new(64 << 20);
    assert!(draft(&cache).is_none());
    let mut long = draft(&cache).expect("it is looked for again");
    assert!(long.push(&[0; RUN_BYTES_MAX]) && !long.push(&[0]));
    cache.give_up(&long);
    assert!((0..10).all(|_| draft(&cache).is_none()), "it would be copied in vain");
    commit(&cache, row("hashpk\0\0sk"));
    assert!(draft(&cache).is_none());
    assert!(draft(&cache).is_some(), "it may be short by now");
}

#[test]
fn many_runs_take_no_more_than_the_cache_may() {
    const BYTES: u64 = 1 << 20;
    let cache = RowCache::new(BYTES);
    for number in 0..2_000_u32 {
        let span = Span::prefix(format!("hash{number}").into_bytes());
        assert!(draft_of(&cache, asked(&span)).is_none());
        let mut draft = draft_of(&cache, asked(&span)).expect("it is looked for again");
        while draft.push(&[0; 1_000]) {}
        cache.keep(draft);
        assert!(cache.rows.weight() <= BYTES, "{} after {number}", cache.rows.weight());
    }
    assert!(!cache.rows.is_empty(), "some are kept");
}

#[test]
fn what_spans_partitions_is_no_run() {
    let cache = RowCache::new(1 << 20);
    let partition = |hash: &[u8; 4]| Span::prefix(hash.to_vec());
    for span in [Span::segment(0, 1), Span::segment(3, 8), partition(b"\xff\xff\xff\xff"), partition(b"hash")]
    {
        assert!((0..3).all(|_| draft_of(&cache, asked(&span)).is_none()), "{span:?}");
    }
}
