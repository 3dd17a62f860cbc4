//! Signed cursors: good for one text and one scope, and for nothing near them.

use proptest::prelude::*;
use tabletheory_core::Value;

use super::super::{Cursor, CursorError, CursorKey, Flaw};
use super::{any_cursor, of_json, solo};

const SCOPE: &[&str] = &["tenant-1", "orders"];

fn key() -> CursorKey {
    CursorKey::new([7; 32])
}

#[test]
fn the_form_of_a_signed_cursor_is_fixed() {
    // Computed with another implementation of HMAC-SHA256: clients keep cursors across releases.
    let text =
        "v1.eyJsYXN0S2V5Ijp7IlBLIjp7IlMiOiJVU0VSI3NvbG8ifX19.M6VC5GcttksjdmLa5K1N1AH-K0YvkMIHOcwG9DNMNxw";
    let cursor = Cursor::open(text, &key(), SCOPE).unwrap().unwrap();
    assert_eq!(cursor.last_key.get("PK"), Some(&Value::s("USER#solo")));
    assert_eq!(cursor.sign(&key(), SCOPE), text);
}

#[test]
fn no_byte_of_a_signed_cursor_can_be_changed() {
    let text = solo(Value::s("USER#1")).sign(&key(), SCOPE);
    let mut changed = 0;
    for at in 0..text.len() {
        for byte in 0..0x80u8 {
            let mut bytes = text.clone().into_bytes();
            if bytes[at] == byte {
                continue;
            }
            bytes[at] = byte;
            let tampered = String::from_utf8(bytes).unwrap();
            assert!(Cursor::open(&tampered, &key(), SCOPE).is_err(), "{tampered:?}");
            assert!(Cursor::open_or_decode(&tampered, &key(), SCOPE).is_err(), "{tampered:?}");
            changed += 1;
        }
    }
    assert_eq!(changed, text.len() * 127);
}

#[test]
fn a_signed_cursor_that_lost_or_gained_a_part_is_refused() {
    let text = solo(Value::s("USER#1")).sign(&key(), SCOPE);
    for length in 1..text.len() {
        assert!(Cursor::open(&text[..length], &key(), SCOPE).is_err(), "{length}");
        assert!(Cursor::open(&text[length..], &key(), SCOPE).is_err(), "{length}");
    }
    let (body, tag) = text.rsplit_once('.').unwrap();
    for forged in [
        format!("{text}="),
        format!("{text}A"),
        format!("{text}."),
        format!("{text}.{tag}"),
        format!("{}.{tag}", body.trim_end_matches('=')),
        format!("{body}="),
        format!("{body}=.{tag}"),
        format!("v1.{text}"),
        "v1.".to_owned(),
        "v1..".to_owned(),
        format!("v1..{tag}"),
    ] {
        assert_eq!(Cursor::open(&forged, &key(), SCOPE), Err(CursorError::Forged), "{forged}");
    }
    assert_eq!(Cursor::open(&text.replacen("v1", "v2", 1), &key(), SCOPE), Err(CursorError::Unsigned));
}

#[test]
fn a_cursor_is_good_for_its_scope_alone() {
    let cursor = solo(Value::s("USER#1"));
    let scopes: [&[&str]; 9] =
        [&[], &[""], &["", ""], &["ab"], &["a", "b"], &["ab", ""], &["", "ab"], &["b", "a"], &["a", "b", ""]];
    for signed_for in scopes {
        let text = cursor.sign(&key(), signed_for);
        for opened_for in scopes {
            let expected =
                if signed_for == opened_for { Ok(Some(cursor.clone())) } else { Err(CursorError::Forged) };
            assert_eq!(Cursor::open(&text, &key(), opened_for), expected, "{signed_for:?} {opened_for:?}");
        }
    }
}

#[test]
fn another_secret_opens_nothing_until_it_is_known_as_a_former_one() {
    let cursor = solo(Value::s("USER#1"));
    let text = cursor.sign(&key(), SCOPE);
    let other = CursorKey::new([8; 32]);
    assert_eq!(Cursor::open(&text, &other, SCOPE), Err(CursorError::Forged));
    let both = other.clone().with_former([9; 32]).with_former([7; 32]);
    assert_eq!(Cursor::open(&text, &both, SCOPE), Ok(Some(cursor.clone())));
    // The newest secret is the one that signs.
    assert_eq!(cursor.sign(&both, SCOPE), cursor.sign(&other, SCOPE));
}

#[test]
fn plain_and_signed_cursors_are_told_apart() {
    let cursor = solo(Value::s("USER#1"));
    let (plain, signed) = (cursor.encode(), cursor.sign(&key(), SCOPE));
    assert_eq!(Cursor::decode(&signed), Err(CursorError::Signed));
    assert_eq!(Cursor::open(&plain, &key(), SCOPE), Err(CursorError::Unsigned));
    assert_eq!(Cursor::open_or_decode(&plain, &key(), SCOPE), Ok(Some(cursor.clone())));
    assert_eq!(Cursor::open_or_decode(&signed, &key(), SCOPE), Ok(Some(cursor.clone())));
    assert_eq!(Cursor::open(&format!(" {signed}\n"), &key(), SCOPE), Ok(Some(cursor)));
    let malformed = CursorError::Malformed { flaw: Flaw::Json };
    assert_eq!(Cursor::open_or_decode(&of_json("1"), &key(), SCOPE), Err(malformed));
}

#[test]
fn no_more_pages_and_the_first_page_need_no_signature() {
    assert_eq!(Cursor::default().sign(&key(), SCOPE), "");
    assert_eq!(Cursor::open("", &key(), SCOPE), Ok(None));
    assert_eq!(Cursor::open(" \n", &key(), SCOPE), Ok(None));
    assert_eq!(Cursor::open_or_decode("", &key(), SCOPE), Ok(None));
}

#[test]
fn a_key_does_not_show_its_secret() {
    let key = CursorKey::new(*b"hunter2-hunter2-hunter2-hunter2-").with_former([104; 32]);
    assert_eq!(format!("{key:?}"), "CursorKey { .. }");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_signed_cursor_is_read_back(
        cursor in any_cursor(),
        secret in any::<[u8; 32]>(),
        scope in prop::collection::vec(".{0,5}", 0..3),
        flip in any::<prop::sample::Index>(),
    ) {
        let key = CursorKey::new(secret);
        let scope: Vec<&str> = scope.iter().map(String::as_str).collect();
        let text = cursor.sign(&key, &scope);
        prop_assert_eq!(Cursor::open(&text, &key, &scope), Ok(Some(cursor)));
        let mut bytes = text.into_bytes();
        let at = flip.index(bytes.len());
        bytes[at] ^= 1;
        let tampered = String::from_utf8(bytes).unwrap();
        prop_assert!(Cursor::open(&tampered, &key, &scope).is_err());
    }
}
