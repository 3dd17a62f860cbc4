//! The application behind a site, played by servers that behave well and by ones that do not.

mod front;
pub(crate) mod raw;

mod body;
mod framing;
mod headers;
mod health;
mod noise;
mod patience;
mod reuse;
mod secure;
mod stream;
mod upgrade;

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Uri};
use http_body_util::{BodyExt, Full};
use theory_gateway::origin::{OriginBody, OriginError};
use theory_gateway::settings::OriginSettings;

/// The settings for an origin at this address. Their patience is more than a machine that stands still for a while uses up; a test of
/// patience has its own.
fn settings(address: SocketAddr) -> OriginSettings {
    let uri = Uri::try_from(format!("http://{address}")).unwrap();
    let mut settings = OriginSettings::new(uri);
    settings.connect_wait = Duration::from_secs(30);
    settings.head_wait = Duration::from_secs(10);
    settings.body_wait = Duration::from_secs(10);
    settings
}

fn get(path: &str) -> Request<()> {
    Request::get(path).body(()).unwrap()
}

fn post(path: &str, body: &'static str) -> Request<Full<Bytes>> {
    Request::post(path).body(Full::from(body)).unwrap()
}

async fn text(body: OriginBody) -> Result<String, OriginError> {
    Ok(String::from_utf8(body.collect().await?.to_bytes().to_vec()).unwrap())
}
