//! Moments as text: RFC 3339 in UTC with nine digits of a second, so that texts sort as the moments do. Every RFC 3339
//! form is read, with any zone and any number of digits, because each toolkit writes its own.
//!
//! Most items have two moments, and their texts would be a good part of what reading and writing an item costs. So our own
//! form has a short way in both directions, and jiff does the rest.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use tabletheory_core::{Value, ValueType};

use super::Attribute;
use super::error::{AttributeError, Fault};

/// What other toolkits write for a moment that was never set.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// Our own form. Zeros stand for digits.
const FORM: &[u8; 30] = b"0000-00-00T00:00:00.000000000Z";

/// The digits of the numbers below a hundred.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let (mut tens, mut ones) = (0, 0);
    while tens < 10 {
        pairs[tens as usize * 10 + ones as usize] = [b'0' + tens, b'0' + ones];
        (tens, ones) = if ones == 9 { (tens + 1, 0) } else { (tens, ones + 1) };
    }
    pairs
};

impl Attribute for Timestamp {
    const TYPE: Option<ValueType> = Some(ValueType::S);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::S(moment_text(*self)))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        let text = String::from_value(value)?;
        if let Some(moment) = own(&text) {
            return Ok(moment);
        }
        text.parse().map_err(|_| Fault::Malformed { expected: "a moment in the form of RFC 3339" }.into())
    }

    fn is_omitted(&self) -> bool {
        self.to_string() == NEVER
    }
}

/// The text of a moment.
pub(crate) fn moment_text(moment: Timestamp) -> String {
    let date = Offset::UTC.to_datetime(moment);
    if date.year() < 0 {
        // A year with a sign has more digits.
        return format!("{moment:.9}");
    }
    let year = date.year().unsigned_abs();
    let nanosecond = date.subsec_nanosecond().unsigned_abs();
    let mut text = *FORM;
    put_pair(&mut text[0..2], u32::from(year / 100));
    put_pair(&mut text[2..4], u32::from(year % 100));
    put_pair(&mut text[5..7], date.month().unsigned_abs().into());
    put_pair(&mut text[8..10], date.day().unsigned_abs().into());
    put_pair(&mut text[11..13], date.hour().unsigned_abs().into());
    put_pair(&mut text[14..16], date.minute().unsigned_abs().into());
    put_pair(&mut text[17..19], date.second().unsigned_abs().into());
    put_pair(&mut text[20..22], nanosecond / 10_000_000);
    put_pair(&mut text[22..24], nanosecond / 100_000);
    put_pair(&mut text[24..26], nanosecond / 1_000);
    put_pair(&mut text[26..28], nanosecond / 10);
    text[28] = PAIRS[(nanosecond % 10) as usize][1];
    std::str::from_utf8(&text).expect("digits are ASCII").to_owned()
}

/// Writes the last two digits of a number.
fn put_pair(place: &mut [u8], number: u32) {
    place.copy_from_slice(&PAIRS[(number % 100) as usize]);
}

/// The moment of a text in our own form. Whatever else it is, is for jiff to say.
fn own(text: &str) -> Option<Timestamp> {
    let text: &[u8; FORM.len()] = text.as_bytes().try_into().ok()?;
    let signs = |text: &[u8; FORM.len()]| [4, 7, 10, 13, 16, 19, 29].map(|at| text[at]);
    if signs(text) != signs(FORM) {
        return None;
    }
    let two = |at: usize| Some(digit(text[at])? * 10 + digit(text[at + 1])?);
    let year = i16::from(two(0)?) * 100 + i16::from(two(2)?);
    let pairs = [two(20)?, two(22)?, two(24)?, two(26)?];
    let nanosecond = pairs.into_iter().fold(0, |number, pair| number * 100 + i32::from(pair));
    let nanosecond = nanosecond * 10 + i32::from(digit(text[28])?);
    let date = DateTime::new(year, two(5)?, two(8)?, two(11)?, two(14)?, two(17)?, nanosecond);
    Offset::UTC.to_timestamp(date.ok()?).ok()
}

fn digit(sign: u8) -> Option<i8> {
    let digit = sign.wrapping_sub(b'0');
    if digit < 10 { Some(digit.cast_signed()) } else { None }
}
