//! Keys from KMS: what is asked and what each answer means, by a script; and a KMS that other people wrote.

mod moto;
mod python;

use std::sync::Arc;
use std::time::Duration;

use tabletheory::encryption::{Envelope, KeyContext, KeyError, KeyProvider, SecretKey};
use tabletheory_aws::{Config, ConfigError, Kms, KmsConfig, Timeouts};
use tabletheory_core::Value;

use crate::client::config;
use crate::server::{Answer, Server, nobody};

const CONTEXT: KeyContext<'static> = KeyContext { model: "Patient", attribute: "diagnosis" };
const KEY: &str = "alias/patients";

/// 32 bytes of 0xC7 in base64, which no error and no log may show, and what stands for their encrypted form.
const PLAINTEXT: &str = "x8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8c=";
const GENERATED: &str =
    r#"{"CiphertextBlob":"AQID","KeyId":"arn","Plaintext":"x8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8c="}"#;

async fn connect(endpoint_url: &str, key_id: &str) -> Kms {
    let connection = config(endpoint_url);
    Kms::connect(KmsConfig { key_id: key_id.to_owned(), connection })
        .await
        .expect("the configuration is complete")
}

/// What both requests come to at a server that gives this answer alone, and how many requests that took.
async fn ask(answer: Answer) -> ([Result<SecretKey, KeyError>; 2], usize) {
    let server = Server::start(vec![answer]);
    let keys = connect(server.endpoint_url(), KEY).await;
    let generated = keys.generate(CONTEXT).await.map(|key| key.plaintext);
    let decrypted = keys.decrypt(&[1, 2, 3], CONTEXT).await;
    ([generated, decrypted], server.count())
}

#[tokio::test]
async fn the_key_is_named_in_both_requests_and_nothing_else_is_bound() {
    let server = Server::start(vec![Answer::ok(GENERATED)]);
    let keys = connect(server.endpoint_url(), KEY).await;
    let key = keys.generate(CONTEXT).await.unwrap();
    assert_eq!((key.plaintext.expose(), &key.encrypted[..]), (&[0xC7; 32], &[1, 2, 3][..]));
    assert_eq!(keys.decrypt(&[1, 2, 3], CONTEXT).await.unwrap().expose(), &[0xC7; 32]);
    let bodies: Vec<serde_json::Value> =
        server.bodies().iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    assert_eq!(
        bodies,
        [
            serde_json::json!({ "KeyId": KEY, "KeySpec": "AES_256" }),
            serde_json::json!({ "KeyId": KEY, "CiphertextBlob": "AQID" }),
        ]
    );
}

#[tokio::test]
async fn a_refusal_is_final_and_names_the_key() {
    let codes = [
        "AccessDeniedException",
        "DisabledException",
        "IncorrectKeyException",
        "InvalidCiphertextException",
        "InvalidGrantTokenException",
        "InvalidKeyUsageException",
        "KMSInvalidStateException",
        "NotFoundException",
        "UnrecognizedClientException",
        "ValidationException",
        "SomethingNewException",
    ];
    for code in codes {
        let (answers, requests) = ask(Answer::refusal(400, code, "no")).await;
        for answer in answers {
            let error = answer.unwrap_err();
            assert!(matches!(error, KeyError::Refused { .. }) && !error.is_retryable(), "{code}: {error:?}");
            assert!(error.to_string().contains("no (key alias/patients of KMS)"), "{error}");
        }
        assert_eq!(requests, 2, "{code} is not asked about again");
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_then_unavailable() {
    let answers = [
        Answer::refusal(400, "ThrottlingException", "Rate exceeded"),
        Answer::refusal(500, "KMSInternalException", "our fault"),
        Answer::refusal(500, "KeyUnavailableException", "not now"),
        Answer::refusal(503, "DependencyTimeoutException", "not now"),
        Answer::Status(503, String::new()),
        Answer::Close,
        Answer::Half,
    ];
    for answer in answers {
        let what = format!("{answer:?}");
        let (answers, requests) = ask(answer).await;
        for answer in answers {
            let error = answer.unwrap_err();
            assert!(
                matches!(error, KeyError::Unavailable { .. }) && error.is_retryable(),
                "{what}: {error:?}"
            );
        }
        assert_eq!(requests, 6, "{what}: three attempts for each of two requests");
    }
}

#[tokio::test]
async fn a_service_that_is_throttled_once_gives_a_key() {
    let server = Server::start(vec![
        Answer::refusal(400, "ThrottlingException", "Rate exceeded"),
        Answer::ok(GENERATED),
    ]);
    let keys = connect(server.endpoint_url(), KEY).await;
    assert_eq!(keys.generate(CONTEXT).await.unwrap().encrypted, [1, 2, 3]);
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_service_that_is_silent_or_absent_is_unavailable() {
    let server = Server::start(vec![Answer::Silence]);
    let timeouts = Timeouts { total: Duration::from_secs(1), ..Timeouts::default() };
    for endpoint_url in [server.endpoint_url(), &nobody()] {
        let connection = Config { timeouts, ..config(endpoint_url) };
        let keys = Kms::connect(KmsConfig { connection, ..KmsConfig::new(KEY) }).await.unwrap();
        for error in
            [keys.generate(CONTEXT).await.unwrap_err(), keys.decrypt(&[1], CONTEXT).await.unwrap_err()]
        {
            assert!(matches!(error, KeyError::Unavailable { .. }), "{error:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_without_a_whole_key_is_refused() {
    let short = r#"{"CiphertextBlob":"AQID","Plaintext":"x8fHxw=="}"#;
    for answer in ask(Answer::ok(short)).await.0 {
        assert_eq!(answer.unwrap_err(), KeyError::WrongLength { bytes: 4 });
    }
    for answer in ask(Answer::ok("{}")).await.0 {
        assert!(matches!(answer.unwrap_err(), KeyError::Refused { .. }));
    }
    let unencrypted = format!(r#"{{"Plaintext":"{PLAINTEXT}","CiphertextBlob":""}}"#);
    let [generated, decrypted] = ask(Answer::ok(&unencrypted)).await.0;
    assert!(matches!(generated.unwrap_err(), KeyError::Refused { .. }));
    assert_eq!(decrypted.unwrap().expose(), &[0xC7; 32], "who decrypts has the encrypted key already");
}

#[tokio::test]
async fn what_cannot_be_an_encrypted_key_is_not_sent() {
    let server = Server::start(vec![Answer::ok(GENERATED)]);
    let keys = connect(server.endpoint_url(), KEY).await;
    for encrypted in [vec![], vec![7; 6145]] {
        let error = keys.decrypt(&encrypted, CONTEXT).await.unwrap_err();
        assert!(matches!(error, KeyError::Refused { .. }), "{error:?}");
    }
    assert_eq!(server.count(), 0);
    keys.decrypt(&[7; 6144], CONTEXT).await.unwrap();
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn a_provider_needs_a_key_and_finds_the_region_in_its_arn() {
    let no_key =
        Kms::connect(KmsConfig { connection: config("http://127.0.0.1:1"), ..KmsConfig::new("") }).await;
    assert_eq!(no_key.unwrap_err(), ConfigError::NoKey);
    let arn = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    assert!(Kms::connect(KmsConfig::new(arn)).await.is_ok(), "the ARN says which region");
}

#[tokio::test]
async fn no_key_is_shown_by_debug_or_by_an_error() {
    let server = Server::start(vec![Answer::ok(GENERATED), Answer::ok(GENERATED), Answer::ok(GENERATED)]);
    let keys: Arc<dyn KeyProvider> = Arc::new(connect(server.endpoint_url(), KEY).await);
    let key = keys.generate(CONTEXT).await.unwrap();
    let sealed = Envelope::seal(&Value::s("influenza"), CONTEXT, &keys).await.unwrap();
    let elsewhere = KeyContext { attribute: "name", ..CONTEXT };
    let error = Envelope::open(&sealed, elsewhere, &keys).await.unwrap_err();
    let odd = ask(Answer::ok(r#"{"CiphertextBlob":"AQID","Plaintext":"x8fHx8fHxw=="}"#)).await.0;
    let shown = format!("{keys:?} {keys:#?} {key:?} {error} {error:?} {odd:?}");
    for secret in ["199", "c7c7", "C7C7", "x8fH", "influenza", "local"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains(KEY), "{shown}");
}
