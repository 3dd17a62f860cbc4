//! How often somebody may call.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::request::Parts;
use limited::{ClientAddress, Error, Identity, Limiter, Missing, Policy, RateLimitLayer, RateLimitRule};

use crate::user::User;

/// By address, before anybody looks at keys: whoever guesses keys is bounded by this.
pub(crate) fn by_address(limiter: Limiter) -> Result<RateLimitLayer, Error> {
    let policy = Policy::new("address", ["50/s burst 100".parse()?])?;
    Ok(RateLimitLayer::new(limiter, client()).rule(RateLimitRule::new(policy, Identity::address())))
}

/// By user, with a quota for the day.
pub(crate) fn by_user(limiter: Limiter) -> Result<RateLimitLayer, Error> {
    let policy = Policy::new("user", ["5/s burst 30".parse()?, "10000/day quota".parse()?])?;
    let name = |parts: &Parts| parts.extensions.get::<User>().map(|User(name)| format!("user:{name}"));
    let identity = Identity::from_fn(Missing::Skip, name);
    Ok(RateLimitLayer::new(limiter, client()).rule(RateLimitRule::new(policy, identity)))
}

/// axum says who is at the other end of the socket. Behind a proxy this would be `ClientAddress::behind_networks`.
fn client() -> ClientAddress {
    ClientAddress::socket().with_peer(|parts| {
        parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip())
    })
}
