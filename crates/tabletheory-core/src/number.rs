//! Numbers of up to 38 significant decimal digits, exact.

/// A decimal number in canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    coefficient: [u64; 2],
    exponent: i16,
}

impl From<i64> for Number {
    fn from(_: i64) -> Self {
        todo!()
    }
}
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Number {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        todo!()
    }
}
