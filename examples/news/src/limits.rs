//! How often somebody may comment.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use http::request::Parts;
use limited::{ClientAddress, Error, Identity, Limiter, Policy, RateLimitLayer, RateLimitRule};

/// Five comments a minute from one address, all five at once if somebody has much to say.
pub(crate) fn comments(limiter: Limiter) -> Result<RateLimitLayer, Error> {
    let policy = Policy::new("comments", ["5/min burst 5".parse()?])?;
    // Behind a proxy this would be `ClientAddress::behind_networks`.
    let client = ClientAddress::socket().with_peer(peer);
    Ok(RateLimitLayer::new(limiter, client).rule(RateLimitRule::new(policy, Identity::address())))
}

/// Who is at the other end of the socket, as axum says it.
pub(crate) fn peer(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip())
}
