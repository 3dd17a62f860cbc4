//! A question to a server, and how long its answer took.

use std::time::Duration;

use bytes::Bytes;
use http::header::{DATE, HOST, USER_AGENT, WWW_AUTHENTICATE};
use http::{Request, StatusCode, Uri};
use http_body_util::Full;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, Timestamp};

use crate::http::{Client, Silence};

/// Nothing is waited for longer.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What a server answered.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) took_ms: i64,
    /// What it believes the time to be, and what this machine believed half way to the answer.
    pub(super) clocks: Option<(Timestamp, Timestamp)>,
    /// How it wants to be shown who asks.
    pub(super) challenge: Option<String>,
}

/// Asks for an address.
pub(super) async fn ask(uri: &Uri, host: Option<&str>) -> Result<Answered, String> {
    let client = uri
        .scheme()
        .ok_or("the address has no scheme")
        .map(Client::new)?
        .map_err(|error| format!("{error:#}"))?;
    let mut request =
        Request::get(uri).header(USER_AGENT, concat!("theory-doctor/", env!("CARGO_PKG_VERSION")));
    if let Some(host) = host {
        request = request.header(HOST, host);
    }
    let request = request.body(Full::new(Bytes::new())).map_err(|error| error.to_string())?;
    let before = SystemClock.now();
    let response = client.send(request, PATIENCE).await.map_err(|silence| match silence {
        Silence::NoConnection(reason) => format!("no connection ({reason})"),
        Silence::Slow(waited) => format!("no answer within {} s", waited.as_secs()),
        Silence::Broken(reason) => format!("no answer of HTTP ({reason})"),
    })?;
    let after = SystemClock.now();
    let middle = Timestamp::from_millis(before.millis() + (after.millis() - before.millis()) / 2);
    let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    let theirs = date.and_then(|date| httpdate::parse_http_date(date).ok()).and_then(|date| {
        let since = date.duration_since(std::time::UNIX_EPOCH).ok()?;
        // The header has whole seconds, cut off: half a second is the best guess at the rest.
        Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()? + 500))
    });
    let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|challenge| challenge.to_str().ok());
    Ok(Answered {
        status: response.status(),
        took_ms: after.millis() - before.millis(),
        clocks: theirs.map(|theirs| (theirs, middle)),
        challenge: challenge.map(str::to_owned),
    })
}

/// Whether an address leads to this machine, whose clock and disk are our own.
pub(super) fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
