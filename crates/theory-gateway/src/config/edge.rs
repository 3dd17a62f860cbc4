//! What is borne from clients.

use super::form::Count;
use super::scope::Scope;
use super::section::Section;
use super::size::Size;
use super::span::Patience;
use crate::settings::EdgeLimits;

const CONNECTIONS_MAX: u32 = 1_000_000;

/// What is borne from clients.
pub(super) fn read(top: &Section<'_>) -> EdgeLimits {
    let limits = top.table("limits", Scope::Limits);
    let default = EdgeLimits::default();
    let time = |key, default| limits.or(key, Patience(default)).0;
    let connections = |key, default: usize| {
        let default = u32::try_from(default).unwrap_or(CONNECTIONS_MAX);
        limits.or(key, Count::<1, CONNECTIONS_MAX>(default)).0 as usize
    };
    let edge = EdgeLimits {
        // The server's buffer is never smaller.
        head_bytes_max: limits.or("head_max", Size::<8192>(default.head_bytes_max as u64)).bytes(),
        headers_max: limits.or("headers_max", Count::<1, 10_000>(100)).0 as usize,
        uri_bytes_max: limits.or("uri_max", Size::<256>(default.uri_bytes_max as u64)).bytes(),
        body_bytes_max: limits.or("body_max", Size::<0>(default.body_bytes_max)).0,
        head_wait: time("head_timeout", default.head_wait),
        body_wait: time("body_timeout", default.body_wait),
        body_rate_min: limits.or("body_rate_min", Size::<0>(default.body_rate_min)).0,
        write_wait: time("write_timeout", default.write_wait),
        connections_max: connections("connections_max", default.connections_max),
        connections_per_address_max: connections(
            "connections_per_address_max",
            default.connections_per_address_max,
        ),
        streams_max: limits.or("streams_max", Count::<1, 1000>(default.streams_max)).0,
        drain_max: time("drain_timeout", default.drain_max),
    };
    if edge.uri_bytes_max > edge.head_bytes_max {
        limits.refuse(
            "uri_max",
            "is larger than `head_max`, which the path is a part of: make one of them fit",
        );
    }
    edge
}
