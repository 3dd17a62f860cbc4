//! Where a copy stands, so that it can be resumed.

use std::fmt;

use serde::{Deserialize, Serialize};
use tabletheory_core::Item;

use super::progress::CopyProgress;

/// The form of checkpoints. Another form is another number.
const FORM: u32 = 1;

/// Where a copy stands: everything before it is in the target, durable. It is plain data; keep it wherever a restart finds
/// it. It holds keys of the source, so keep it as safe as the table.
///
/// ```
/// use tabletheory::table::{Checkpoint, Position};
///
/// let text = r#"{
///     "form": 1, "from": "users", "to": "users-2", "segments": [{"after": {"id": {"S": "7"}}}, "done"],
///     "progress": {"read": 4, "written": 4, "kept": 0, "skipped": 0, "unreadable": 0}
/// }"#;
/// let checkpoint: Checkpoint = serde_json::from_str(text)?;
/// assert!(matches!(checkpoint.segments(), [Position::After(_), Position::Done]));
/// assert_eq!(checkpoint.progress().read, 4);
/// assert!(!checkpoint.is_done());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    form: u32,
    from: String,
    to: String,
    segments: Vec<Position>,
    progress: CopyProgress,
}

/// Where one segment of the source stands.
///
/// ```
/// use tabletheory::table::Position;
///
/// assert_eq!(serde_json::to_string(&Position::Done)?, r#""done""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Nothing is copied.
    Start,
    /// Everything up to this key is copied.
    After(Item),
    /// Everything is copied.
    Done,
}

impl Checkpoint {
    pub(super) fn new(from: &str, to: &str, segments: usize) -> Self {
        let segments = vec![Position::Start; segments];
        Self { form: FORM, from: from.into(), to: to.into(), segments, progress: CopyProgress::default() }
    }

    /// Where each segment of the source stands.
    ///
    /// ```
    /// use tabletheory::table::{Checkpoint, Position};
    ///
    /// let text = r#"{"form": 1, "from": "a", "to": "b", "segments": ["done"], "progress":
    ///     {"read": 4, "written": 3, "kept": 0, "skipped": 1, "unreadable": 0}}"#;
    /// let checkpoint: Checkpoint = serde_json::from_str(text)?;
    /// assert_eq!(checkpoint.segments(), [Position::Done]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn segments(&self) -> &[Position] {
        &self.segments
    }

    /// What was done so far, over all runs.
    ///
    /// ```
    /// use tabletheory::table::Checkpoint;
    ///
    /// let text = r#"{"form": 1, "from": "a", "to": "b", "segments": ["done"], "progress":
    ///     {"read": 4, "written": 3, "kept": 0, "skipped": 1, "unreadable": 0}}"#;
    /// let checkpoint: Checkpoint = serde_json::from_str(text)?;
    /// assert_eq!(checkpoint.progress().skipped, 1);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn progress(&self) -> CopyProgress {
        self.progress
    }

    /// Whether nothing is left to copy.
    ///
    /// ```
    /// use tabletheory::table::Checkpoint;
    ///
    /// let text = r#"{"form": 1, "from": "a", "to": "b", "segments": ["done"], "progress":
    ///     {"read": 4, "written": 3, "kept": 0, "skipped": 1, "unreadable": 0}}"#;
    /// let checkpoint: Checkpoint = serde_json::from_str(text)?;
    /// assert!(checkpoint.is_done());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.segments.iter().all(|position| *position == Position::Done)
    }

    /// Whether it belongs to a copy between these tables, in a form that is known.
    pub(super) fn is_of(&self, from: &str, to: &str) -> bool {
        self.form == FORM && self.from == from && self.to == to && !self.segments.is_empty()
    }

    /// A segment has come further.
    pub(super) fn advance(&mut self, segment: usize, position: Position, more: CopyProgress) {
        self.segments[segment] = position;
        self.progress += more;
    }
}

// Keys are values, and values do not belong into logs.
impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut checkpoint = f.debug_struct("Checkpoint");
        checkpoint.field("from", &self.from).field("to", &self.to);
        checkpoint.field("segments", &self.segments).field("progress", &self.progress).finish()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "Start",
            Self::After(_) => "After(..)",
            Self::Done => "Done",
        })
    }
}
