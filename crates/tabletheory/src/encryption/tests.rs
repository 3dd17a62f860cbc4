//! The golden vector, the laws of the envelope, and what each way of breaking one is answered with.

use std::sync::Arc;

use futures_executor::block_on;
use proptest::prelude::*;
use tabletheory_core::{Item, Number, Value};

use super::testing::DeterministicKeys;
use super::{
    DataKey, EncryptionError, Envelope, KeyContext, KeyError, KeyFuture, KeyProvider, LocalKeys, SecretKey,
    cipher, payload,
};

const CONTEXT: KeyContext<'static> = KeyContext { model: "EncryptedRecord", attribute: "secret" };
const OTHER_ATTRIBUTE: KeyContext<'static> = KeyContext { model: "EncryptedRecord", attribute: "other" };
const OTHER_MODEL: KeyContext<'static> = KeyContext { model: "RenamedRecord", attribute: "secret" };

/// An envelope of the other toolkits, from their shared contract tests.
#[derive(serde::Deserialize)]
struct Golden {
    seed: String,
    model: String,
    attribute: String,
    plaintext: Value,
    payload: String,
    stored: Value,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../fixtures/encryption-envelope-v1.json")).unwrap()
}

fn local_keys() -> LocalKeys {
    LocalKeys::new(2, SecretKey::new([2; 32])).with_older(1, SecretKey::new([1; 32]))
}

fn seal(value: &Value, keys: &dyn KeyProvider) -> Value {
    block_on(Envelope::seal(value, CONTEXT, keys)).unwrap()
}

fn open(stored: &Value, keys: &dyn KeyProvider) -> Result<Value, EncryptionError> {
    block_on(Envelope::open(stored, CONTEXT, keys))
}

fn sealed_members(keys: &dyn KeyProvider) -> Item {
    match seal(&Value::s("swordfish"), keys) {
        Value::M(members) => members,
        other => panic!("an envelope is a map: {other:?}"),
    }
}

fn not_authentic() -> EncryptionError {
    EncryptionError::NotAuthentic { attribute: "secret".to_owned() }
}

#[test]
fn the_golden_envelope_is_written_and_read() {
    let golden = golden();
    let context = KeyContext { model: &golden.model, attribute: &golden.attribute };
    assert_eq!(payload::encode(&golden.plaintext).unwrap(), golden.payload.as_bytes());
    let keys: Arc<dyn KeyProvider> = Arc::new(DeterministicKeys::new(&golden.seed));
    let stored = block_on(Envelope::seal(&golden.plaintext, context, &keys)).unwrap();
    assert_eq!(stored, golden.stored);
    assert_eq!(block_on(Envelope::open(&golden.stored, context, &keys)), Ok(golden.plaintext));
}

#[test]
fn an_authentic_payload_that_is_no_value_is_refused() {
    let keys = local_keys();
    let check = |payload: &str| {
        let DataKey { plaintext, encrypted } = block_on(keys.generate(CONTEXT)).unwrap();
        let mut ciphertext = payload.as_bytes().to_vec();
        cipher::encrypt(&plaintext, &[7; 12], b"theorydb:encrypted:v1|attr=secret", &mut ciphertext);
        let stored = Value::M(Item::from([
            ("v", Value::n(1)),
            ("edk", Value::B(encrypted)),
            ("nonce", Value::B(vec![7; 12])),
            ("ct", Value::B(ciphertext)),
        ]));
        open(&stored, &keys)
    };
    assert_eq!(check(r#"{"t":"S","s":"swordfish"}"#), Ok(Value::s("swordfish")));
    let deep = format!("{}{}", r#"{"t":"L","l":["#.repeat(33), "]}".repeat(33));
    let far_too_deep = r#"{"t":"L","l":["#.repeat(10_000);
    for payload in [
        "swordfish",
        "null",
        "[]",
        "{}",
        r#"{"s":"swordfish"}"#,
        r#"{"t":"s","s":"swordfish"}"#,
        r#"{"t":"S","s":"swordfish"} "swordfish""#,
        r#"{"t":"S","s":1}"#,
        r#"{"t":"S","s":"a","s":"b"}"#,
        r#"{"t":"S","n":"1"}"#,
        r#"{"t":"S","s":"a","n":"1"}"#,
        r#"{"t":"S","s":"a","more":"1"}"#,
        r#"{"t":"N"}"#,
        r#"{"t":"N","n":1}"#,
        r#"{"t":"N","n":"many"}"#,
        r#"{"t":"B","b":"*"}"#,
        r#"{"t":"NULL","null":false}"#,
        r#"{"t":"NS","ns":["many"]}"#,
        r#"{"t":"BS","bs":["*"]}"#,
        r#"{"t":"L","l":[{"t":"N"}]}"#,
        r#"{"t":"M","m":{"a":{}}}"#,
        r#"{"S":"swordfish"}"#,
        &deep,
        &far_too_deep,
    ] {
        let refused = EncryptionError::NotAValue { attribute: "secret".to_owned() };
        assert_eq!(check(payload), Err(refused), "{payload:.80}");
    }
}

#[test]
fn what_has_not_the_form_of_an_envelope_is_refused() {
    let keys = local_keys();
    let check = |member: &str, value: Option<Value>, reason: &str| {
        let mut members = sealed_members(&keys);
        match value {
            Some(value) => drop(members.insert(member, value)),
            None => assert!(members.remove(member).is_some()),
        }
        let refused = open(&Value::M(members), &keys).unwrap_err();
        let expected = format!("attribute `secret` is not an encrypted envelope: {reason}");
        assert_eq!(refused.to_string(), expected);
    };
    for member in ["edk", "nonce", "ct"] {
        check(member, None, &format!("`{member}` is not binary"));
        check(member, Some(Value::s("c3dvcmRmaXNo")), &format!("`{member}` is not binary"));
    }
    check("v", None, "`v` is not a number");
    check("v", Some(Value::s("1")), "`v` is not a number");
    check("nonce", Some(Value::B(vec![0; 11])), "`nonce` has not 12 bytes");
    check("nonce", Some(Value::B(vec![0; 16])), "`nonce` has not 12 bytes");
    check("edk", Some(Value::B(vec![])), "`edk` is empty");
    check("ct", Some(Value::B(vec![0; 16])), "`ct` is too short");
    check("alg", Some(Value::s("AES")), "it has members that version 1 does not have");
    for in_the_clear in [Value::s("swordfish"), Value::Null, Value::L(vec![])] {
        let refused = open(&in_the_clear, &keys).unwrap_err();
        assert!(matches!(refused, EncryptionError::NotAnEnvelope { reason: "it is not a map", .. }));
    }
}

#[test]
fn an_unknown_version_is_refused_as_such() {
    let keys = local_keys();
    for version in ["0", "2", "-1", "1.5", "10"] {
        let mut members = sealed_members(&keys);
        members.insert("v", version.parse::<Number>().unwrap());
        // A later version may have other members; the version is still what is wrong.
        members.insert("alg", "AES");
        let refused = EncryptionError::UnknownVersion { attribute: "secret".to_owned() };
        assert_eq!(open(&Value::M(members), &keys), Err(refused));
    }
}

#[test]
fn an_envelope_is_bound_to_its_attribute_and_not_to_its_model() {
    for keys in [&local_keys() as &dyn KeyProvider, &DeterministicKeys::new("seed")] {
        let stored = seal(&Value::s("swordfish"), keys);
        let moved = EncryptionError::NotAuthentic { attribute: "other".to_owned() };
        assert_eq!(block_on(Envelope::open(&stored, OTHER_ATTRIBUTE, keys)), Err(moved));
        assert_eq!(block_on(Envelope::open(&stored, OTHER_MODEL, keys)), Ok(Value::s("swordfish")));
    }
}

#[test]
fn a_change_of_any_byte_is_refused() {
    for keys in [&local_keys() as &dyn KeyProvider, &DeterministicKeys::new("seed")] {
        let sealed = sealed_members(keys);
        for member in ["edk", "nonce", "ct"] {
            let Some(Value::B(bytes)) = sealed.get(member) else { unreachable!("the member is binary") };
            for (at, bit) in (0..bytes.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                let mut members = sealed.clone();
                members.insert(member, Value::B(changed));
                let refused = open(&Value::M(members), keys).unwrap_err();
                let expected = refused == not_authentic() || matches!(refused, EncryptionError::Key { .. });
                assert!(expected, "{member}, byte {at}, bit {bit}: {refused}");
            }
        }
    }
}

#[test]
fn parts_of_two_envelopes_do_not_make_a_third() {
    let keys = local_keys();
    for member in ["edk", "nonce", "ct"] {
        let (mut mixed, mut other) = (sealed_members(&keys), sealed_members(&keys));
        mixed.insert(member, other.remove(member).unwrap());
        assert_eq!(open(&Value::M(mixed), &keys), Err(not_authentic()), "{member}");
    }
}

#[test]
fn the_first_master_key_encrypts_and_all_of_them_decrypt() {
    let master = |byte| SecretKey::new([byte; 32]);
    let (first, second) = (LocalKeys::new(1, master(1)), LocalKeys::new(2, master(2)));
    let both = LocalKeys::new(2, master(2)).with_older(1, master(1));
    let value = Value::s("swordfish");
    assert_eq!(open(&seal(&value, &first), &both), Ok(value.clone()));
    assert_eq!(open(&seal(&value, &second), &both), Ok(value.clone()));
    assert_eq!(open(&seal(&value, &both), &second), Ok(value.clone()));
    let refused = open(&seal(&value, &both), &first).unwrap_err();
    let source = KeyError::Refused { reason: "no master key has the id 2".to_owned() };
    let (model, attribute) = ("EncryptedRecord".to_owned(), "secret".to_owned());
    assert_eq!(refused, EncryptionError::Key { model, attribute, source });

    // Two fleets that both called their first key 1 can be merged.
    let merged = LocalKeys::new(1, master(3)).with_older(1, master(1));
    assert_eq!(open(&seal(&value, &first), &merged), Ok(value));
}

#[test]
fn a_data_key_of_another_provider_is_refused() {
    let keys = local_keys();
    let encrypted = block_on(keys.generate(CONTEXT)).unwrap().encrypted;
    for other in [&encrypted[..64], &[&encrypted[..], &[0]].concat(), &[0; 65], b"AQIDAHh"] {
        let refused = block_on(keys.decrypt(other, CONTEXT)).unwrap_err();
        assert!(matches!(refused, KeyError::Refused { .. }), "{refused}");
    }
}

/// Counts how often it is asked, and never gives a key.
#[derive(Debug, Default)]
struct NoKeys(std::sync::atomic::AtomicUsize);

impl NoKeys {
    fn asked<T: Send + 'static>(&self) -> KeyFuture<'_, T> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Box::pin(async { Err(KeyError::Unavailable { reason: "no answer".to_owned() }) })
    }
}

impl KeyProvider for NoKeys {
    fn generate<'a>(&'a self, _: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        self.asked()
    }

    fn decrypt<'a>(&'a self, _: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        self.asked()
    }
}

#[test]
fn a_provider_is_asked_only_for_what_could_succeed() {
    let keys = NoKeys::default();
    let deep = |levels: usize| (1..levels).fold(Value::Null, |value, _| Value::L(vec![value]));
    let too_deep = block_on(Envelope::seal(&deep(33), CONTEXT, &keys)).unwrap_err();
    assert_eq!(too_deep, EncryptionError::NestedTooDeep { attribute: "secret".to_owned() });
    open(&Value::s("in the clear"), &keys).unwrap_err();
    assert_eq!(keys.0.load(std::sync::atomic::Ordering::Relaxed), 0);

    let source = KeyError::Unavailable { reason: "no answer".to_owned() };
    let (model, attribute) = ("EncryptedRecord".to_owned(), "secret".to_owned());
    let no_key = EncryptionError::Key { model, attribute, source };
    assert_eq!(block_on(Envelope::seal(&deep(32), CONTEXT, &keys)), Err(no_key.clone()));
    assert_eq!(open(&golden().stored, &keys), Err(no_key));
    assert_eq!(open(&seal(&deep(32), &local_keys()), &local_keys()), Ok(deep(32)));
}

#[test]
fn no_secret_is_shown() {
    // The byte as it would be seen in a list, in hexadecimal or in base64.
    const SECRETS: [&str; 5] = ["canary", "199", "c7c7", "C7C7", "x8fH"];
    let key = || SecretKey::new([0xC7; 32]);
    let data_key = DataKey { plaintext: key(), encrypted: vec![0xC7; 3] };
    let local = LocalKeys::new(1, key()).with_older(0, key());
    let seeded = DeterministicKeys::new("canary");
    let mut shown = vec![format!("{:?} {data_key:?} {data_key:#?} {local:?} {local:#?} {seeded:?}", key())];

    let stored = seal(&Value::s("canary"), &local);
    let Value::M(mut changed) = stored.clone() else { unreachable!("an envelope is a map") };
    changed.insert("edk", Value::B(vec![0xC7; 65]));
    let failures = [
        open(&Value::s("canary"), &local),
        open(&Value::M(Item::from([("canary", Value::s("canary"))])), &local),
        open(&Value::M(changed), &local),
        open(&stored, &LocalKeys::new(1, SecretKey::new([0; 32]))),
        block_on(Envelope::open(&stored, OTHER_ATTRIBUTE, &local)),
    ];
    for failure in failures {
        let error = failure.unwrap_err();
        shown.push(format!("{error} {error:?} {:?}", std::error::Error::source(&error)));
    }
    for text in shown {
        assert!(!SECRETS.iter().any(|secret| text.contains(secret)), "{text}");
    }
    // The canary would be seen if it were there.
    assert!(format!("{:?}", key().expose()).contains("199"));
}

#[test]
fn the_futures_can_be_sent_to_another_thread() {
    fn assert_send<T: Send>(sent: T) -> T {
        sent
    }
    let keys = local_keys();
    let value = Value::s("swordfish");
    let stored = block_on(assert_send(Envelope::seal(&value, CONTEXT, &keys))).unwrap();
    assert_eq!(block_on(assert_send(Envelope::open(&stored, CONTEXT, &keys))), Ok(value));
}

fn any_number() -> impl Strategy<Value = Number> {
    let decimal = (any::<bool>(), "[1-9]([0-9]{0,8}|[0-9]{37})", -130i32..=125).prop_map(
        |(negative, digits, power)| {
            let (first, rest) = digits.split_at(1);
            format!("{}{first}.{rest}e{power}", if negative { "-" } else { "" }).parse().unwrap()
        },
    );
    prop_oneof![1 => Just(Number::ZERO), 3 => any::<i64>().prop_map(Number::from), 6 => decimal]
}

/// Any value with few levels, empty sets among them.
fn any_value() -> impl Strategy<Value = Value> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..9);
    let scalar = prop_oneof![
        "\\PC{0,8}".prop_map(Value::S),
        prop::collection::vec(any::<char>(), 0..8).prop_map(|text| Value::S(text.into_iter().collect())),
        any_number().prop_map(Value::N),
        bytes().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        prop::collection::btree_set(".{0,4}", 0..4).prop_map(Value::Ss),
        prop::collection::btree_set(any_number(), 0..4).prop_map(Value::Ns),
        prop::collection::btree_set(bytes(), 0..4).prop_map(Value::Bs),
    ];
    scalar.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::L),
            prop::collection::vec((".{1,4}", inner), 0..5)
                .prop_map(|map| Value::M(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_is_sealed_is_opened(value in any_value()) {
        for keys in [&local_keys() as &dyn KeyProvider, &DeterministicKeys::new("seed")] {
            prop_assert_eq!(open(&seal(&value, keys), keys), Ok(value.clone()));
        }
    }

    #[test]
    fn whatever_is_cut_off_or_added_is_refused(value in any_value(), cut in 1usize..16) {
        let keys = local_keys();
        for member in ["edk", "nonce", "ct"] {
            let Value::M(sealed) = seal(&value, &keys) else { unreachable!("an envelope is a map") };
            let Some(Value::B(bytes)) = sealed.get(member) else { unreachable!("the member is binary") };
            for changed in [bytes[..bytes.len().saturating_sub(cut)].to_vec(), [&bytes[..], &vec![0; cut]].concat()] {
                let mut members = sealed.clone();
                members.insert(member, Value::B(changed));
                prop_assert!(open(&Value::M(members), &keys).is_err(), "{}", member);
            }
        }
    }
}
