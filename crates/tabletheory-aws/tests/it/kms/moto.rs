//! Our keys and those of boto3 at one KMS: moto's. What one seals the other opens, and what is not theirs is refused.

use tabletheory::encryption::{
    EncryptionError, Envelope, KeyContext, KeyError, KeyProvider, Reuse, ReusedKeys,
};
use tabletheory::{Db, Model};
use tabletheory_aws::Kms;
use tabletheory_core::store::op::GetItem;
use tabletheory_core::{Item, StoreExt, Value};
use tokio::process::Child;

use super::python::Python;
use super::{CONTEXT, connect};
use crate::contract::say;

const SCRIPT: &str = "kms.py";
const PAYLOAD: &str = r#"{"t":"S","s":"influenza"}"#;

/// A KMS with nothing in it, and boto3 to use it.
struct World {
    python: Python,
    endpoint: String,
    // The service ends with it.
    _process: Child,
}

impl World {
    async fn start() -> Option<Self> {
        let Some(python) = Python::find() else {
            say("SKIPPED: THEORY_SKIP_CLIENTS=1, so the keys from KMS do not meet a KMS");
            return None;
        };
        let (process, endpoint) = python.serve("service.py").await;
        Some(Self { python, endpoint, _process: process })
    }

    /// A new key's ARN.
    async fn create_key(&self) -> String {
        let arguments = ["create-key", "--endpoint", &self.endpoint];
        self.python.run(SCRIPT, &arguments, "").await.expect("a key can be made")
    }

    /// What boto3 makes of the input.
    async fn boto3(&self, command: &str, key: &str, attribute: &str, input: &str) -> Result<String, String> {
        let arguments = [command, "--endpoint", &self.endpoint, "--key", key, "--attribute", attribute];
        self.python.run(SCRIPT, &arguments, input).await
    }

    async fn keys(&self, key: &str) -> Kms {
        connect(&self.endpoint, key).await
    }
}

fn members(stored: Value) -> Item {
    match stored {
        Value::M(members) => members,
        other => panic!("an envelope is a map: {other:?}"),
    }
}

fn binary(members: &Item, name: &str) -> Vec<u8> {
    match members.get(name) {
        Some(Value::B(bytes)) => bytes.clone(),
        other => panic!("{name} is binary: {other:?}"),
    }
}

/// Opening must be refused by KMS itself, for good.
async fn refused_by_kms(members: Item, keys: &Kms) {
    let error = Envelope::open(&Value::M(members), CONTEXT, keys).await.expect_err("KMS refuses it");
    assert!(matches!(&error, EncryptionError::Key { source: KeyError::Refused { .. }, .. }), "{error:?}");
}

#[tokio::test]
async fn what_rust_seals_boto3_opens_and_the_other_way_round() {
    let Some(world) = World::start().await else { return };
    let arn = world.create_key().await;
    let (_, id) = arn.rsplit_once('/').expect("the ARN of a key ends with its id");
    for name in [&arn, id] {
        let keys = world.keys(name).await;
        let sealed = Envelope::seal(&Value::s("influenza"), CONTEXT, &keys).await.unwrap();
        let text = serde_json::to_string(&sealed).unwrap();
        assert_eq!(world.boto3("open", &arn, "diagnosis", &text).await.as_deref(), Ok(PAYLOAD));
        let complaint = world.boto3("open", &arn, "name", &text).await.unwrap_err();
        assert!(complaint.contains("InvalidTag"), "an envelope is bound to its attribute: {complaint}");
        assert_eq!(Envelope::open(&sealed, CONTEXT, &keys).await, Ok(Value::s("influenza")));
    }
    let keys = world.keys(&arn).await;
    let text = world.boto3("seal", &arn, "diagnosis", PAYLOAD).await.unwrap();
    let sealed: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(Envelope::open(&sealed, CONTEXT, &keys).await, Ok(Value::s("influenza")));
    let moved = KeyContext { attribute: "name", ..CONTEXT };
    let refused = Envelope::open(&sealed, moved, &keys).await.unwrap_err();
    assert!(matches!(refused, EncryptionError::NotAuthentic { .. }), "{refused:?}");
}

#[tokio::test]
async fn another_key_and_a_changed_data_key_are_refused() {
    let Some(world) = World::start().await else { return };
    let (ours, theirs) = (world.create_key().await, world.create_key().await);
    let (ours, theirs) = (world.keys(&ours).await, world.keys(&theirs).await);
    let sealed = members(Envelope::seal(&Value::s("influenza"), CONTEXT, &ours).await.unwrap());
    refused_by_kms(sealed.clone(), &theirs).await;
    refused_by_kms(sealed.clone(), &world.keys("1234abcd-12ab-34cd-56ef-1234567890ab").await).await;

    let encrypted = binary(&sealed, "edk");
    // The first byte, one in the middle, the last, and what is cut off or added.
    let flipped = [0, encrypted.len() / 2, encrypted.len() - 1].map(|at| {
        let mut changed = encrypted.clone();
        changed[at] ^= 1;
        changed
    });
    let cut = [encrypted[..encrypted.len() - 1].to_vec(), [&encrypted[..], &[0]].concat(), vec![0; 200]];
    for changed in flipped.into_iter().chain(cut) {
        let mut tampered = sealed.clone();
        tampered.insert("edk", Value::B(changed));
        refused_by_kms(tampered, &ours).await;
    }

    // Another data key of the same key is one that KMS decrypts; the value does not open with it.
    let mut exchanged = sealed.clone();
    exchanged.insert("edk", Value::B(ours.generate(CONTEXT).await.unwrap().encrypted));
    let refused = Envelope::open(&Value::M(exchanged), CONTEXT, &ours).await.unwrap_err();
    assert!(matches!(refused, EncryptionError::NotAuthentic { .. }), "{refused:?}");
    assert_eq!(Envelope::open(&Value::M(sealed), CONTEXT, &ours).await, Ok(Value::s("influenza")));
}

#[derive(Model, Debug, PartialEq)]
#[model(table = "patients")]
struct Patient {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    diagnosis: String,
}

#[tokio::test]
async fn a_field_that_a_database_encrypts_is_opened_by_boto3_and_read_with_kept_keys() {
    let Some(world) = World::start().await else { return };
    let arn = world.create_key().await;
    let db = Db::memory().with_keys(ReusedKeys::new(world.keys(&arn).await, Reuse::default()));
    db.create_table::<Patient>().await.unwrap();
    for id in ["1", "2"] {
        db.create(&Patient { id: id.into(), diagnosis: "influenza".into() }).await.unwrap();
    }
    let key = Patient::key("1").into_item().unwrap();
    let key = GetItem { table: "patients".into(), key, ..GetItem::default() };
    let stored = db.store().get_item(key).await.unwrap().item.expect("the item is there");
    let text = serde_json::to_string(stored.get("diagnosis").expect("the field is there")).unwrap();
    assert_eq!(world.boto3("open", &arn, "diagnosis", &text).await.as_deref(), Ok(PAYLOAD));
    let read = db.get(Patient::key("2")).await.unwrap();
    assert_eq!(read.map(|patient| patient.diagnosis).as_deref(), Some("influenza"));
}
