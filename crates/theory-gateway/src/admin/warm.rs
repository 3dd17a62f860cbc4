//! Visiting pages before visitors do: one line of JSON for each as it is done. Whoever stops listening stops it.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::change::note;
use super::components::Components;
use super::problem::Problem;

/// So many pages are visited at once.
const AT_ONCE: usize = 4;
/// No list is longer.
const URLS_MAX: usize = 50_000;

/// Which pages: a list, or what a sitemap of the application names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedPages {
    urls: Option<Vec<String>>,
    sitemap: Option<String>,
}

/// `POST /api/pages/warm`
pub(super) async fn warm(
    parts: &Arc<Components>,
    wanted: WantedPages,
) -> Result<impl Stream<Item = Bytes> + Send + 'static, Problem> {
    let urls = match (wanted.urls, wanted.sitemap) {
        (Some(urls), None) => urls,
        (None, Some(sitemap)) => {
            let named = parts.backstage.sitemap(&sitemap).await;
            named.map_err(|why| Problem::bad(format!("the sitemap names no pages: {why}")))?
        }
        _ => {
            return Err(Problem::bad(
                "say which pages: `urls`, a list of addresses, or `sitemap`, the address of one",
            ));
        }
    };
    if urls.is_empty() || urls.len() > URLS_MAX {
        return Err(Problem::bad(format!(
            "there are {} addresses; 1 to {URLS_MAX} can be warmed at once",
            urls.len()
        )));
    }
    note(parts, "warm", &format!("{} pages", urls.len()), "");
    let (parts, total) = (Arc::clone(parts), urls.len());
    let visited = stream::iter(urls).map(move |url| {
        let parts = Arc::clone(&parts);
        async move {
            let started = Instant::now();
            let (outcome, why) = match parts.backstage.warm(&url).await {
                Ok(state) => (state.as_str(), None),
                Err(why) => ("failed", Some(why)),
            };
            (url, outcome, why, started.elapsed().as_millis())
        }
    });
    let done = visited.buffer_unordered(AT_ONCE).enumerate();
    Ok(done.map(move |(place, (url, outcome, why, ms))| {
        let line = json!({
            "url": url, "outcome": outcome, "why": why, "ms": u64::try_from(ms).unwrap_or(u64::MAX),
            "done": place + 1, "total": total,
        });
        Bytes::from(format!("{line}\n"))
    }))
}
