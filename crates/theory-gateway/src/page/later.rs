//! What is to be done beside an answer, and what is remembered of addresses that give no pages.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use facetheory::{Error, Page, PageKey, Regenerated, Regeneration, Served, Visit};
use quick_cache::sync::Cache;
use tokio::time::Instant;

/// For so long what the application gave at an address, and could not be kept, is not asked for as a page again.
const STREAMED_FOR: Duration = Duration::from_secs(60);

/// Of so many addresses it is known that they give no pages.
const STREAMED_MAX: usize = 4_096;

/// A page that was served, and is to be rendered again. Dropped, it is left to the next visitor.
#[must_use = "a page is rendered again only if somebody runs this"]
pub struct Later {
    visit: Visit,
    page: Arc<Page>,
    regeneration: Regeneration,
    streamed: Streamed,
}

impl Later {
    pub(super) fn of(visit: &Visit, served: &mut Served, streamed: &Streamed) -> Option<Self> {
        let regeneration = served.later.take()?;
        let (visit, page) = (visit.clone(), Arc::clone(&served.page));
        Some(Self { visit, page, regeneration, streamed: streamed.clone() })
    }

    /// The visit that found the page stale.
    #[must_use]
    pub fn visit(&self) -> &Visit {
        &self.visit
    }

    /// The page as it was served.
    #[must_use]
    pub fn page(&self) -> &Arc<Page> {
        &self.page
    }

    /// Renders it.
    pub async fn run(self) -> Regenerated {
        let Self { visit, regeneration, streamed, .. } = self;
        let regenerated = regeneration.run().await;
        if regenerated == Regenerated::Unkeepable {
            streamed.note(visit.key());
        }
        regenerated
    }
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later").field("visit", &self.visit).finish_non_exhaustive()
    }
}

/// Addresses whose last answer was no page, and until when that is believed. Clones remember together.
#[derive(Clone)]
pub(super) struct Streamed(Arc<Cache<PageKey, Instant>>);

impl Default for Streamed {
    fn default() -> Self {
        Self(Arc::new(Cache::new(STREAMED_MAX)))
    }
}

impl Streamed {
    pub(super) fn is_known(&self, page: &PageKey) -> bool {
        self.0.get(page).is_some_and(|until| Instant::now() < until)
    }

    /// What was served, after a look at whether it was a page at all.
    pub(super) fn noted(&self, visit: &Visit, served: Result<Served, Error>) -> Result<Served, Error> {
        if matches!(&served, Err(Error::Render(reason)) if reason.is_unkeepable()) {
            self.note(visit.key());
        }
        served
    }

    pub(super) fn forget(&self) {
        self.0.clear();
    }

    fn note(&self, page: &PageKey) {
        self.0.insert(page.clone(), Instant::now() + STREAMED_FOR);
    }
}
