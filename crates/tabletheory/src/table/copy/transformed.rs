//! What becomes of an item that is copied.

/// What becomes of an item that is copied.
///
/// ```
/// use tabletheory::table::Transformed;
///
/// let even = |n: u8| if n % 2 == 0 { Transformed::Put(n) } else { Transformed::Skip };
/// assert_eq!(even(3), Transformed::Skip);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transformed<B> {
    /// It is written as this.
    Put(B),
    /// It is left out.
    Skip,
    /// The copy stops for this reason, which must not contain values if it may reach a log.
    Refuse(String),
}
