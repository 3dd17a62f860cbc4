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
    let cache = RowCache::new(1 << 20);
    cache.hold(ROW.into());
    assert_eq!(get(&cache, Some("v1")), (Some(bytes("v1")), true));
    assert_eq!(get(&cache, Some("v2")), (Some(bytes("v2")), true));
    cache.publish(ROW.into(), Some(bytes("v3")));
    assert_eq!(get(&cache, Some("v1")), (Some(bytes("v3")), false));
}

#[test]
fn a_slow_reader_does_not_put_an_old_row_back() {
    let cache = RowCache::new(1 << 20);
    let seen = cache.get(ROW, || {
        // While this reader loads, a writer commits and publishes.
        cache.hold(ROW.into());
        cache.publish(ROW.into(), Some(bytes("new")));
        Ok::<_, ()>(Some(bytes("old")))
    });
    assert_eq!(seen, Ok(Some(bytes("old"))), "the read began before the write was answered");
    assert_eq!(get(&cache, Some("old")), (Some(bytes("new")), false));
}

#[test]
fn a_held_row_outlives_any_pressure() {
    let cache = RowCache::new(4096);
    cache.hold(ROW.into());
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
