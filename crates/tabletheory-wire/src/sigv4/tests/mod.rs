//! Signatures under test: requests as data, and a second signer written as plainly as the specification, to sign what no
//! SDK would. `botocore.json` holds requests that botocore 1.44.0 signed for DynamoDB, without the headers it does not sign.

mod accepted;
mod hostile;
mod mutated;
mod refused;

use hmac::{Hmac, KeyInit, Mac};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request};
use sha2::{Digest, Sha256};
use tabletheory_core::Timestamp;

use super::date::AmzDate;
use super::{Credentials, Refusal, Verifier};

const ACCESS_KEY: &str = "AKIDEXAMPLE";
const SECRET_KEY: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// When every request of these tests was signed.
const SIGNED: &str = "20260314T092653Z";

fn verifier() -> Verifier {
    Verifier::new(vec![Credentials::new("OTHER", "other secret"), Credentials::new(ACCESS_KEY, SECRET_KEY)])
}

fn moment(text: &str) -> Timestamp {
    AmzDate::parse(text.as_bytes()).unwrap().moment()
}

/// A request as data, easy to spoil.
#[derive(Debug, Clone)]
struct Sample {
    name: String,
    method: String,
    uri: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Sample {
    fn new(method: &str, uri: &str, headers: &[(&str, &str)], body: &str) -> Self {
        Self {
            name: String::new(),
            method: method.to_owned(),
            uri: uri.to_owned(),
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
                .collect(),
            body: body.as_bytes().to_vec(),
        }
    }

    /// A request with everything a client sends, but not signed.
    fn unsigned() -> Self {
        let headers = [
            ("Host", "localhost:8000"),
            ("X-Amz-Date", SIGNED),
            ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
            ("Content-Type", "application/x-amz-json-1.0"),
        ];
        Self::new("POST", "/", &headers, "{}")
    }

    /// The same, signed.
    fn signed() -> Self {
        Self::unsigned().sign(SIGNED_HEADERS)
    }

    fn get(&self, name: &str) -> &[u8] {
        &self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).unwrap().1
    }

    fn add(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    fn with(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.without(name).add(name, value)
    }

    /// Replaces a part of the `Authorization` header.
    fn rewrite(self, from: &str, to: &str) -> Self {
        let before = String::from_utf8(self.get("Authorization").to_vec()).unwrap();
        assert!(before.contains(from), "{from} is not in {before}");
        self.with("Authorization", before.replace(from, to))
    }

    /// Signs with the credentials of these tests, for the usual scope.
    fn sign(self, signed_headers: &str) -> Self {
        self.sign_as(ACCESS_KEY, SECRET_KEY, "20260314/us-east-1/dynamodb/aws4_request", signed_headers)
    }

    /// Signs by the book, whatever is asked for. Values are taken as they are, and the address has to be simple.
    fn sign_as(self, access_key: &str, secret_key: &str, scope: &str, signed_headers: &str) -> Self {
        let mut canonical = format!("{}\n{}\n\n", self.method, self.uri).into_bytes();
        for name in signed_headers.split(';') {
            let values: Vec<&[u8]> = self
                .headers
                .iter()
                .filter(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.as_slice())
                .collect();
            canonical.extend([name.as_bytes(), b":", &values.join(&b","[..]), b"\n"].concat());
        }
        canonical.extend(format!("\n{signed_headers}\n{}", hex(&Sha256::digest(&self.body))).into_bytes());
        let date = String::from_utf8(self.get("X-Amz-Date").to_vec()).unwrap();
        let string_to_sign =
            format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex(&Sha256::digest(&canonical)));
        let secret = format!("AWS4{secret_key}").into_bytes();
        let key = scope.split('/').fold(secret, |key, element| hmac(&key, element.as_bytes()));
        let signature = hex(&hmac(&key, string_to_sign.as_bytes()));
        let value = format!(
            "AWS4-HMAC-SHA256 Credential={access_key}/{scope}, SignedHeaders={signed_headers}, Signature={signature}"
        );
        self.with("Authorization", value)
    }

    /// The request as the server sees it, or `None` if no server would.
    fn parts(&self) -> Option<Parts> {
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.uri).body(()).ok()?;
        for (name, value) in &self.headers {
            let value = HeaderValue::from_bytes(value).ok()?;
            request.headers_mut().append(HeaderName::from_bytes(name.as_bytes()).ok()?, value);
        }
        Some(request.into_parts().0)
    }

    fn verify_with(&self, verifier: &Verifier) -> Result<(), Refusal> {
        verifier.verify(&self.parts().expect("the request can be sent"), &self.body, moment(SIGNED))
    }

    fn verify(&self) -> Result<(), Refusal> {
        self.verify_with(&verifier())
    }
}

const SIGNED_HEADERS: &str = "content-type;host;x-amz-date;x-amz-target";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

/// What botocore signed.
fn botocore() -> Vec<Sample> {
    let fixtures: serde_json::Value = serde_json::from_str(include_str!("botocore.json")).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    fixtures
        .as_array()
        .unwrap()
        .iter()
        .map(|fixture| Sample {
            name: text(&fixture["name"]),
            method: text(&fixture["method"]),
            uri: text(&fixture["uri"]),
            headers: fixture["headers"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| (name.clone(), text(value).into_bytes()))
                .collect(),
            body: text(&fixture["body"]).into_bytes(),
        })
        .collect()
}
