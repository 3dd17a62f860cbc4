//! The `Authorization` header: who signs, for what scope, over which headers, with what result. Only its form is checked
//! here; whether it holds is the verifier's business.

use super::refusal::{Incomplete, Missing, Refusal};

/// The one algorithm there is.
pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// What every scope ends in.
pub(super) const TERMINATOR: &str = "aws4_request";

/// The header, taken apart. Which of its parts are missing is said only once the date has been looked for too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Authorization<'a> {
    algorithm: &'a str,
    credential: Option<&'a str>,
    signed_headers: Option<&'a str>,
    signature: Option<&'a str>,
}

/// The header with everything in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Complete<'a> {
    algorithm: &'a str,
    credential: &'a str,
    pub(super) signed_headers: &'a str,
    pub(super) signature: &'a str,
}

/// Who signs, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Credential<'a> {
    pub(super) access_key: &'a str,
    pub(super) day: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    pub(super) terminator: &'a str,
}

impl<'a> Authorization<'a> {
    /// Takes the header's value apart.
    ///
    /// The list is read strictly: pairs divided by one comma and any number of spaces, known keys only, each once. Every
    /// SDK writes it so, and a lax reader is one that an attacker and a proxy may understand differently.
    pub(super) fn parse(value: &'a [u8]) -> Result<Self, Refusal> {
        // Another scheme (Basic, Bearer, the older AWS signatures) is to the service as if there were no header.
        if !value.starts_with(b"AWS4-") {
            return Err(Refusal::MissingAuthenticationToken);
        }
        let text = std::str::from_utf8(value).map_err(|_| Incomplete::Parameter)?;
        let (algorithm, list) = text.split_once(' ').unwrap_or((text, ""));
        let mut authorization = Self { algorithm, ..Self::default() };
        if list.trim_matches(' ').is_empty() {
            return Ok(authorization);
        }
        for pair in list.split(',') {
            let (key, value) = pair.trim_matches(' ').split_once('=').ok_or(Incomplete::Parameter)?;
            let place = match key {
                "Credential" => &mut authorization.credential,
                "SignedHeaders" => &mut authorization.signed_headers,
                "Signature" => &mut authorization.signature,
                _ => return Err(Incomplete::Parameter.into()),
            };
            if place.replace(value).is_some() {
                return Err(Incomplete::ParameterTwice.into());
            }
        }
        Ok(authorization)
    }

    /// The header, if nothing is missing from it or from its company: the date has to be there too.
    pub(super) fn complete<D>(self, date: Option<D>) -> Result<(Complete<'a>, D), Incomplete> {
        let full = |part: Option<&'a str>| part.filter(|value| !value.is_empty());
        match (full(self.credential), full(self.signed_headers), full(self.signature), date) {
            (Some(credential), Some(signed_headers), Some(signature), Some(date)) => {
                Ok((Complete { algorithm: self.algorithm, credential, signed_headers, signature }, date))
            }
            (credential, signed_headers, signature, date) => Err(Incomplete::Missing(Missing {
                credential: credential.is_none(),
                signature: signature.is_none(),
                signed_headers: signed_headers.is_none(),
                date: date.is_none(),
            })),
        }
    }
}

impl<'a> Complete<'a> {
    /// The credential's five elements, provided that the algorithm is ours.
    pub(super) fn credential(&self) -> Result<Credential<'a>, Incomplete> {
        if self.algorithm != ALGORITHM {
            return Err(Incomplete::Algorithm);
        }
        let mut elements = self.credential.split('/');
        let mut next = || elements.next().ok_or(Incomplete::Credential);
        let credential = Credential {
            access_key: next()?,
            day: next()?,
            region: next()?,
            service: next()?,
            terminator: next()?,
        };
        if elements.next().is_some() { Err(Incomplete::Credential) } else { Ok(credential) }
    }
}
