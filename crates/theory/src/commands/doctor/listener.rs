//! The addresses that a gateway listens on: taken by it, free, or taken by somebody else.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use http::Uri;
use theory_gateway::settings::Settings;

use super::finding::Finding;
use super::server::{self, Answered};

/// What was found at the admin listener's address.
pub(super) struct Admin {
    pub(super) finding: Option<Finding>,
    /// Whether a gateway answers there.
    pub(super) is_gateway: bool,
}

/// Asks the admin listener whether a gateway is there.
pub(super) async fn admin(settings: &Settings) -> Admin {
    let name = "admin";
    let Some(admin) = &settings.admin else {
        let finding = Finding::ok(name, "there is no admin listener, so commands cannot reach a gateway");
        return Admin { finding: Some(finding), is_gateway: false };
    };
    let address = reached(admin.listen);
    let asked = ask(address, "/api/overview").await;
    // Nobody else wants a token of this name.
    let is_gateway =
        |answered: &Answered| answered.challenge.as_deref().is_some_and(|said| said.contains("theory"));
    match asked {
        Ok(answered) if is_gateway(&answered) => {
            let finding = match ask(address, "/readyz").await {
                Ok(ready) if ready.status.is_success() => {
                    Finding::ok(name, format!("a gateway answers at {address} in {} ms", answered.took_ms))
                }
                _ => Finding::warn(
                    name,
                    format!("a gateway answers at {address}, and is not ready"),
                    format!("http://{address}/readyz says why"),
                ),
            };
            Admin { finding: Some(finding), is_gateway: true }
        }
        Ok(answered) => Admin {
            finding: Some(Finding::fail(
                name,
                format!("what listens at {address} answers {} as no gateway does", answered.status),
                "give the gateway another address with `admin.listen`, or stop what listens there",
            )),
            is_gateway: false,
        },
        // Whether the address can be had is found out by taking it.
        Err(_) => Admin { finding: Some(free(name, admin.listen)), is_gateway: false },
    }
}

async fn ask(address: SocketAddr, path: &str) -> Result<Answered, String> {
    let uri = Uri::builder().scheme("http").authority(address.to_string()).path_and_query(path).build();
    server::ask(&uri.map_err(|error| error.to_string())?, None).await
}

/// Looks at the addresses for clients. A running gateway has them.
pub(super) fn examine(settings: &Settings, is_running: bool) -> Vec<Finding> {
    let addresses = settings.listen.iter().map(|listen| listen.address);
    match is_running {
        true => Vec::new(),
        false => addresses.map(|address| free("listen", address)).collect(),
    }
}

/// Whether an address can be had. It is given back at once.
fn free(name: &str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::ok(name, format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Finding::fail(
            name,
            format!("{address} is taken by another program"),
            format!(
                "stop it, or give another address with `{}`",
                if name == "admin" { "admin.listen" } else { "listen" }
            ),
        ),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Finding::fail(
            name,
            format!("{address} may not be taken by this user"),
            "take a port from 1024 on, or give the binary the capability CAP_NET_BIND_SERVICE",
        ),
        Err(error) => Finding::fail(
            name,
            format!("{address} cannot be listened on: {error}"),
            "give an address of this machine",
        ),
    }
}

/// The address by which this machine reaches a listener of all addresses.
fn reached(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_free_or_taken() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        assert!(free("listen", address).is_failure());
        drop(taken);
        assert!(!free("listen", address).is_failure());
    }
}
