//! Decimals as one writes them on paper: a sign and a row of digits around a fixed point. Slow, obvious, and without a line of the
//! product's own arithmetic.

use std::cmp::Ordering;

/// Digits before and after the point: room for every number that can be stored, and for the sum of two.
const SIDE: usize = 200;
const PLACES: usize = 2 * SIDE;

/// A number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    /// The most significant first.
    digits: [u8; PLACES],
}

/// What a text says.
#[derive(Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is looked at once and never kept, so a box would buy nothing"
)]
pub(crate) enum Said {
    Number(Decimal),
    /// It is a number, and has more places than there are here.
    FarOut,
    NotNumeric,
}

impl Decimal {
    /// Reads a text: a sign, digits with at most one point among them, and an exponent with a sign of its own.
    pub(crate) fn read(text: &str) -> Said {
        let (negative, unsigned) = split_sign(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
            return Said::NotNumeric;
        }
        let Some(shift) = exponent.map_or(Some(0), read_exponent) else { return Said::NotNumeric };
        let mut digits = [0; PLACES];
        for (at, byte) in whole.bytes().chain(fraction.bytes()).enumerate() {
            if byte == b'0' {
                continue;
            }
            let place = place_of(whole.len(), shift, at);
            match usize::try_from(place).ok().filter(|place| *place < PLACES) {
                Some(place) => digits[place] = byte - b'0',
                None => return Said::FarOut,
            }
        }
        let negative = negative && digits.iter().any(|digit| *digit > 0);
        Said::Number(Self { negative, digits })
    }

    /// From the first digit that is not zero to the last, and the power of ten of the first.
    pub(crate) fn significant(&self) -> Option<(usize, i64)> {
        let first = self.digits.iter().position(|digit| *digit > 0)?;
        let last = self.digits.iter().rposition(|digit| *digit > 0)?;
        let power = i64::try_from(SIDE).expect("small") - 1 - i64::try_from(first).expect("small");
        Some((last - first + 1, power))
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        if self.negative == other.negative {
            return Self { negative: self.negative, digits: added(&self.digits, &other.digits) };
        }
        let (larger, smaller) = match self.digits.cmp(&other.digits) {
            Ordering::Less => (other, self),
            Ordering::Equal => return Self { negative: false, digits: [0; PLACES] },
            Ordering::Greater => (self, other),
        };
        Self { negative: larger.negative, digits: subtracted(&larger.digits, &smaller.digits) }
    }

    /// The same with the other sign.
    pub(crate) fn negated(&self) -> Self {
        let is_zero = self.digits.iter().all(|digit| *digit == 0);
        Self { negative: !self.negative && !is_zero, digits: self.digits }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.digits.cmp(&other.digits),
            (true, true) => other.digits.cmp(&self.digits),
        }
    }
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Whatever is longer than this is out of range all the same.
    let power = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if negative { -power } else { power })
}

/// Where digit number `at` of a mantissa stands, if `whole` of its digits are before the point and the point moves by `shift`.
fn place_of(whole: usize, shift: i64, at: usize) -> i64 {
    let signed = |count: usize| i64::try_from(count).expect("an input is short");
    signed(SIDE) - signed(whole) - shift + signed(at)
}

fn added(left: &[u8; PLACES], right: &[u8; PLACES]) -> [u8; PLACES] {
    let (mut sum, mut carry) = ([0; PLACES], 0);
    for place in (0..PLACES).rev() {
        let digit = left[place] + right[place] + carry;
        (sum[place], carry) = (digit % 10, digit / 10);
    }
    assert_eq!(carry, 0, "there is room for the sum of two numbers");
    sum
}

fn subtracted(larger: &[u8; PLACES], smaller: &[u8; PLACES]) -> [u8; PLACES] {
    let (mut difference, mut borrow) = ([0; PLACES], 0);
    for place in (0..PLACES).rev() {
        let taken = smaller[place] + borrow;
        borrow = u8::from(larger[place] < taken);
        difference[place] = larger[place] + 10 * borrow - taken;
    }
    difference
}
