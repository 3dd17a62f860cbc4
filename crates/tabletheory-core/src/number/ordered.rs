//! Numbers as bytes that sort as the numbers do and say where they end.
//!
//! The first byte is 1 for negative numbers, 2 for zero and 3 for positive ones. Zero ends there. For the others follow
//! the power of ten of the first digit plus 130; the digits, two to a byte, each pair plus one, the last pair filled up
//! with a zero; and a zero byte. For negative numbers every byte after the first is complemented.

use super::{Number, digit_count, halves};
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MIN};

const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;
const END: u8 = 0;

/// First byte, exponent, pairs and end.
const ORDERED_BYTES_MAX: usize = 3 + NUMBER_DIGITS_MAX / 2;
/// So many pairs fit 64 bits, where division is cheap.
const PAIRS_AT_ONCE: usize = 9;

impl Number {
    /// Appends bytes that compare as the numbers do. No encoding is the beginning of another.
    pub fn encode_ordered(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(ZERO);
            return;
        }
        let mut bytes = [END; ORDERED_BYTES_MAX];
        bytes[0] = if self.negative { NEGATIVE } else { POSITIVE };
        let biased = self.magnitude() - NUMBER_EXPONENT_MIN;
        bytes[1] = u8::try_from(biased).expect("a number in range has one of 256 magnitudes");
        let len = 2 + write_pairs(self.coefficient(), &mut bytes[2..]) + 1;
        if self.negative {
            bytes[1..len].iter_mut().for_each(|byte| *byte = !*byte);
        }
        out.extend_from_slice(&bytes[..len]);
    }

    /// Reads a number from the beginning of `input` and moves `input` behind it. Nothing, and `input` stays as it is, if
    /// these are not bytes that [`Number::encode_ordered`] writes.
    #[must_use]
    pub fn decode_ordered(input: &mut &[u8]) -> Option<Self> {
        let (&first, rest) = input.split_first()?;
        let negative = match first {
            NEGATIVE => true,
            POSITIVE => false,
            ZERO => {
                *input = rest;
                return Some(Self::ZERO);
            }
            _ => return None,
        };
        let mask = if negative { u8::MAX } else { 0 };
        let (&biased, rest) = rest.split_first()?;
        let magnitude = i16::from(biased ^ mask) + NUMBER_EXPONENT_MIN;
        let end = rest.iter().take(NUMBER_DIGITS_MAX / 2 + 1).position(|byte| byte ^ mask == END)?;
        let (coefficient, digits) = read_pairs(&rest[..end], mask)?;
        *input = &rest[end + 1..];
        Some(Self { coefficient: halves(coefficient), exponent: magnitude - digits + 1, negative })
    }
}

/// Writes the digits of a coefficient, two to a byte, each pair plus one, and says how many pairs they are.
fn write_pairs(coefficient: u128, bytes: &mut [u8]) -> usize {
    const SCALE: u128 = 100u128.pow(9);
    let digits = usize::try_from(digit_count(coefficient)).expect("a coefficient has 38 digits at most");
    let pairs = digits.div_ceil(2);
    let mut rest = if digits % 2 == 1 { coefficient * 10 } else { coefficient };
    for chunk in bytes[..pairs].rchunks_mut(PAIRS_AT_ONCE) {
        let mut value = u64::try_from(rest % SCALE).expect("nine pairs fit 64 bits");
        rest /= SCALE;
        for byte in chunk.iter_mut().rev() {
            *byte = 1 + u8::try_from(value % 100).expect("a pair is below a hundred");
            value /= 100;
        }
    }
    pairs
}

/// The coefficient and the count of its digits, if the pairs are canonical: neither the first nor the last digit is a
/// zero that the encoder would have left out.
fn read_pairs(pairs: &[u8], mask: u8) -> Option<(u128, i16)> {
    let mut coefficient = 0u128;
    let mut last = 0;
    for chunk in pairs.chunks(PAIRS_AT_ONCE) {
        let mut value = 0u64;
        let mut scale = 1u64;
        for byte in chunk {
            last = (byte ^ mask).checked_sub(1).filter(|pair| *pair < 100)?;
            value = value * 100 + u64::from(last);
            scale *= 100;
        }
        coefficient = coefficient * u128::from(scale) + u128::from(value);
    }
    let starts_with_digit = pairs.first().is_some_and(|byte| byte ^ mask > 10);
    if !starts_with_digit || last == 0 {
        return None;
    }
    let digits = i16::try_from(pairs.len() * 2).ok()?;
    Some(if last % 10 == 0 { (coefficient / 10, digits - 1) } else { (coefficient, digits) })
}
