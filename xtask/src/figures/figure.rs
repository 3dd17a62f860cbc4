//! A figure with a bound, as a row of a table.

/// One row of a table that has a bound.
#[derive(Debug)]
pub(super) struct Figure {
    /// The row without the mark.
    pub(super) row: String,
    /// Whether it is within its bound.
    pub(super) holds: bool,
}

impl Figure {
    /// The row, with a mark that says so.
    pub(super) fn marked(&self) -> String {
        format!("{} {} |\n", self.row, if self.holds { "✓" } else { "✗ missed" })
    }
}
