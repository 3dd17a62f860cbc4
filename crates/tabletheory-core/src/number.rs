//! Numbers of up to 38 significant decimal digits, exact: what they are, how they compare and how they add up.
//! Their text stands in `number/text.rs`, the bytes that sort like them in `number/ordered.rs`.

mod ordered;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use std::cmp::Ordering;

use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN};

/// A decimal number of up to 38 significant digits and a magnitude from 1E-130 to 9.99…E+125, or zero.
///
/// Equal numbers are equal values however they were written, and zero has no sign. The text is plain decimal notation,
/// as the service returns it.
///
/// ```
/// use tabletheory_core::Number;
///
/// let price: Number = "+0012.50".parse()?;
/// assert_eq!(price.to_string(), "12.5");
/// assert_eq!(price.checked_add(&"1E-1".parse()?)?, "12.6".parse()?);
/// assert!(price > Number::from(12));
/// # Ok::<(), tabletheory_core::number::NumberError>(())
/// ```
// Canonical: the coefficient has no trailing zero digit, and zero is `ZERO` alone, so the derived equality and hash are
// those of the value. The coefficient is a u128 in two halves, because a u128 field would align the type to 16 bytes
// and make every `Value` larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    coefficient: [u64; 2],
    /// The power of ten of the coefficient's last digit.
    exponent: i16,
    negative: bool,
}

/// Why a text is not a number, or why a result is none that can be stored. Shown in the service's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a decimal number. It is shown, unless there is none.
    #[error("The parameter cannot be converted to a numeric value{}{text}", if text.is_empty() { "" } else { ": " })]
    NotNumeric {
        /// What was given instead.
        text: String,
    },
    /// The magnitude is 1E+126 or more; or a sum needs more than 38 digits, which the service reports alike.
    #[error("Number overflow. Attempting to store a number with magnitude larger than supported range")]
    Overflow,
    /// The magnitude is below 1E-130, and the number is not zero.
    #[error("Number underflow. Attempting to store a number with magnitude smaller than supported range")]
    Underflow,
    /// The text has more than 38 significant digits.
    #[error("Attempting to store more than 38 significant digits in a Number")]
    TooManyDigits,
}

impl Number {
    /// The number zero.
    pub const ZERO: Self = Self { coefficient: [0; 2], exponent: 0, negative: false };

    /// Whether this is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.coefficient == [0; 2]
    }

    /// Whether this is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether there is nothing after the decimal point.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The same number as an integer, if it is one and in range.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        let magnitude = i128::try_from(self.integer_magnitude()?).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The same number as an integer, if it is one, not negative, and in range.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        if self.negative {
            return None;
        }
        u64::try_from(self.integer_magnitude()?).ok()
    }

    fn integer_magnitude(&self) -> Option<u128> {
        let zeros = u32::try_from(self.exponent).ok()?;
        10u128.checked_pow(zeros)?.checked_mul(self.coefficient())
    }

    /// How many bytes the number adds to its item's size.
    ///
    /// One byte for the exponent and one for each base-100 digit from the first significant one to the last; base-100
    /// digits are pairs of decimal digits counted from the decimal point, so 99 takes one and 990 takes two. A negative
    /// number takes one more, but none takes more than 21. Zero takes one.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        const SIZE_BYTES_MAX: usize = 21;
        if self.is_zero() {
            return 1;
        }
        let pairs = self.magnitude().div_euclid(2) - self.exponent.div_euclid(2) + 1;
        let pairs = usize::try_from(pairs).expect("the first digit does not come after the last");
        (1 + pairs + usize::from(self.negative)).min(SIZE_BYTES_MAX)
    }

    /// The sum.
    ///
    /// # Errors
    ///
    /// The service never rounds. [`NumberError::Overflow`] if the exact sum is too large or needs more than 38 digits,
    /// [`NumberError::Underflow`] if it is too small.
    pub fn checked_add(&self, other: &Self) -> Result<Self, NumberError> {
        if self.is_zero() {
            return Ok(*other);
        }
        if other.is_zero() {
            return Ok(*self);
        }
        let (coarse, fine) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        // When the exponents differ, the sum's last digit is that of the finer number, which is not zero. A scaled
        // coefficient past u128 is above 3.4E38 and the finer one is below 1E38, so their sum or difference has more
        // than 38 digits then: nothing is lost by giving up here, and the work stays bounded.
        let coarse_coefficient = u32::try_from(coarse.exponent - fine.exponent)
            .ok()
            .and_then(|zeros| 10u128.checked_pow(zeros))
            .and_then(|scale| scale.checked_mul(coarse.coefficient()))
            .ok_or(NumberError::Overflow)?;
        let fine_coefficient = fine.coefficient();
        let (negative, coefficient) = if coarse.negative == fine.negative {
            (coarse.negative, coarse_coefficient.checked_add(fine_coefficient).ok_or(NumberError::Overflow)?)
        } else if coarse_coefficient >= fine_coefficient {
            (coarse.negative, coarse_coefficient - fine_coefficient)
        } else {
            (fine.negative, fine_coefficient - coarse_coefficient)
        };
        match Self::canonical(negative, coefficient, i64::from(fine.exponent)) {
            Err(NumberError::TooManyDigits) => Err(NumberError::Overflow),
            result => result,
        }
    }

    /// The difference.
    ///
    /// # Errors
    ///
    /// As [`Number::checked_add`].
    pub fn checked_sub(&self, other: &Self) -> Result<Self, NumberError> {
        self.checked_add(&Self { negative: !other.negative && !other.is_zero(), ..*other })
    }

    /// The number `coefficient` × 10^`exponent`, if there is one.
    fn canonical(negative: bool, coefficient: u128, exponent: i64) -> Result<Self, NumberError> {
        if coefficient == 0 {
            return Ok(Self::ZERO);
        }
        let (coefficient, zeros) = strip_zeros(coefficient);
        let exponent = exponent + i64::from(zeros);
        let digits = i64::from(digit_count(coefficient));
        let magnitude = exponent + digits - 1;
        if magnitude > i64::from(NUMBER_EXPONENT_MAX) {
            return Err(NumberError::Overflow);
        }
        if magnitude < i64::from(NUMBER_EXPONENT_MIN) {
            return Err(NumberError::Underflow);
        }
        if usize::try_from(digits).is_ok_and(|digits| digits > NUMBER_DIGITS_MAX) {
            return Err(NumberError::TooManyDigits);
        }
        let exponent = i16::try_from(exponent).expect("a magnitude in range less 38 digits fits 16 bits");
        Ok(Self { coefficient: halves(coefficient), exponent, negative })
    }

    fn coefficient(&self) -> u128 {
        u128::from(self.coefficient[0]) << 64 | u128::from(self.coefficient[1])
    }

    /// The power of ten of the first significant digit. Zero has none; the answer means nothing then.
    fn magnitude(&self) -> i16 {
        let digits = digit_count(self.coefficient());
        self.exponent + i16::try_from(digits).expect("a coefficient has 39 digits at most") - 1
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent {
            return self.coefficient.cmp(&other.coefficient);
        }
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // The first digits stand at the same power of ten: after alignment both have as many digits as the longer.
            let finest = self.exponent.min(other.exponent);
            self.aligned_to(finest).cmp(&other.aligned_to(finest))
        })
    }

    fn aligned_to(&self, exponent: i16) -> u128 {
        let zeros = u32::from((self.exponent - exponent).unsigned_abs());
        self.coefficient() * 10u128.pow(zeros)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (true, true) => other.cmp_magnitude(self),
            (false, false) => match (self.is_zero(), other.is_zero()) {
                (false, false) => self.cmp_magnitude(other),
                (self_zero, other_zero) => other_zero.cmp(&self_zero),
            },
        }
    }
}

macro_rules! from_integers {
    ($($integer:ty),+) => {$(
        impl From<$integer> for Number {
            fn from(integer: $integer) -> Self {
                let integer = i128::from(integer);
                Self::canonical(integer.is_negative(), integer.unsigned_abs(), 0)
                    .expect("every integer of 64 bits has 20 digits at most")
            }
        }
    )+};
}

from_integers!(i8, i16, i32, i64, u8, u16, u32, u64);

fn halves(coefficient: u128) -> [u64; 2] {
    let half = |bits: u128| u64::try_from(bits).expect("half of 128 bits is 64");
    [half(coefficient >> 64), half(coefficient & u128::from(u64::MAX))]
}

fn digit_count(coefficient: u128) -> u32 {
    match u64::try_from(coefficient) {
        Ok(small) => small.checked_ilog10().map_or(0, |log| log + 1),
        Err(_) => coefficient.ilog10() + 1,
    }
}

/// `coefficient`, not zero, without its trailing zero digits, and how many they were.
fn strip_zeros(coefficient: u128) -> (u128, u32) {
    let mut zeros = 0;
    // Most coefficients fit 64 bits, where division is cheap, and end in few zeros.
    if let Ok(mut small) = u64::try_from(coefficient) {
        while small.is_multiple_of(10) {
            small /= 10;
            zeros += 1;
        }
        return (u128::from(small), zeros);
    }
    let mut coefficient = coefficient;
    for count in [32, 16, 8, 4, 2, 1] {
        // A multiple of 10^n is a multiple of 2^n, which costs nothing to ask.
        if coefficient.trailing_zeros() >= count {
            let power = 10u128.pow(count);
            if coefficient.is_multiple_of(power) {
                coefficient /= power;
                zeros += count;
            }
        }
    }
    (coefficient, zeros)
}
