//! What flights end with: reads, regenerations, watches and renders that are not kept.

use std::sync::Arc;

use tabletheory_core::Timestamp;

use crate::body::Body;
use crate::flight::Flight;
use crate::known::Known;
use crate::page::Page;
use crate::render::{RenderError, Rendered};

/// What a read ended with: nothing, if the store failed.
pub(crate) type Looked = Option<Arc<Known>>;

/// What a flight ended with.
#[derive(Debug, Clone)]
pub(crate) enum Flown {
    /// The page is rendered and published.
    Published(Arc<Page>, Body),
    /// Somebody else had published it.
    Found(Arc<Known>),
    /// It is rendered, and not kept: only who asked first may have it.
    Unkept(Arc<Rendered>, Timestamp),
    /// It is rendered, for everybody, and could not be stored or published.
    Unstored(Arc<Rendered>, Timestamp),
    /// Another process renders it.
    Busy(Timestamp),
    /// It failed before, and nobody tries again before this moment.
    NotYet(Timestamp),
    /// It failed, with the origin's answer if there was one.
    Failed(RenderError, Option<Arc<Rendered>>, Timestamp),
    /// The intent is under way elsewhere.
    InProgress(Option<Timestamp>),
    /// The intent was used with other inputs.
    Mismatch,
    /// The store failed.
    StoreFailed,
}

impl Flown {
    /// Whether there was a purge or another publish since its page was rendered, or read: this is known, and it did not know.
    pub(crate) fn is_older_than(&self, known: &Known) -> bool {
        match self {
            Self::Published(page, _) => known.is_newer_than(page),
            Self::Found(found) => known.knows_more_than(found),
            _ => false,
        }
    }
}

/// The work of one regeneration, which is to be done beside an answer. Dropped, it is left to the next visitor.
#[must_use = "a regeneration does nothing unless it is run"]
pub struct Regeneration {
    pub(crate) flight: Flight<Flown>,
}

/// What a regeneration came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Regenerated {
    /// The page is published.
    Published,
    /// Somebody else had published it, or does so now.
    LeftToOthers,
    /// The page was rendered and may not be kept.
    NotKept,
    /// The page was rendered and could not be stored or published: what was there stays.
    NotStored,
    /// What was made is too long, or has no end: it is no page.
    Unkeepable,
    /// The page could not be rendered, or the attempt is put off.
    Failed,
    /// The store failed.
    StoreFailed,
}

impl Regeneration {
    /// Does the work.
    pub async fn run(self) -> Regenerated {
        match self.flight.await {
            Flown::Published(..) => Regenerated::Published,
            Flown::Found(_) | Flown::Busy(_) | Flown::InProgress(_) => Regenerated::LeftToOthers,
            Flown::Unkept(..) => Regenerated::NotKept,
            Flown::Unstored(..) => Regenerated::NotStored,
            Flown::Failed(reason, ..) if reason.is_unkeepable() => Regenerated::Unkeepable,
            Flown::NotYet(_) | Flown::Failed(..) | Flown::Mismatch => Regenerated::Failed,
            Flown::StoreFailed => Regenerated::StoreFailed,
        }
    }
}

impl std::fmt::Debug for Regeneration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regeneration").finish_non_exhaustive()
    }
}

/// What a watch ended with.
#[derive(Debug, Clone)]
pub(crate) enum Watched {
    /// There is something new.
    Published(Arc<Known>),
    /// Nobody has the lease: it was given back.
    Free,
    /// The lease ended although nobody gave it back.
    Expired,
    /// The render failed, and nobody tries again before this moment.
    NotYet(Timestamp),
    /// The store failed.
    Failed,
}

/// What a render that several may share ended with.
#[derive(Debug, Clone)]
pub(crate) enum Passed {
    /// Everybody who waited may have it.
    ForAll(Arc<Rendered>, Timestamp),
    /// Only who asked first may have it.
    ForOne(Arc<Rendered>, Timestamp),
    Failed(RenderError),
}
