//! Stored items. The first byte says whether the rest is an item to be stored, or bytes that stand where an item should.

use tabletheory_core::Item;
use tabletheory_engine::door;

use crate::input::Input;

/// As deep as values go here; the codec knows more.
const DEPTH: usize = 4;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    if input.byte() < 128 {
        let item = input.item(DEPTH);
        check(&door::encode(&item), &item);
    } else if let Some(item) = door::decode(input.rest()) {
        // Other bytes may mean the same item. What is written of it is read as it again.
        check(&door::encode(&item), &item);
    }
}

fn check(stored: &[u8], item: &Item) {
    assert_eq!(door::decode(stored).as_ref(), Some(item), "an item is the item of its bytes");
    let mut names: Vec<&str> = item.names().collect();
    names.sort_unstable();
    for name in &names {
        let only = door::decode_only(stored, &[name]).expect("a part of what can be read can be read");
        assert_eq!(only.get(name), item.get(name), "{name:?} alone is what it is in the whole");
        assert_eq!(only.len(), 1, "{name:?} comes alone");
    }
    assert_eq!(door::decode_only(stored, &names).as_ref(), Some(item), "all attributes are the item");
    for cut in [stored.len() / 2, stored.len().saturating_sub(1)] {
        assert_eq!(
            door::decode(&stored[..cut]),
            None,
            "a part of an item is none, cut at {cut} of {}",
            stored.len()
        );
    }
}
