//! Which addresses a name may lead to. What is written down as an address is what was meant; a name can be made to lead anywhere,
//! and must not lead to the services that machines offer to themselves.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The addresses of a host, those that it may have.
pub(super) async fn resolve(host: &str, port: u16, allow_private: bool) -> io::Result<Vec<SocketAddr>> {
    if let Some(address) = literal(host) {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
    allowed(found, allow_private)
}

/// The address a host is, if it is one. Brackets around an address of version 6 are its form in a URI.
fn literal(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    bare.parse().ok()
}

fn allowed(found: Vec<SocketAddr>, allow_private: bool) -> io::Result<Vec<SocketAddr>> {
    let allowed: Vec<_> =
        found.iter().copied().filter(|address| is_allowed(address.ip(), allow_private)).collect();
    if !allowed.is_empty() {
        return Ok(allowed);
    }
    let why =
        if found.is_empty() { "the name has no address" } else { "the name leads to refused addresses" };
    Err(io::Error::new(io::ErrorKind::AddrNotAvailable, why))
}

fn is_allowed(address: IpAddr, allow_private: bool) -> bool {
    let reach = match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => embedded_v4(address).map_or_else(|| reach_v6(address), reach_v4),
    };
    match reach {
        Reach::Public => true,
        Reach::Private => allow_private,
        Reach::Never => false,
    }
}

/// What an address leads to.
enum Reach {
    Public,
    /// This machine, or the networks of its owner.
    Private,
    /// The services of a cloud for its own machines, and what no application can have.
    Never,
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    // The metadata services that do not lie in the link-local network: Azure, Oracle, Alibaba.
    const METADATA: [Ipv4Addr; 3] =
        [Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192), Ipv4Addr::new(100, 100, 100, 200)];
    let [first, second, ..] = address.octets();
    if address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || first == 0
        || METADATA.contains(&address)
    {
        Reach::Never
    } else if address.is_loopback() || address.is_private() || (first == 100 && second & 0xc0 == 64) {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    // The metadata service of AWS, which lies in a network that is otherwise private.
    const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    if address.is_unspecified()
        || address.is_multicast()
        || address.is_unicast_link_local()
        || address == METADATA
    {
        Reach::Never
    } else if address.is_loopback() || address.is_unique_local() {
        Reach::Private
    } else {
        Reach::Public
    }
}

/// The address of version 4 that one of version 6 stands for: mapped, or behind a translator (NAT64, 6to4).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let octets = address.octets();
    let at =
        |start: usize| Ipv4Addr::new(octets[start], octets[start + 1], octets[start + 2], octets[start + 3]);
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => Some(at(12)),
        [0x2002, ..] => Some(at(2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, is_allowed_at_all: bool, is_allowed_without_private: bool) {
        let address: IpAddr = address.parse().unwrap();
        assert_eq!(is_allowed(address, true), is_allowed_at_all, "{address}");
        assert_eq!(is_allowed(address, false), is_allowed_without_private, "{address}, private ones refused");
    }

    #[test]
    fn names_lead_to_public_addresses_and_to_private_ones_where_that_is_meant() {
        check("93.184.216.34", true, true);
        check("2606:2800:220:1::1", true, true);
        for private in ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1"]
        {
            check(private, true, false);
        }
    }

    #[test]
    fn names_never_lead_to_the_services_of_a_cloud_for_its_machines() {
        for never in [
            "169.254.169.254",
            "169.254.170.2",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fe80::1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "ff02::1",
            "255.255.255.255",
        ] {
            check(never, false, false);
        }
    }

    #[test]
    fn one_refused_address_among_others_is_left_out() {
        let found = ["169.254.169.254:80", "93.184.216.34:80"].map(|text| text.parse().unwrap());
        assert_eq!(allowed(found.to_vec(), true).unwrap(), &found[1..]);
        assert!(allowed(found[..1].to_vec(), true).is_err());
        assert!(allowed(Vec::new(), true).is_err());
    }

    #[tokio::test]
    async fn an_address_that_is_written_down_is_what_was_meant() {
        for (host, address) in [("127.0.0.1", "127.0.0.1:80"), ("[::1]", "[::1]:80")] {
            assert_eq!(resolve(host, 80, false).await.unwrap(), [address.parse().unwrap()]);
        }
    }
}
