//! What readers see while rows are on their way.

use std::cell::Cell;

use super::*;

const ROW: RowRef<'static> = RowRef { rows: 1, key: b"key" };

fn bytes(text: &str) -> Bytes {
    text.as_bytes().into()
}

fn get(cache: &RowCache, stored: Option<&str>) -> (Option<Bytes>, bool) {
    let asked = Cell::new(false);
    let row = cache.get(ROW, || {
        asked.set(true);
        Ok::<_, ()>(stored.map(bytes))
    });
    (row.expect("loading does not fail"), asked.get())
}

fn hold(cache: &RowCache) {
    cache.hold_alone(&ROW.into());
}

fn hold_with_another(cache: &RowCache) {
    cache.hold(&ROW.into());
    cache.hold(&RowRef { rows: 1, key: b"other" }.into());
}

#[test]
fn a_row_is_found_by_its_name_and_by_no_other() {
    let hash = KeyedHash::default();
    let row = |rows, key: &'static [u8]| hash.hash_one(RowRef { rows, key });
    assert_eq!(row(1, b"key"), hash.hash_one(RowId::from(ROW)));
    assert_ne!(row(1, b"key"), row(2, b"key"));
    assert_ne!(row(1, b"key"), row(1, b"kez"));
}

#[test]
fn a_row_is_loaded_once() {
    let cache = RowCache::new(1 << 20);
    assert_eq!(get(&cache, Some("v1")), (Some(bytes("v1")), true));
    assert_eq!(get(&cache, Some("other")), (Some(bytes("v1")), false));
}

#[test]
fn that_a_row_is_absent_is_remembered_too() {
    let cache = RowCache::new(1 << 20);
    assert_eq!(get(&cache, None), (None, true));
    assert_eq!(get(&cache, Some("other")), (None, false));
}

#[test]
fn a_held_row_comes_from_the_storage_and_is_not_kept() {
    for hold in [hold, hold_with_another] {
        let cache = RowCache::new(1 << 20);
        hold(&cache);
        assert_eq!(get(&cache, Some("v1")), (Some(bytes("v1")), true));
        assert_eq!(get(&cache, Some("v2")), (Some(bytes("v2")), true));
        cache.publish(ROW.into(), Some(bytes("v3")));
        assert_eq!(get(&cache, Some("v1")), (Some(bytes("v3")), false));
    }
}

/// A commit can be seen by queries before it is published here, so a row that was cached before it is not shown any more.
#[test]
fn a_row_that_was_cached_is_not_shown_while_it_is_held() {
    for hold in [hold, hold_with_another] {
        let cache = RowCache::new(1 << 20);
        assert_eq!(get(&cache, Some("old")), (Some(bytes("old")), true));
        hold(&cache);
        assert_eq!(get(&cache, Some("new")), (Some(bytes("new")), true));
        cache.publish(ROW.into(), Some(bytes("new")));
        assert_eq!(get(&cache, None), (Some(bytes("new")), false));
    }
}

#[test]
fn rows_beside_the_held_one_are_shown() {
    let cache = RowCache::new(1 << 20);
    assert_eq!(get(&cache, Some("v1")), (Some(bytes("v1")), true));
    cache.hold_alone(&RowRef { rows: 2, key: ROW.key }.into());
    assert_eq!(get(&cache, Some("other")), (Some(bytes("v1")), false));
}

#[test]
fn a_slow_reader_does_not_put_an_old_row_back() {
    for hold in [hold, hold_with_another] {
        let cache = RowCache::new(1 << 20);
        let seen = cache.get(ROW, || {
            // While this reader loads, a writer commits and publishes.
            hold(&cache);
            cache.publish(ROW.into(), Some(bytes("new")));
            Ok::<_, ()>(Some(bytes("old")))
        });
        assert_eq!(seen, Ok(Some(bytes("old"))), "the read began before the write was answered");
        assert_eq!(get(&cache, Some("old")), (Some(bytes("new")), false));
    }
}

#[test]
fn what_a_reader_keeps_while_a_row_is_held_is_not_shown_and_gone_with_the_commit() {
    let cache = RowCache::new(1 << 20);
    let seen = cache.get(ROW, || {
        hold(&cache);
        Ok::<_, ()>(Some(bytes("old")))
    });
    assert_eq!(seen, Ok(Some(bytes("old"))), "the read began before the commit");
    assert_eq!(get(&cache, Some("new")), (Some(bytes("new")), true));
    cache.publish(ROW.into(), Some(bytes("new")));
    assert_eq!(get(&cache, None), (Some(bytes("new")), false));
}

#[test]
fn a_held_row_outlives_any_pressure() {
    let cache = RowCache::new(4096);
    hold_with_another(&cache);
    for number in 0..10_000_u64 {
        cache.publish(RowId { rows: 2, key: number.to_be_bytes().to_vec().into() }, Some(bytes("filler")));
    }
    assert_eq!(get(&cache, Some("v1")), (Some(bytes("v1")), true));
    assert_eq!(
        get(&cache, Some("v2")),
        (Some(bytes("v2")), true),
        "an evicted hold would have let v1 be kept"
    );
}

/// The cache refuses what is too large for it, and would then leave the place that a reader has taken in it.
#[test]
fn a_slow_reader_does_not_put_a_row_back_that_was_replaced_by_one_too_large_to_keep() {
    for hold in [hold, hold_with_another] {
        let cache = RowCache::new(4096);
        let large = bytes(&"new ".repeat(2048));
        let seen = cache.get(ROW, || {
            hold(&cache);
            cache.publish(ROW.into(), Some(large.clone()));
            Ok::<_, ()>(Some(bytes("old")))
        });
        assert_eq!(seen, Ok(Some(bytes("old"))), "the read began before the write was answered");
        assert_eq!(get(&cache, Some("new")), (Some(bytes("new")), true));
    }
}

/// What is read from a file is a piece of a block: a cache of pieces would hold many times the bytes that it counts.
#[test]
fn a_row_shares_no_memory_with_what_it_was_read_from() {
    let cache = RowCache::new(1 << 20);
    let block = Bytes::from(vec![7; 4096]);
    let read = cache.get(ROW, || Ok::<_, ()>(Some(block.clone()))).unwrap();
    let cached = cache.get(ROW, || Err(())).unwrap();
    assert_eq!((&read, &cached), (&Some(block.clone()), &Some(block.clone())));
    assert!(read.into_iter().chain(cached).all(|row| row.as_ptr() != block.as_ptr()));
}
