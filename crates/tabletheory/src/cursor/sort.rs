//! The order a query reads in, and its names in a cursor.

use std::fmt;

/// The order in which a query reads its partition.
///
/// ```
/// use tabletheory::cursor::Sort;
///
/// assert_eq!(Sort::of(true), Sort::Ascending);
/// assert_eq!(Sort::Descending.to_string(), "DESC");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// From the smallest sort key to the largest.
    Ascending,
    /// From the largest sort key to the smallest.
    Descending,
}

impl Sort {
    /// The order of a query that reads `forward`, as in [`Query`](tabletheory_core::store::op::Query).
    ///
    /// ```
    /// use tabletheory::cursor::Sort;
    ///
    /// assert_eq!(Sort::of(false), Sort::Descending);
    /// ```
    #[must_use]
    pub const fn of(forward: bool) -> Self {
        if forward { Self::Ascending } else { Self::Descending }
    }

    /// Whether a query in this order reads forward.
    ///
    /// ```
    /// use tabletheory::cursor::Sort;
    ///
    /// assert!(Sort::Ascending.is_forward());
    /// assert!(!Sort::Descending.is_forward());
    /// ```
    #[must_use]
    pub const fn is_forward(self) -> bool {
        matches!(self, Self::Ascending)
    }

    /// The name that cursors are written with: `ASC` or `DESC`.
    ///
    /// ```
    /// use tabletheory::cursor::Sort;
    ///
    /// assert_eq!(Sort::Ascending.name(), "ASC");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ascending => "ASC",
            Self::Descending => "DESC",
        }
    }

    /// The order called `name`, in capitals or not, if there is one.
    ///
    /// ```
    /// use tabletheory::cursor::Sort;
    ///
    /// assert_eq!(Sort::from_name("desc"), Some(Sort::Descending));
    /// assert_eq!(Sort::from_name("random"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ascending, Self::Descending].into_iter().find(|sort| sort.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
