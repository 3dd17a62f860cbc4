//! Numbers: two texts, each on a line.

use tabletheory_core::Number;
use tabletheory_core::limits::{NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN};
use tabletheory_core::number::NumberError;

use crate::decimal::{Decimal, Said};
use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let left = read(&String::from_utf8_lossy(input.line()));
    let right = read(&String::from_utf8_lossy(input.line()));
    let (Some(left), Some(right)) = (left, right) else { return };
    assert_eq!(
        left.0.cmp(&right.0),
        left.1.cmp(&right.1),
        "numbers compare as decimals do: {left:?} {right:?}"
    );
    assert_eq!(
        ordered(&left.0).cmp(&ordered(&right.0)),
        left.0.cmp(&right.0),
        "bytes compare as numbers do: {left:?} {right:?}"
    );
    check_result(left.0.checked_add(&right.0), &left.1.plus(&right.1));
    check_result(left.0.checked_sub(&right.0), &left.1.plus(&right.1.negated()));
}

/// Reads a text twice: as the product does, and as one does on paper. Both must agree on what it is.
fn read(text: &str) -> Option<(Number, Decimal)> {
    match (text.parse::<Number>(), Decimal::read(text)) {
        (Err(NumberError::NotNumeric { .. }), Said::NotNumeric) => None,
        (Err(NumberError::Overflow | NumberError::Underflow), Said::FarOut) => None,
        // More digits than there is room for, around the point.
        (Err(NumberError::TooManyDigits), Said::FarOut) => None,
        (result, Said::Number(decimal)) => {
            check_result(result.clone(), &decimal);
            let number = result.ok()?;
            round_trips(&number);
            Some((number, decimal))
        }
        (result, said) => panic!("{text:?} is read as {result:?}, and is {said:?}"),
    }
}

/// The product's answer is the decimal if that can be stored, and an error of the right kind if it cannot.
fn check_result(result: Result<Number, NumberError>, decimal: &Decimal) {
    let Some((digits, power)) = decimal.significant() else {
        assert_eq!(result, Ok(Number::ZERO), "nothing is zero");
        return;
    };
    match result {
        Ok(number) => {
            assert!(
                digits <= NUMBER_DIGITS_MAX
                    && (i64::from(NUMBER_EXPONENT_MIN)..=i64::from(NUMBER_EXPONENT_MAX)).contains(&power),
                "{number} is outside what can be stored"
            );
            assert_eq!(Decimal::read(&number.to_string()), Said::Number(decimal.clone()), "{number}");
        }
        Err(NumberError::Overflow) => {
            assert!(power > i64::from(NUMBER_EXPONENT_MAX) || digits > NUMBER_DIGITS_MAX, "{decimal:?}");
        }
        Err(NumberError::Underflow) => assert!(power < i64::from(NUMBER_EXPONENT_MIN), "{decimal:?}"),
        Err(NumberError::TooManyDigits) => assert!(digits > NUMBER_DIGITS_MAX, "{decimal:?}"),
        // Not even its being no number: it was made of numbers, or of a text that is one.
        Err(error) => panic!("{error} about {decimal:?}"),
    }
}

fn round_trips(number: &Number) {
    let text = number.to_string();
    assert_eq!(text.parse(), Ok(*number), "a number is the number of its text");
    let bytes = ordered(number);
    let mut rest = bytes.as_slice();
    assert_eq!(Number::decode_ordered(&mut rest), Some(*number), "a number is the number of its bytes");
    assert!(rest.is_empty(), "{text} ends where its bytes end");
}

fn ordered(number: &Number) -> Vec<u8> {
    let mut bytes = Vec::new();
    number.encode_ordered(&mut bytes);
    bytes
}
