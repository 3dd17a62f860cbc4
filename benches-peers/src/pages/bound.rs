//! What ours is held to beside each peer, and whether it keeps it.

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use crate::sample::Sample;

/// A figure of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Figure {
    ServerCpu,
    P99,
    PerSecond,
}

/// A bound for ours ÷ peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) peer: Entry,
    pub(crate) figure: Figure,
    /// At least this many requests per second, or at most this much of what is spent; `None` where only the ratio is of interest.
    pub(crate) limit: Option<f64>,
}

/// Bounds of small pages.
pub(crate) const SMALL: &[Bound] = &[
    held(Entry::Nginx, Figure::ServerCpu, 0.8),
    shown(Entry::NginxSendfile, Figure::ServerCpu),
    held(Entry::Varnish, Figure::ServerCpu, 0.5),
    held(Entry::BareHyper, Figure::ServerCpu, 1.35),
    held(Entry::Nginx, Figure::P99, 1.0),
    held(Entry::Next, Figure::PerSecond, 30.0),
];

/// Bounds of large pages, where most of the cost is the kernel's.
pub(crate) const LARGE: &[Bound] = &[
    held(Entry::Nginx, Figure::ServerCpu, 0.8),
    shown(Entry::NginxSendfile, Figure::ServerCpu),
    shown(Entry::Varnish, Figure::ServerCpu),
    shown(Entry::BareHyper, Figure::ServerCpu),
    held(Entry::Nginx, Figure::P99, 1.0),
    held(Entry::Next, Figure::PerSecond, 30.0),
];

const fn held(peer: Entry, figure: Figure, limit: f64) -> Bound {
    Bound { peer, figure, limit: Some(limit) }
}

const fn shown(peer: Entry, figure: Figure) -> Bound {
    Bound { peer, figure, limit: None }
}

/// Ours beside a peer in one figure.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) peer: String,
    pub(crate) figure: Figure,
    /// Ours ÷ peer, the median of the rounds' ratios.
    pub(crate) ratio: f64,
    pub(crate) limit: Option<f64>,
}

impl Verdict {
    /// Whether the bound is kept, if there is one.
    pub(crate) fn is_kept(&self) -> Option<bool> {
        self.limit.map(|limit| self.figure.keeps(self.ratio, limit))
    }
}

impl Figure {
    /// The figure of a round.
    pub(crate) fn of(self) -> fn(&Sample) -> f64 {
        match self {
            Self::ServerCpu => |sample| sample.server_cpu_us,
            Self::P99 => |sample| sample.p99_us,
            Self::PerSecond => |sample| sample.per_second,
        }
    }

    /// As it stands in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ServerCpu => "server CPU per request",
            Self::P99 => "p99",
            Self::PerSecond => "requests per second",
        }
    }

    /// A bound as it stands in the table.
    pub(crate) fn limit_text(self, limit: f64) -> String {
        let sign = if self == Self::PerSecond { '≥' } else { '≤' };
        format!("{sign} {limit}")
    }

    fn keeps(self, ratio: f64, limit: f64) -> bool {
        if self == Self::PerSecond { ratio >= limit } else { ratio <= limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_have_an_upper_bound_and_rates_a_lower_one() {
        let is_kept =
            |figure, ratio, limit| Verdict { peer: "nginx".to_owned(), figure, ratio, limit }.is_kept();
        assert_eq!(is_kept(Figure::ServerCpu, 0.8, Some(0.8)), Some(true));
        assert_eq!(is_kept(Figure::P99, 1.1, Some(1.0)), Some(false));
        assert_eq!(is_kept(Figure::PerSecond, 31.0, Some(30.0)), Some(true));
        assert_eq!(is_kept(Figure::PerSecond, 29.0, Some(30.0)), Some(false));
        assert_eq!(is_kept(Figure::ServerCpu, f64::NAN, Some(0.8)), Some(false));
        assert_eq!(is_kept(Figure::ServerCpu, 9.0, None), None);
    }
}
