//! The address of a client: the socket's, or what trusted proxies say it is. Of `X-Forwarded-For` only the right end is read,
//! which they wrote; its left end is whatever a client likes to send.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use http::HeaderMap;
use http::request::Parts;
use ipnet::{IpNet, Ipv6Net};

use crate::error::Error;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// A household or a server has a network of this size at least, and changes its address inside of it as it likes.
const V6_PREFIX: u8 = 64;

/// How the address of a client is found, and how wide a net counts as one client.
///
/// The socket's address is an extension of the request: a [`SocketAddr`], an [`IpAddr`], or whatever
/// [`ClientAddress::with_peer`] finds. IPv6 addresses count by their /64, and IPv4 addresses in IPv6 clothes as what they are.
///
/// ```
/// use std::net::SocketAddr;
/// use limited::ClientAddress;
///
/// let request = http::Request::builder()
///     .header("x-forwarded-for", "1.1.1.1, 203.0.113.7")
///     .extension(SocketAddr::from(([10, 0, 0, 2], 4711)));
/// let (parts, ()) = request.body(())?.into_parts();
/// let of = |rule: ClientAddress| rule.identifier(&parts).expect("the socket is known");
///
/// assert_eq!(of(ClientAddress::socket()), "ip:10.0.0.2");
/// assert_eq!(of(ClientAddress::behind_hops(1)), "ip:203.0.113.7");
/// assert_eq!(of(ClientAddress::behind_networks(["10.0.0.0/8".parse()?])), "ip:203.0.113.7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ClientAddress {
    trust: Trust,
    v6_prefix: u8,
    peer: Arc<Peer>,
}

type Peer = dyn Fn(&Parts) -> Option<IpAddr> + Send + Sync;

/// Who is believed about whom they were called by.
#[derive(Debug, Clone)]
enum Trust {
    Nobody,
    Hops(u8),
    Networks(Arc<[IpNet]>),
}

impl ClientAddress {
    /// The socket's address. Behind a proxy that is the proxy's, for everyone.
    #[must_use]
    pub fn socket() -> Self {
        Self { trust: Trust::Nobody, v6_prefix: V6_PREFIX, peer: Arc::new(extension) }
    }

    /// Behind so many proxies in a row, each of which adds the address that called it to `X-Forwarded-For`. The client's is that
    /// many entries from the right. Right only while nobody can reach the service past the proxies.
    #[must_use]
    pub fn behind_hops(hops: u8) -> Self {
        Self { trust: Trust::Hops(hops), ..Self::socket() }
    }

    /// Behind proxies in these networks. The client's address is the first from the right that is in none of them, if the socket's
    /// is in one.
    #[must_use]
    pub fn behind_networks(networks: impl IntoIterator<Item = IpNet>) -> Self {
        Self { trust: Trust::Networks(networks.into_iter().collect()), ..Self::socket() }
    }

    /// Counts IPv6 addresses by a net of this length.
    ///
    /// ```
    /// # use limited::ClientAddress;
    /// assert!(ClientAddress::socket().with_v6_prefix(56).is_ok());
    /// assert!(ClientAddress::socket().with_v6_prefix(129).is_err());
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] if the length is not 1 to 128.
    pub fn with_v6_prefix(mut self, length: u8) -> Result<Self, Error> {
        if !(1..=128).contains(&length) {
            return Err(Error::Setting { name: "v6_prefix", reason: "it is not 1 to 128" });
        }
        self.v6_prefix = length;
        Ok(self)
    }

    /// Finds the socket's address in another place. With axum that is
    /// `|parts| parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())`.
    ///
    /// ```
    /// # use limited::ClientAddress;
    /// use std::net::IpAddr;
    ///
    /// #[derive(Clone)]
    /// struct Connection { peer: IpAddr }
    ///
    /// let address = ClientAddress::socket().with_peer(|parts| Some(parts.extensions.get::<Connection>()?.peer));
    /// let connection = Connection { peer: IpAddr::from([192, 0, 2, 1]) };
    /// let (parts, ()) = http::Request::builder().extension(connection).body(())?.into_parts();
    /// assert_eq!(address.identifier(&parts).as_deref(), Some("ip:192.0.2.1"));
    /// # Ok::<(), http::Error>(())
    /// ```
    #[must_use]
    pub fn with_peer(mut self, peer: impl Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static) -> Self {
        self.peer = Arc::new(peer);
        self
    }

    /// The client's address, if it is known.
    #[must_use]
    pub fn find(&self, parts: &Parts) -> Option<IpAddr> {
        let peer = (self.peer)(parts).map(|address| address.to_canonical());
        match &self.trust {
            Trust::Nobody => peer,
            Trust::Hops(hops) => behind_hops(peer, &parts.headers, *hops),
            Trust::Networks(networks) => behind_networks(peer?, &parts.headers, networks),
        }
    }

    /// Whom the client is counted as: `ip:203.0.113.7`, or `ip:2001:db8:1:2::/64`.
    #[must_use]
    pub fn identifier(&self, parts: &Parts) -> Option<String> {
        self.find(parts).map(|address| identifier(address, self.v6_prefix))
    }
}

impl fmt::Debug for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientAddress")
            .field("trust", &self.trust)
            .field("v6_prefix", &self.v6_prefix)
            .finish_non_exhaustive()
    }
}

fn extension(parts: &Parts) -> Option<IpAddr> {
    let socket = parts.extensions.get::<SocketAddr>().map(SocketAddr::ip);
    socket.or_else(|| parts.extensions.get::<IpAddr>().copied())
}

/// Each hop vouches for one entry. Where one is missing or no address, the nearest that was vouched for counts.
fn behind_hops(peer: Option<IpAddr>, headers: &HeaderMap, hops: u8) -> Option<IpAddr> {
    let written = forwarded(headers).take(usize::from(hops));
    written.map_while(|entry| entry).last().or(peer)
}

/// An entry counts if the one to the right of it is a proxy of ours.
fn behind_networks(peer: IpAddr, headers: &HeaderMap, networks: &[IpNet]) -> Option<IpAddr> {
    let is_trusted = |address: &IpAddr| networks.iter().any(|network| network.contains(address));
    let mut client = peer;
    for entry in forwarded(headers) {
        match entry {
            Some(address) if is_trusted(&client) => client = address,
            _ => break,
        }
    }
    Some(client)
}

/// The entries of all lines of `X-Forwarded-For`, from the right. What is no address is `None`.
fn forwarded(headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
    let lines: Vec<_> = headers.get_all(FORWARDED_FOR).iter().collect();
    lines.into_iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b',')).map(entry)
}

/// An address as proxies write it: bare, in brackets, or with a port.
fn entry(bytes: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(bytes).ok()?.trim_matches([' ', '\t']);
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    let in_brackets = || {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse::<Ipv6Addr>().ok().map(IpAddr::from)
    };
    bare().or_else(with_port).or_else(in_brackets).map(|address| address.to_canonical())
}

fn identifier(address: IpAddr, v6_prefix: u8) -> String {
    match address {
        IpAddr::V4(address) => format!("ip:{address}"),
        IpAddr::V6(address) => match Ipv6Net::new(address, v6_prefix) {
            Ok(network) if v6_prefix < 128 => format!("ip:{}", network.trunc()),
            _ => format!("ip:{address}"),
        },
    }
}

#[cfg(test)]
mod tests;
