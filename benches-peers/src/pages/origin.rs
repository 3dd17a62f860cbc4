//! The child that is the origin of all caches: it renders any page after a pause, says for how long it is fresh, and counts.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::{Request, Response, StatusCode};

use super::body::body;
use super::page::get;
use crate::accept::{self, Site};
use crate::server::Server;

/// The first argument of the child.
pub(crate) const ORIGIN: &str = "--page-origin";

const COUNT: &str = "/count";
const PAGES: &str = "/pages/";

/// The running child.
#[derive(Debug)]
pub(crate) struct Origin(Server);

impl Origin {
    /// Starts it: pages are fresh for so many seconds, and a render takes so long.
    pub(crate) fn start(home: &Path, fresh_s: u64, pause: Duration) -> Result<Self> {
        let own = std::env::current_exe()?;
        let server = Server::start(home, &get(COUNT), |address| {
            let mut command = Command::new(own);
            let numbers = [u128::from(address.port()), u128::from(fresh_s), pause.as_millis()];
            command.arg(ORIGIN).args(numbers.map(|number| number.to_string()));
            Ok(command)
        });
        Ok(Self(server.context("cannot start the origin")?))
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.0.address().port()
    }

    /// How many pages it has rendered.
    pub(crate) fn renders(&self) -> Result<u64> {
        let count = self.0.call(&get(COUNT))?;
        str::from_utf8(&count)?.parse().context("the origin counts")
    }
}

/// What the child does.
pub(crate) fn origin_main(words: &[String]) -> Result<()> {
    let [port, fresh_s, pause_ms] = words else { bail!("{ORIGIN} wants a port, seconds and milliseconds") };
    let fresh_s: u64 = fresh_s.parse().context("seconds are a number")?;
    let pause = Duration::from_millis(pause_ms.parse().context("milliseconds are a number")?);
    // Caches may serve a stale page while they render it, as everybody here is told to.
    let cache_control = format!("public, s-maxage={fresh_s}, stale-while-revalidate=600").try_into()?;
    accept::serve(port, Renderer { cache_control, pause, renders: AtomicU64::new(0) })
}

/// The page behind `bytes` or `bytes-key`, if it is one.
fn render(name: &str) -> Option<Bytes> {
    let (bytes, key) = name.split_once('-').unwrap_or((name, ""));
    let mut text = body(bytes.parse().ok()?);
    text.get_mut(..key.len())?.copy_from_slice(key.as_bytes());
    Some(Bytes::from(text))
}

struct Renderer {
    cache_control: HeaderValue,
    pause: Duration,
    renders: AtomicU64,
}

impl Site for Renderer {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        if path == COUNT {
            let renders = self.renders.load(Ordering::SeqCst);
            return Response::new(Full::from(renders.to_string()));
        }
        let Some(body) = path.strip_prefix(PAGES).and_then(render) else {
            let mut answer = Response::new(Full::default());
            *answer.status_mut() = StatusCode::NOT_FOUND;
            return answer;
        };
        self.renders.fetch_add(1, Ordering::SeqCst);
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        accept::html(body, &self.cache_control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_with_its_key_if_it_has_one() {
        assert_eq!(render("64").expect("a page"), body(64));
        let page = render("64-00000007").expect("a page");
        assert!(page.starts_with(b"00000007") && page.len() == 64);
        assert!(render("4-00000007").is_none() && render("many").is_none());
    }
}
