//! Idempotency keys: any bytes of any length, and no two that meet.

use crate::error::Error;
use crate::key::PageKey;
use crate::meta::Intent;

#[test]
fn keys_of_any_bytes_and_length_are_64_digits() {
    for id in [&b""[..], b"r-1", b"#", &[0xff, 0, b'\n'], &[b'x'; 10_240]] {
        for intent in [Intent::from_request_id(id), Intent::from_message_id(id)] {
            assert_eq!(intent.key().len(), 64);
            assert!(intent.key().bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
}

/// F24: fields that are joined by a separator can be moved into each other.
#[test]
fn fields_do_not_pass_for_each_other() {
    let page = PageKey::path("/news");
    let deployment = |deploy, policy| Intent::from_deployment(&page, deploy, policy);
    assert_ne!(deployment("1|2", "3"), deployment("1", "2|3"));
    assert_ne!(deployment("12", "3"), deployment("1", "23"));
    assert_ne!(deployment("1", ""), deployment("", "1"));
    assert_eq!(deployment("1", "2"), deployment("1", "2"));
    assert_ne!(Intent::from_request_id("1").key(), Intent::from_message_id("1").key());
    let other = Intent::from_deployment(&PageKey::path("/new"), "1", "2");
    assert_ne!(deployment("1", "2"), other);
}

#[test]
fn inputs_do_not_pass_for_each_other() {
    let hash = |inputs: &[&[u8]]| Intent::from_request_id("1").with_inputs(inputs).request_hash().to_owned();
    assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
    assert_ne!(hash(&[]), hash(&[b""]));
    assert_ne!(hash(&[b""]), hash(&[b"", b""]));
    assert_eq!(hash(&[]), Intent::from_request_id("2").request_hash());
}

/// F25: a key that a client chose reached the table as it was.
#[test]
fn raw_keys_are_checked() {
    for wrong in ["", "a#b", "#", &"x".repeat(1021), &"x".repeat(10_240)] {
        assert!(matches!(Intent::raw(wrong), Err(Error::IdempotencyKey { .. })), "{} bytes", wrong.len());
    }
    assert_eq!(Intent::raw("r-1").unwrap().key(), "r-1");
    assert!(Intent::raw("x".repeat(1020)).is_ok());
}

#[test]
fn an_intent_does_not_show_its_key() {
    assert!(!format!("{:?}", Intent::raw("secret").unwrap()).contains("secret"));
}
