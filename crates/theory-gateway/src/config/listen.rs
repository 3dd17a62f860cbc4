//! Where it listens, and with which certificate.

use std::collections::BTreeSet;

use super::address::{Address, Door};
use super::form::{List, Word};
use super::scope::Scope;
use super::section::Section;
use crate::settings::{Certificate, Listen};

/// Where it listens.
pub(super) fn read(top: &Section<'_>) -> Vec<Listen> {
    let certificate = certificate(top);
    let default = Door::word("127.0.0.1:8080").expect("the default is an address");
    let List(doors) = top.or("listen", List(vec![default]));
    if doors.is_empty() {
        top.refuse("listen", "is empty, and nobody would be served: write at least one address");
    }
    let mut seen = BTreeSet::new();
    let mut listen = Vec::new();
    for Door { address: Address(address), tls } in doors {
        if address.port() != 0 && !seen.insert(address) {
            top.refuse("listen", format!("has {address} twice: leave one out"));
        }
        if tls == Some(true) && certificate.is_none() {
            top.refuse(
                "listen",
                format!("has https://{address} and there is no certificate: give [tls] cert and key"),
            );
        }
        let certificate = if tls == Some(false) { None } else { certificate.clone() };
        listen.push(Listen { address, certificate });
    }
    if certificate.is_some() && !listen.is_empty() && listen.iter().all(|listen| listen.certificate.is_none())
    {
        top.refuse("listen", "speaks no TLS anywhere, and there is a certificate: write `https://` before an address, or leave [tls] out");
    }
    listen
}

fn certificate(top: &Section<'_>) -> Option<Certificate> {
    let tls = top.table("tls", Scope::Tls);
    match (tls.path("cert"), tls.path("key")) {
        (Some((chain, _)), Some((key, _))) => Some(Certificate { chain, key }),
        (None, None) if !tls.is_written() => None,
        (Some(_), None) => {
            tls.refuse("key", "is missing: a certificate needs its private key");
            None
        }
        _ => {
            tls.refuse("cert", "is missing: a private key needs its certificate");
            None
        }
    }
}
