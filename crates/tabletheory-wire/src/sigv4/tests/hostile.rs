//! Values no client would send: refused, without a panic and without much work.

use proptest::prelude::*;
use tabletheory_core::Timestamp;

use super::{Sample, verifier};

#[test]
fn monstrous_authorizations_are_refused() {
    let algorithm = "AWS4-HMAC-SHA256 ";
    let many = |piece: &str| format!("{algorithm}{}", piece.repeat(20_000));
    for value in [
        many(","),
        many(" "),
        many("="),
        many("/"),
        many(";"),
        many("Credential=a,"),
        format!("{algorithm}Credential={}, SignedHeaders=host, Signature=a", "/".repeat(50_000)),
        format!("{algorithm}Credential=a/b/c/d/e, SignedHeaders={}, Signature=a", ";".repeat(50_000)),
        format!("{algorithm}Credential=a/b/c/d/e, SignedHeaders={}, Signature=a", "a".repeat(100_000)),
        format!("{algorithm}Credential=a/b/c/d/e, SignedHeaders=host, Signature={}", "a".repeat(100_000)),
        format!("AWS4-{}", "A".repeat(100_000)),
    ] {
        assert!(Sample::unsigned().add("Authorization", value).verify().is_err());
    }
    let spaces = format!("AWS4-HMAC-SHA256 {}", " ".repeat(50_000));
    assert_eq!(Sample::signed().rewrite("AWS4-HMAC-SHA256 ", &spaces).verify(), Ok(()));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for value in
        [&b"\xFF"[..], b"AWS4-\xFF", b"AWS4-HMAC-SHA256 \xFF=\xFE", b"AWS4-HMAC-SHA256 Credential=\xC3\x28"]
    {
        assert!(Sample::unsigned().add("Authorization", value).verify().is_err());
    }
    for name in ["X-Amz-Date", "X-Amz-Target", "Host", "Content-Type", "X-Amz-Content-Sha256"] {
        assert!(Sample::signed().with(name, b"\xFF\xFE").verify().is_err(), "{name}");
    }
    // What is no text can be signed all the same: bytes are bytes.
    let odd = Sample::unsigned().with("Content-Type", b"\xFF\xFE").sign(super::SIGNED_HEADERS);
    assert_eq!(odd.verify(), Ok(()));
}

/// Pieces of real headers among anything else, so that the random cases get beyond the first check.
fn authorization() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"AWS4-HMAC-SHA256 ".to_vec()),
        Just(b"Credential=".to_vec()),
        Just(b"AKIDEXAMPLE/20260314/us-east-1/dynamodb/aws4_request".to_vec()),
        Just(b"SignedHeaders=".to_vec()),
        Just(b"content-type;host;x-amz-date;x-amz-target".to_vec()),
        Just(b"Signature=".to_vec()),
        Just(b", ".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..10)
        .prop_map(|pieces| [b"AWS4-HMAC-SHA256 ".to_vec(), pieces.concat()].concat())
}

proptest! {
    #[test]
    fn nothing_made_up_is_accepted(value in authorization(), date in "[0-9TZ]{0,17}", uri in "/[ -~]{0,20}") {
        let mut sample = Sample::unsigned().add("Authorization", value);
        if sample.parts().is_some() {
            prop_assert!(sample.verify().is_err());
        }
        sample = Sample { uri, ..sample.with("X-Amz-Date", date) };
        if let Some(parts) = sample.parts() {
            let answer = verifier().verify(&parts, &sample.body, Timestamp::from_seconds(0));
            prop_assert!(answer.is_err());
        }
    }
}
