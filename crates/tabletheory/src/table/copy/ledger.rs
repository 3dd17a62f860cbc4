//! What the segments of a copy share: where it stands, and whom to tell.

use std::ops::ControlFlow;

use super::checkpoint::{Checkpoint, Position};
use super::progress::CopyProgress;

/// Whom to tell how far a copy is.
pub(super) type Tell<'t> = Box<dyn FnMut(&CopyProgress) + Send + 't>;

/// Who keeps the checkpoints of a copy, and may stop it.
pub(super) type Save<'t> = Box<dyn FnMut(&Checkpoint) -> ControlFlow<()> + Send + 't>;

/// What the segments share: where the copy stands, and whom to tell.
pub(super) struct Ledger<'t> {
    pub(super) checkpoint: Checkpoint,
    tell: Tell<'t>,
    save: Save<'t>,
}

impl<'t> Ledger<'t> {
    pub(super) fn new(checkpoint: Checkpoint, tell: Tell<'t>, save: Save<'t>) -> Self {
        Self { checkpoint, tell, save }
    }

    /// A segment has come further; whether the copy is to go on.
    pub(super) fn advance(
        &mut self,
        segment: usize,
        position: Position,
        more: CopyProgress,
    ) -> ControlFlow<()> {
        self.checkpoint.advance(segment, position, more);
        (self.tell)(&self.checkpoint.progress());
        (self.save)(&self.checkpoint)
    }
}
