//! The clock, compared with that of a server elsewhere. Leases and freshness go by clocks, and AWS refuses signatures of a clock that
//! is wrong by minutes.

use http::Uri;
use tabletheory_core::Timestamp;
use theory_gateway::settings::{BodyPlace, Settings, StorePlace};

use super::finding::Finding;
use super::{origin, server};
use crate::output::amount;

/// A second is lost in the header, and some of one on the way.
const OFF_GOOD_MS: i64 = 3000;
/// AWS bears five minutes.
const OFF_MAX_MS: i64 = 240_000;

/// Compares clocks.
pub(super) async fn examine(settings: &Settings) -> Finding {
    for uri in servers(settings).iter().filter(|uri| !server::is_local(uri)) {
        if let Ok(answered) = server::ask(uri, None).await
            && let Some((theirs, ours)) = answered.clocks
        {
            return judge(uri.host().unwrap_or_default(), theirs, ours);
        }
    }
    Finding::unknown("clock", "there is no server on another machine to compare it with")
}

/// Servers that tell the time with their answers, the most trusted first.
fn servers(settings: &Settings) -> Vec<Uri> {
    let mut found: Vec<Option<Uri>> = Vec::new();
    if let StorePlace::DynamoDb { endpoint, region } = &settings.store {
        found.push(service("dynamodb", endpoint.as_deref(), region.as_deref()));
    }
    if let BodyPlace::S3 { endpoint, region, .. } = &settings.bodies {
        found.push(service("s3", endpoint.as_deref(), region.as_deref()));
    }
    found.extend(settings.sites.iter().map(|site| origin::address(&site.origin.uri, "/")));
    found.into_iter().flatten().collect()
}

fn service(name: &str, endpoint: Option<&str>, region: Option<&str>) -> Option<Uri> {
    let variable = || std::env::var("AWS_REGION").or_else(|_| std::env::var("AWS_DEFAULT_REGION")).ok();
    let region = region.map(str::to_owned).or_else(variable);
    match (endpoint, region) {
        (Some(endpoint), _) => endpoint.parse().ok(),
        (None, Some(region)) => format!("https://{name}.{region}.amazonaws.com/").parse().ok(),
        (None, None) => None,
    }
}

fn judge(host: &str, theirs: Timestamp, ours: Timestamp) -> Finding {
    let off = ours.millis().saturating_sub(theirs.millis());
    let side = if off > 0 { "ahead of" } else { "behind" };
    let text = format!("{} {side} that of {host}", amount::span(off.unsigned_abs() / 1000));
    let advice = "set it by NTP (`timedatectl set-ntp true`)";
    match off.abs() {
        0..OFF_GOOD_MS => Finding::ok("clock", format!("as that of {host}")),
        OFF_GOOD_MS..OFF_MAX_MS => {
            Finding::warn("clock", text, format!("{advice}: pages grow stale too early or too late"))
        }
        _ => Finding::fail(
            "clock",
            text,
            format!("{advice}: AWS refuses requests that are signed at a wrong time"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_right_doubtful_or_wrong() {
        let check = |ours_ms: i64| {
            let found =
                judge("there", Timestamp::from_millis(1_000_000), Timestamp::from_millis(ours_ms)).json();
            (found["verdict"].as_str().unwrap().to_owned(), found["text"].as_str().unwrap().to_owned())
        };
        assert_eq!(check(1_001_500), ("ok".to_owned(), "as that of there".to_owned()));
        assert_eq!(check(990_000), ("warn".to_owned(), "10s behind that of there".to_owned()));
        assert_eq!(check(1_300_000), ("fail".to_owned(), "5m ahead of that of there".to_owned()));
    }
}
