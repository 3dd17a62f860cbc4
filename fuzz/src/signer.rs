//! The other side of a signature, written from AWS's description and not from our verifier: a POST to `/` without a query.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

pub(crate) const ACCESS_KEY: &str = "AKIDFUZZ";
pub(crate) const SECRET: &str = "a secret that strangers do not know";
/// The moment of signing, as the header writes it and in seconds.
pub(crate) const DATE: &str = "20270115T080000Z";
pub(crate) const MOMENT: i64 = 1_800_000_000;

const SCOPE: &str = "20270115/eu-central-1/dynamodb/aws4_request";

/// The `Authorization` header for these headers, which are sorted by name, and this body.
pub(crate) fn authorization(headers: &[(&str, &[u8])], body: &[u8]) -> String {
    let mut canonical = b"POST\n/\n\n".to_vec();
    for (name, value) in headers {
        canonical.extend_from_slice(name.as_bytes());
        canonical.push(b':');
        let words: Vec<&[u8]> = value.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
        canonical.extend(words.join(&b' '));
        canonical.push(b'\n');
    }
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    canonical.extend(format!("\n{names}\n{}", hex(&Sha256::digest(body))).bytes());
    let text = format!("AWS4-HMAC-SHA256\n{DATE}\n{SCOPE}\n{}", hex(&Sha256::digest(&canonical)));
    let mut key = format!("AWS4{SECRET}").into_bytes();
    for step in SCOPE.split('/') {
        key = keyed(&key, step.as_bytes());
    }
    let signature = hex(&keyed(&key, text.as_bytes()));
    format!("AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{SCOPE}, SignedHeaders={names}, Signature={signature}")
}

fn keyed(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key has any length");
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}
