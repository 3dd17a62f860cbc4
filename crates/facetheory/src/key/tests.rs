//! Keys of one page are equal, keys of two pages differ, and partition keys keep tenants apart.

use proptest::prelude::*;

use super::*;
use crate::error::Error;

#[test]
fn the_digest_of_a_known_key_stays_what_it_is() {
    let key = PageKey::path("/news").query("page", "2");
    assert_eq!(key.digest(), "c5d14f5aa1c274fb5b201cc62e55305976f39283ab0abdc68222069d1f4f6e89");
}

#[test]
fn a_path_and_a_query_with_the_same_letters_are_two_pages() {
    assert_ne!(PageKey::path("/d/x").digest(), PageKey::path("/d").query("p", "x").digest());
}

#[test]
fn a_header_and_a_cookie_of_one_name_are_two_things() {
    let page = || PageKey::path("/");
    assert_ne!(page().header("a", "1").digest(), page().cookie("a", "1").digest());
    assert_eq!(page().header("Accept", "1").digest(), page().header("accept", "1").digest());
}

#[test]
fn the_tenant_is_part_of_the_digest() {
    let tenant = |name: &str| PageKey::path("/").tenant(name.parse().expect("a tenant"));
    assert_ne!(tenant("a").digest(), tenant("b").digest());
    assert_ne!(tenant("a").digest(), PageKey::path("/").digest());
}

#[test]
fn values_of_one_name_keep_their_order() {
    let page = |first, second| PageKey::path("/").query("a", first).query("a", second);
    assert_ne!(page("1", "2").digest(), page("2", "1").digest());
}

#[test]
fn a_key_without_text_has_no_raw_partition() {
    assert!(matches!(KeyScheme::Raw.partition(&PageKey::path("/")), Err(Error::KeyWithoutText)));
}

/// Two languages of one text had one partition, and one was served for the other.
#[test]
fn a_raw_key_with_parts_beside_it_is_refused() {
    let keys = [PageKey::raw("/a").header("accept-language", "de"), PageKey::raw("/a").query("b", "c")];
    for key in keys {
        assert!(matches!(KeyScheme::Raw.partition(&key), Err(Error::KeyBesideText)));
        assert!(KeyScheme::Hashed.partition(&key).is_ok());
    }
}

/// G15: the raw text was the partition key, and a query of 3 kB made DynamoDB refuse it.
#[test]
fn a_long_key_is_hashed_and_a_long_raw_text_is_refused_by_name() {
    let long = "x".repeat(3000);
    assert!(KeyScheme::Hashed.partition(&PageKey::path(&long)).expect("a partition").as_str().len() < 100);
    let refused = KeyScheme::Raw.partition(&PageKey::raw(long));
    assert!(matches!(refused, Err(Error::KeyTooLong { bytes: 3006, .. })), "{refused:?}");
}

#[test]
fn debug_shows_no_value_that_may_be_secret() {
    let shown =
        format!("{:?}", PageKey::path("/a").cookie("session", "s3cret").header("authorization", "s3cret"));
    assert!(shown.contains("/a") && !shown.contains("s3cret"), "{shown}");
}

/// Parts as a test invents them.
fn parts() -> impl Strategy<Value = Vec<(u8, Vec<u8>, Vec<u8>)>> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..4);
    proptest::collection::vec((0..4u8, bytes(), bytes()), 0..5)
}

fn key(path: &[u8], parts: &[(u8, Vec<u8>, Vec<u8>)]) -> PageKey {
    parts.iter().fold(PageKey::path(path), |key, (kind, name, value)| match kind {
        0 => key.query(name, value),
        1 => key.header(name, value),
        2 => key.cookie(name, value),
        _ => key.variant(name, value),
    })
}

proptest! {
    #[test]
    fn keys_are_equal_exactly_when_their_digests_are(
        first in (proptest::collection::vec(any::<u8>(), 0..3), parts()),
        second in (proptest::collection::vec(any::<u8>(), 0..3), parts()),
    ) {
        let (first, second) = (key(&first.0, &first.1), key(&second.0, &second.1));
        prop_assert_eq!(first == second, first.digest() == second.digest());
    }

    #[test]
    fn no_tenant_reads_the_partition_of_another(
        tenants in ("[A-Za-z0-9_-]{1,8}", "[A-Za-z0-9_-]{1,8}"),
        texts in ("[a-z#:]{0,12}", "[a-z#:]{0,12}"),
    ) {
        let partition = |tenant: &str, text: &str| {
            let key = PageKey::raw(text).tenant(tenant.parse().expect("a tenant"));
            KeyScheme::Raw.partition(&key).expect("a partition")
        };
        let (first, second) = (partition(&tenants.0, &texts.0), partition(&tenants.1, &texts.1));
        prop_assert_eq!(first == second, tenants.0 == tenants.1 && texts.0 == texts.1);
        prop_assert_eq!(first.site() == second.site(), tenants.0 == tenants.1);
    }
}
