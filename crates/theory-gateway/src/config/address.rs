//! Addresses that are listened on, and networks that are trusted, as people write them.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

use super::form::Word;

/// An address to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address(pub(super) SocketAddr);

impl Word for Address {
    fn word(text: &str) -> Result<Self, String> {
        // The one name that means the same address everywhere.
        let address = match text.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => text.to_owned(),
        };
        address.parse().map(Self).map_err(|_| {
            let port = text.rsplit(':').next().and_then(|port| port.parse::<u16>().ok()).unwrap_or(8080);
            format!(
                "write an address and a port: `127.0.0.1:{port}` for this machine only, `0.0.0.0:{port}` for all"
            )
        })
    }

    fn written(&self) -> String {
        self.0.to_string()
    }
}

/// An address to listen on, and what is spoken there, if that is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Door {
    pub(super) address: Address,
    pub(super) tls: Option<bool>,
}

impl Word for Door {
    fn word(text: &str) -> Result<Self, String> {
        let (tls, address) = match text.split_once("://") {
            Some(("http", rest)) => (Some(false), rest),
            Some(("https", rest)) => (Some(true), rest),
            Some(_) => return Err("write `http://`, `https://` or nothing before an address".to_owned()),
            None => (None, text),
        };
        Ok(Self { address: Address::word(address.trim_end_matches('/'))?, tls })
    }

    fn written(&self) -> String {
        let scheme = match self.tls {
            Some(true) => "https://",
            Some(false) => "http://",
            None => "",
        };
        format!("{scheme}{}", self.address.0)
    }
}

/// Where operators reach it, or that they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdminDoor {
    Off,
    At(Address),
}

impl Word for AdminDoor {
    fn word(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            address => Address::word(address).map(Self::At).map_err(|advice| format!("{advice}, or `off`")),
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::At(address) => address.written(),
        }
    }
}

/// A network, or a single address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network(pub(super) IpNet);

impl Word for Network {
    fn word(text: &str) -> Result<Self, String> {
        let network = match text.parse::<IpAddr>() {
            Ok(address) => Some(IpNet::from(address)),
            Err(_) => text.parse().ok(),
        };
        network
            .map(Self)
            .ok_or_else(|| "write an address or a network, such as `10.0.0.1` or `10.0.0.0/8`".to_owned())
    }

    fn written(&self) -> String {
        match self.0.prefix_len() == self.0.max_prefix_len() {
            true => self.0.addr().to_string(),
            false => self.0.to_string(),
        }
    }
}
