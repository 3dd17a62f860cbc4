//! Signing keys: what a secret becomes for one day, one region and one service. Deriving one takes four HMACs, so each
//! [`Principal`] remembers the few it used last.

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::authorization::TERMINATOR;
use super::credentials::Credentials;

/// HMAC-SHA256 with its key taken in.
pub(super) type Keyed = Hmac<Sha256>;

/// How many keys a principal remembers: two days around midnight, in a few regions.
const REMEMBERED: usize = 4;

/// One who may sign, with a memory of signing keys.
///
/// Each has a memory of its own. Whoever floods the endpoint with unknown access keys and invented regions makes only the
/// stand-in for unknown keys forget, not those that have work to do.
pub(super) struct Principal {
    access_key: String,
    /// The first step of the derivation, which depends on the secret alone. The secret itself is not kept.
    root: Keyed,
    remembered: RwLock<VecDeque<SigningKey>>,
}

struct SigningKey {
    day: [u8; 8],
    region: Box<str>,
    key: Keyed,
}

impl Principal {
    pub(super) fn new(credentials: &Credentials) -> Self {
        let root = keyed(format!("AWS4{}", credentials.secret_access_key).as_bytes());
        Self { access_key: credentials.access_key_id.clone(), root, remembered: RwLock::default() }
    }

    pub(super) fn access_key(&self) -> &str {
        &self.access_key
    }

    /// The signing key for a day and a region, remembered or derived. One principal serves one `service`.
    pub(super) fn signing_key(&self, day: [u8; 8], region: &str, service: &str) -> Keyed {
        if let Some(key) = self.recall(day, region) {
            return key;
        }
        let key = [region, service, TERMINATOR]
            .iter()
            .fold(step(self.root.clone(), &day), |key, element| step(key, element.as_bytes()));
        // Two requests may both miss and both store the key: that costs a place for a while, and no harm is done.
        let mut remembered = self.remembered.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() == REMEMBERED {
            remembered.pop_front();
        }
        remembered.push_back(SigningKey { day, region: region.into(), key: key.clone() });
        key
    }

    fn recall(&self, day: [u8; 8], region: &str) -> Option<Keyed> {
        let remembered = self.remembered.read().unwrap_or_else(PoisonError::into_inner);
        remembered
            .iter()
            .rfind(|known| known.day == day && *known.region == *region)
            .map(|known| known.key.clone())
    }
}

/// The next key of the chain: the HMAC of `element` under this one.
fn step(mut key: Keyed, element: &[u8]) -> Keyed {
    key.update(element);
    keyed(&key.finalize().into_bytes())
}

fn keyed(key: &[u8]) -> Keyed {
    Keyed::new_from_slice(key).expect("HMAC takes keys of any length")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(mut key: Keyed) -> [u8; 32] {
        key.update(b"text");
        key.finalize().into_bytes().into()
    }

    #[test]
    fn a_remembered_key_is_the_derived_one_and_belongs_to_its_day_and_region() {
        let credentials = Credentials::new("AKIDEXAMPLE", "secret");
        let principal = Principal::new(&credentials);
        let regions = ["a", "b", "c", "d", "e", "f"];
        for _ in 0..3 {
            for day in [*b"20260314", *b"20260315"] {
                for region in regions {
                    let fresh = Principal::new(&credentials).signing_key(day, region, "dynamodb");
                    for _ in 0..2 {
                        assert_eq!(tag(principal.signing_key(day, region, "dynamodb")), tag(fresh.clone()));
                    }
                }
            }
        }
    }

    #[test]
    fn no_more_than_a_few_keys_are_remembered() {
        let principal = Principal::new(&Credentials::new("AKIDEXAMPLE", "secret"));
        for number in 0..100 {
            let _ = principal.signing_key(*b"20260314", &format!("region-{number}"), "dynamodb");
            assert!(principal.remembered.read().unwrap().len() <= REMEMBERED);
        }
        assert!(principal.recall(*b"20260314", "region-99").is_some());
        assert!(principal.recall(*b"20260314", "region-1").is_none());
    }
}
