//! Numbers as text: what the service reads, and the plain decimal notation in which it answers.

use std::fmt;
use std::str::FromStr;

use super::{Number, NumberError, digit_count};
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MIN};

/// Room for the longest text: a sign, `0.`, the zeros down to 1E-130, and 38 digits.
const TEXT_BYTES_MAX: usize = 3 + NUMBER_EXPONENT_MIN.unsigned_abs() as usize + NUMBER_DIGITS_MAX;

/// Where [`Number::text`] writes.
pub(crate) type TextBuffer = [u8; TEXT_BYTES_MAX];

/// Up to 38 digits as bytes 0..=9, the first one not zero.
pub(super) struct Digits {
    bytes: [u8; NUMBER_DIGITS_MAX],
    start: usize,
}

impl Digits {
    pub(super) fn of(number: &Number) -> Self {
        // Two halves of at most 19 digits each fit 64 bits, where division is cheap.
        const HALF: u128 = 10u128.pow(19);
        let coefficient = number.coefficient();
        let half = |digits: u128| u64::try_from(digits).expect("19 digits fit 64 bits");
        let mut bytes = [0; NUMBER_DIGITS_MAX];
        let start =
            NUMBER_DIGITS_MAX - usize::try_from(digit_count(coefficient)).unwrap_or(NUMBER_DIGITS_MAX);
        match u64::try_from(coefficient) {
            Ok(small) => write_digits(small, &mut bytes),
            Err(_) => {
                let (upper, lower) = bytes.split_at_mut(NUMBER_DIGITS_MAX / 2);
                write_digits(half(coefficient / HALF), upper);
                write_digits(half(coefficient % HALF), lower);
            }
        }
        Self { bytes, start }
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Writes the digits to the end of `bytes`, which holds zeros.
fn write_digits(mut rest: u64, bytes: &mut [u8]) {
    let digit = |digit: u64| u8::try_from(digit).expect("a digit is below ten");
    // Two digits at a time halve the chain of divisions.
    for pair in bytes.rchunks_mut(2) {
        if rest == 0 {
            return;
        }
        let two = rest % 100;
        rest /= 100;
        if let [tens, ones] = pair {
            (*tens, *ones) = (digit(two / 10), digit(two % 10));
        } else {
            pair[0] = digit(two);
        }
    }
}

impl Number {
    pub(crate) fn text_buffer() -> TextBuffer {
        [0; TEXT_BYTES_MAX]
    }

    /// The plain decimal notation, written into `buffer`.
    pub(crate) fn text<'b>(&self, buffer: &'b mut TextBuffer) -> &'b str {
        let mut text = Text { bytes: buffer, len: 0 };
        if self.negative {
            text.push(b'-');
        }
        let digits = Digits::of(self);
        let digits = digits.as_slice();
        let fraction = usize::from(self.exponent.min(0).unsigned_abs());
        let (whole, fraction_digits) = digits.split_at(digits.len().saturating_sub(fraction));
        if whole.is_empty() {
            text.push(b'0');
        }
        text.push_digits(whole);
        if fraction > 0 {
            text.push(b'.');
            text.push_zeros(fraction - fraction_digits.len());
            text.push_digits(fraction_digits);
        } else {
            text.push_zeros(usize::from(self.exponent.unsigned_abs()));
        }
        text.into_str()
    }
}

struct Text<'b> {
    bytes: &'b mut TextBuffer,
    len: usize,
}

impl<'b> Text<'b> {
    fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    fn push_zeros(&mut self, count: usize) {
        self.bytes[self.len..self.len + count].fill(b'0');
        self.len += count;
    }

    fn push_digits(&mut self, digits: &[u8]) {
        for (byte, digit) in self.bytes[self.len..].iter_mut().zip(digits) {
            *byte = b'0' + digit;
        }
        self.len += digits.len();
    }

    fn into_str(self) -> &'b str {
        std::str::from_utf8(&self.bytes[..self.len]).expect("signs, points and digits are ASCII")
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut Self::text_buffer()))
    }
}

impl FromStr for Number {
    type Err = NumberError;

    /// Reads an optional sign, digits with or without a decimal point, and an optional exponent. Zeros before the first
    /// and after the last significant digit do not count. The service trims no blanks and knows no infinities, and
    /// neither does this.
    fn from_str(text: &str) -> Result<Self, NumberError> {
        let not_numeric = || NumberError::NotNumeric { text: text.to_owned() };
        let (negative, unsigned) = split_sign(text.as_bytes());
        if let Some(integer) = small_integer(unsigned) {
            return Self::canonical(negative, u128::from(integer), 0);
        }
        let (mantissa, exponent) = match unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&unsigned[..at], read_exponent(&unsigned[at + 1..]).ok_or_else(not_numeric)?),
            None => (unsigned, 0),
        };
        let mantissa = Mantissa::read(mantissa).ok_or_else(not_numeric)?;
        mantissa.into_number(negative, exponent)
    }
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    }
}

/// The integer, if the text is nothing but so few digits that they fit 64 bits.
fn small_integer(digits: &[u8]) -> Option<u64> {
    const DIGITS_MAX: usize = 19;
    if digits.is_empty() || digits.len() > DIGITS_MAX {
        return None;
    }
    digits.iter().try_fold(0, |integer: u64, byte| match byte {
        b'0'..=b'9' => Some(integer * 10 + u64::from(byte - b'0')),
        _ => None,
    })
}

/// The exponent after its `e`. One that no mantissa of a request could bring back into range stays that far out.
fn read_exponent(text: &[u8]) -> Option<i64> {
    const FAR_OUT: i64 = 1 << 50;
    let (negative, digits) = split_sign(text);
    if digits.is_empty() {
        return None;
    }
    let exponent = digits.iter().try_fold(0, |exponent: i64, byte| match byte {
        b'0'..=b'9' => Some((exponent * 10 + i64::from(byte - b'0')).min(FAR_OUT)),
        _ => None,
    })?;
    Some(if negative { -exponent } else { exponent })
}

/// The digits before the exponent, with trailing zeros counted apart.
#[derive(Default)]
struct Mantissa {
    /// The significant digits so far, as many as fit.
    coefficient: u128,
    /// How many significant digits there are, `zeros` not included.
    significant: usize,
    /// Zeros since the last other digit. They become significant when another one follows.
    zeros: usize,
    /// Digits after the point.
    fraction: usize,
}

impl Mantissa {
    fn read(text: &[u8]) -> Option<Self> {
        let mut mantissa = Self::default();
        let mut point = None;
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => mantissa.push(byte - b'0'),
                b'.' if point.is_none() => point = Some(at),
                _ => return None,
            }
        }
        let digits = text.len() - usize::from(point.is_some());
        mantissa.fraction = point.map_or(0, |at| text.len() - at - 1);
        (digits > 0).then_some(mantissa)
    }

    fn push(&mut self, digit: u8) {
        if digit == 0 {
            self.zeros += usize::from(self.significant > 0);
            return;
        }
        let places = self.zeros + 1;
        self.significant += places;
        self.zeros = 0;
        if self.significant <= NUMBER_DIGITS_MAX {
            let scale = 10u128.pow(u32::try_from(places).expect("38 digits at most"));
            self.coefficient = self.coefficient * scale + u128::from(digit);
        }
    }

    fn into_number(self, negative: bool, exponent: i64) -> Result<Number, NumberError> {
        if self.significant == 0 {
            return Ok(Number::ZERO);
        }
        let signed = |count: usize| i64::try_from(count).expect("a text has fewer bytes than that");
        let exponent = exponent - signed(self.fraction) + signed(self.zeros);
        if self.significant <= NUMBER_DIGITS_MAX {
            return Number::canonical(negative, self.coefficient, exponent);
        }
        // The service looks at the magnitude first; any digit will do to have it checked.
        Number::canonical(negative, 1, exponent + signed(self.significant) - 1)?;
        Err(NumberError::TooManyDigits)
    }
}
