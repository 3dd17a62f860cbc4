//! What a request asks for, as a hash: the same key with another fingerprint is another request, and is refused.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::digest::{Parts, sha256_hex};
use crate::error::Error;
use crate::scope::Scope;

/// The first bytes that are hashed.
const DOMAIN: &[u8] = b"idempotent/request/1";

/// The fingerprint of a request: the SHA-256 of its scope and its content. It is compared in every state of a record, also
/// while the request runs.
///
/// ```
/// use idempotent::{Fingerprint, Scope};
///
/// let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
/// assert_eq!(Fingerprint::of_bytes(&scope, b"{}"), Fingerprint::of_bytes(&scope, b"{}"));
/// assert_ne!(Fingerprint::of_bytes(&scope, b"{}"), Fingerprint::of_bytes(&scope, b"{ }"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Of a body as it came, byte for byte. A client that writes the same value in another way has another fingerprint.
    #[must_use]
    pub fn of_bytes(scope: &Scope, body: &[u8]) -> Self {
        Self(scope.hashed(Parts::new(DOMAIN)).part(7, Some(body)).hex())
    }

    /// Of an HTTP request. Method and target stand in it as they came, because the scope may know neither: the same key for
    /// another order, with another query or method, is another request.
    pub(crate) fn of_http(scope: &Scope, method: &str, target: &str, body: &[u8]) -> Self {
        let parts = scope.hashed(Parts::new(DOMAIN)).part(9, Some(method.as_bytes()));
        Self(parts.part(10, Some(target.as_bytes())).part(7, Some(body)).hex())
    }

    /// Of a value, as canonical JSON: no blanks, the keys of objects in the order of their UTF-8 bytes, strings and numbers as
    /// `serde_json` writes them. So the order of a map's keys does not matter. It is not RFC 8785, whose numbers are written
    /// otherwise; whoever shares a table across languages hashes bytes.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use idempotent::{Fingerprint, Scope};
    ///
    /// let scope = Scope::function("charge");
    /// let order = HashMap::from([("amount", 5), ("account", 7)]);
    /// let same = serde_json::json!({"account": 7, "amount": 5});
    /// assert_eq!(Fingerprint::of_json(&scope, &order)?, Fingerprint::of_json(&scope, &same)?);
    /// # Ok::<(), idempotent::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the value has no JSON.
    pub fn of_json(scope: &Scope, request: &impl Serialize) -> Result<Self, Error> {
        Ok(Self(scope.hashed(Parts::new(DOMAIN)).part(8, Some(canonical_json(request)?.as_bytes())).hex()))
    }

    /// The SHA-256 of these bytes and nothing else, which is what the services of the seed write for the JSON of a request.
    /// For tables shared with them, and only there: it says nothing of the scope.
    ///
    /// ```
    /// let known = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    /// assert_eq!(idempotent::Fingerprint::plain(b"{}").as_hex(), known);
    /// ```
    #[must_use]
    pub fn plain(bytes: &[u8]) -> Self {
        Self(sha256_hex(bytes))
    }

    /// The 64 digits as they are in the row.
    #[must_use]
    pub fn as_hex(&self) -> &str {
        &self.0
    }
}

/// Of a short body a hash is as good as the body.
impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint")
    }
}

/// A value as JSON with sorted keys.
pub(crate) fn canonical_json(value: &impl Serialize) -> Result<String, Error> {
    let value = serde_json::to_value(value).map_err(|_| Error::NoJson)?;
    let mut text = String::new();
    write(&value, &mut text);
    Ok(text)
}

/// `serde_json` sorts keys unless somebody in the build asks it to keep their order, so the order is made here.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(members) => {
            text.push('[');
            for (at, member) in members.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write(member, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| name.as_bytes());
            text.push('{');
            for (at, (name, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f26_canonical_json_has_sorted_keys_and_no_blanks() {
        let value: Value =
            serde_json::from_str(r#"{ "b": [1, 2.5, {"z": null, "a": "\n\"é"}], "a": true, "": {} }"#)
                .unwrap();
        assert_eq!(canonical_json(&value).unwrap(), r#"{"":{},"a":true,"b":[1,2.5,{"a":"\n\"é","z":null}]}"#);
    }

    #[test]
    fn the_same_content_elsewhere_is_another_request() {
        let scope = |principal: &str| Scope::route("POST", "/orders").without_tenant().principal(principal);
        let of = |scope: &Scope| Fingerprint::of_bytes(scope, b"{}");
        assert_ne!(of(&scope("ada")), of(&scope("bob")));
        assert_ne!(of(&scope("ada")), of(&Scope::function("POST /orders")));
        assert_ne!(of(&scope("ada")), Fingerprint::of_json(&scope("ada"), &serde_json::json!({})).unwrap());
        assert_ne!(of(&scope("ada")), Fingerprint::plain(b"{}"));
    }

    #[test]
    fn the_fingerprint_of_a_request_stays_what_it_is() {
        let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
        let known = "92dedcfc56c9b5751a33d1cef47541adc85c0f5a882ae8f8f7d3279bfd810543";
        assert_eq!(Fingerprint::of_bytes(&scope, b"{}").as_hex(), known);
    }

    #[test]
    fn what_has_no_json_is_an_error() {
        let map = std::collections::HashMap::from([((1, 2), 3)]);
        assert!(matches!(Fingerprint::of_json(&Scope::function("f"), &map), Err(Error::NoJson)));
    }
}
