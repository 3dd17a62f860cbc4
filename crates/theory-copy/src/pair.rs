//! A table, and what it becomes.

use serde::{Deserialize, Serialize};

/// A table of the source, and what it is called in the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The source's name.
    pub from: String,
    /// The target's name.
    pub to: String,
}
